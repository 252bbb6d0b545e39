//! Many steps of differing length: run when they are asked for, and given up when the scenario changes.

use super::fits::Search;
use super::pursuit::Pursuit;
use super::store::Store;
use crate::ask::Finding;
use crate::decide::{LongSteps, LongStepsSearch};
use leptos::prelude::*;
use std::sync::Arc;

/// What was found, or why there is nothing.
pub type FoundSteps = Arc<Result<LongSteps, Vec<Finding>>>;

/// Many steps of the scenario on screen.
#[derive(Clone, Copy)]
pub struct StepsSearch {
    store: Store,
    /// How far it is.
    pub search: RwSignal<Search<FoundSteps>>,
    pursuit: StoredValue<Pursuit, LocalStorage>,
}

impl StepsSearch {
    /// Nothing is asked yet; whatever is asked is given up when the scenario changes.
    pub fn follow(store: Store) -> Self {
        let steps = Self {
            store,
            search: RwSignal::new(Search::Unasked),
            pursuit: StoredValue::new_local(Pursuit::default()),
        };
        Effect::new(move |before: Option<()>| {
            store.scenario.track();
            if before.is_some() {
                steps.pursuit.with_value(Pursuit::give_up);
                steps.search.set(Search::Unasked);
            }
        });
        steps
    }

    /// What was found, where there is something.
    pub fn known(self) -> Option<Arc<Result<LongSteps, Vec<Finding>>>> {
        match self.search.get() {
            Search::Done(found) => Some(found),
            Search::Unasked | Search::Running => None,
        }
    }

    /// Runs the steps.
    pub fn ask(self) {
        let search = self.store.scenario.with_untracked(LongStepsSearch::new);
        match search {
            None => {}
            Some(Err(findings)) => self.end(Err(findings)),
            Some(Ok(search)) => {
                self.search.set(Search::Running);
                let told = move |search: &LongStepsSearch, done: bool| {
                    if done {
                        self.end(search.found());
                    }
                };
                self.pursuit
                    .with_value(|pursuit| pursuit.pursue(search, told));
            }
        }
    }

    fn end(self, found: Result<LongSteps, Vec<Finding>>) {
        self.search.set(Search::Done(Arc::new(found)));
    }
}
