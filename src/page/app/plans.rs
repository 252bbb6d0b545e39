//! Plan search: asked for, and given up when what it is about changes.

use super::pursuit::Pursuit;
use super::store::Store;
use crate::decide::{PlanOptions, Planner, Plans};
use leptos::prelude::*;
use std::sync::Arc;

/// Number of estimates after which the plans so far are shown.
const SHOWN_EVERY: u64 = 16;

/// The state of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Plans found so far.
    pub plans: Arc<Plans>,
    /// Whether that is all.
    pub done: bool,
}

/// A search for plans around the scenario on screen.
#[derive(Clone, Copy)]
pub struct PlanSearch {
    store: Store,
    /// The options of the search.
    pub options: RwSignal<PlanOptions>,
    /// The plans so far; `None` before anybody asks.
    pub planned: RwSignal<Option<Planned>>,
    pursuit: StoredValue<Pursuit, LocalStorage>,
}

impl PlanSearch {
    /// Nothing is asked yet; a search is given up when the scenario or the options change.
    pub fn follow(store: Store) -> Self {
        let search = Self {
            store,
            options: RwSignal::new(PlanOptions::default()),
            planned: RwSignal::new(None),
            pursuit: StoredValue::new_local(Pursuit::default()),
        };
        Effect::new(move |before: Option<()>| {
            store.scenario.track();
            search.options.track();
            if before.is_some() {
                search.give_up();
            }
        });
        search
    }

    /// Searches from the beginning.
    pub fn ask(self) {
        let planner = self.store.scenario.with_untracked(|scenario| {
            self.options
                .with_untracked(|options| Planner::new(scenario, options))
        });
        self.show(&planner, false);
        let told = move |planner: &Planner, done: bool| {
            if done || planner.estimated().is_multiple_of(SHOWN_EVERY) {
                self.show(planner, done);
            }
        };
        self.pursuit
            .with_value(|pursuit| pursuit.pursue(planner, told));
    }

    fn give_up(self) {
        self.pursuit.with_value(Pursuit::give_up);
        if self.planned.with_untracked(Option::is_some) {
            self.planned.set(None);
        }
    }

    fn show(self, planner: &Planner, done: bool) {
        let plans = Arc::new(planner.found());
        self.planned.set(Some(Planned { plans, done }));
    }
}
