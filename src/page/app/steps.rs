//! Many steps of differing length: run when they are asked for, by a thread of their own where the browser has one,
//! and given up when the scenario changes.

use super::estimates::{self, Wanted};
use super::fits::Search;
use super::pursuit::Pursuit;
use super::store::Store;
use crate::ask::{Finding, Scenario};
use crate::browser::{Worked, Workers};
use crate::decide::{LongSteps, LongStepsSearch};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// The results of many steps, or the findings that refuse them.
pub type FoundSteps = Arc<Result<LongSteps, Vec<Finding>>>;

/// Many steps of the scenario on screen.
#[derive(Clone, Copy)]
pub struct StepsSearch {
    store: Store,
    /// How far it is.
    pub search: RwSignal<Search<FoundSteps>>,
    pursuit: StoredValue<Pursuit, LocalStorage>,
    thread: StoredValue<Workers, LocalStorage>,
}

impl StepsSearch {
    /// Nothing is asked yet; whatever is asked is given up when the scenario changes.
    pub fn follow(store: Store) -> Self {
        let steps = Self {
            store,
            search: RwSignal::new(Search::Unasked),
            pursuit: StoredValue::new_local(Pursuit::default()),
            thread: StoredValue::new_local(Workers::default()),
        };
        Effect::new(move |before: Option<()>| {
            store.scenario.track();
            if before.is_some() {
                steps.pursuit.with_value(Pursuit::give_up);
                steps.thread.with_value(Workers::stop);
                steps.search.set(Search::Unasked);
            }
        });
        steps
    }

    /// The results, where there are any.
    pub fn known(self) -> Option<Arc<Result<LongSteps, Vec<Finding>>>> {
        match self.search.get() {
            Search::Done(found) => Some(found),
            Search::Unasked | Search::Running => None,
        }
    }

    /// Runs the steps.
    pub fn ask(self) {
        let scenario = self.store.scenario.get_untracked();
        match LongStepsSearch::new(&scenario) {
            None => {}
            Some(Err(findings)) => self.end(Err(findings)),
            Some(Ok(search)) => {
                self.search.set(Search::Running);
                self.run_beside(&scenario, search);
            }
        }
    }

    /// Has a thread run them; what it refuses is refused here, which says why.
    fn run_beside(self, scenario: &Scenario, search: LongStepsSearch) {
        let thread = Workers::start(1);
        self.thread.set_value(thread.clone());
        let ends = thread.clone();
        let of = scenario.clone();
        thread.ask(Wanted::Steps.asked(scenario), move |worked| {
            set_timeout(move || ends.stop(), Duration::ZERO);
            if let Worked::BrokeOff = worked {
                return self.end(Err(vec![estimates::broke_off(&of)]));
            }
            match worked.text().and_then(|text| LongSteps::read(&text)) {
                Some(found) => self.end(Ok(found)),
                None => self.run_here(search),
            }
        });
    }

    fn run_here(self, search: LongStepsSearch) {
        let told = move |search: &LongStepsSearch, done: bool| {
            if done {
                self.end(search.found());
            }
        };
        let pursue = |pursuit: &Pursuit| pursuit.pursue(search, told);
        self.pursuit.with_value(pursue);
    }

    fn end(self, found: Result<LongSteps, Vec<Finding>>) {
        self.search.set(Search::Done(Arc::new(found)));
    }
}
