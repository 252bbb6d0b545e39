//! Many steps of differing length: run when they are asked for, a few at a time between frames, and given up when the
//! scenario changes.

use super::fits::Search;
use super::store::Store;
use crate::ask::Finding;
use crate::browser::Timer;
use crate::decide::{LongSteps, LongStepsSearch};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// How long the browser gets between two parts of the work.
const PAUSE: Duration = Duration::from_millis(4);

/// What was found, or why there is nothing.
pub type FoundSteps = Arc<Result<LongSteps, Vec<Finding>>>;

/// Many steps of the scenario on screen.
#[derive(Clone, Copy)]
pub struct StepsSearch {
    store: Store,
    /// How far it is.
    pub search: RwSignal<Search<FoundSteps>>,
    work: StoredValue<Option<Box<LongStepsSearch>>>,
    timer: StoredValue<Timer, LocalStorage>,
}

impl StepsSearch {
    /// Nothing is asked yet; whatever is asked is given up when the scenario changes.
    pub fn follow(store: Store) -> Self {
        let steps = Self {
            store,
            search: RwSignal::new(Search::Unasked),
            work: StoredValue::new(None),
            timer: StoredValue::new_local(Timer::default()),
        };
        Effect::new(move |before: Option<()>| {
            store.scenario.track();
            if before.is_some() {
                steps.work.set_value(None);
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
                self.work.set_value(Some(Box::new(search)));
                self.go_on_later();
            }
        }
    }

    fn end(self, found: Result<LongSteps, Vec<Finding>>) {
        self.search.set(Search::Done(Arc::new(found)));
    }

    fn go_on_later(self) {
        self.timer
            .with_value(|timer| timer.set(PAUSE, move || self.go_on()));
    }

    /// A part of the work, then the next after a pause.
    fn go_on(self) {
        let mut work = None;
        self.work.update_value(|now| work = now.take());
        let Some(mut search) = work else {
            return;
        };
        match search.advance() {
            Ok(true) => {
                self.work.set_value(Some(search));
                self.go_on_later();
            }
            Ok(false) => self.end(Ok(search.found())),
            Err(findings) => self.end(Err(findings)),
        }
    }
}
