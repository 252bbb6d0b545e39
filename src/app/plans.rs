//! Plan search: asked for, made one estimate at a time between frames, and given up when what it is about changes.

use super::store::Store;
use crate::browser::Timer;
use crate::decide::{PlanOptions, Planner, Plans};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// How long the browser gets between two estimates.
const PAUSE: Duration = Duration::from_millis(4);

/// Estimates after which what is known is shown.
const SHOWN_EVERY: u64 = 16;

/// What is known of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// What was found so far.
    pub plans: Arc<Plans>,
    /// Whether that is all.
    pub done: bool,
}

/// A search for plans around the scenario on screen.
#[derive(Clone, Copy)]
pub struct PlanSearch {
    store: Store,
    /// What it is asked for.
    pub options: RwSignal<PlanOptions>,
    /// What is known; nothing before anybody asks.
    pub planned: RwSignal<Option<Planned>>,
    planner: StoredValue<Option<Box<Planner>>>,
    timer: StoredValue<Timer, LocalStorage>,
}

impl PlanSearch {
    /// Nothing is asked yet; a search is given up when the scenario or the options change.
    pub fn follow(store: Store) -> Self {
        let search = Self {
            store,
            options: RwSignal::new(PlanOptions::default()),
            planned: RwSignal::new(None),
            planner: StoredValue::new(None),
            timer: StoredValue::new_local(Timer::default()),
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
        self.planner.set_value(Some(Box::new(planner)));
        self.go_on_later();
    }

    fn give_up(self) {
        self.planner.set_value(None);
        if self.planned.with_untracked(Option::is_some) {
            self.planned.set(None);
        }
    }

    fn go_on_later(self) {
        self.timer
            .with_value(|timer| timer.set(PAUSE, move || self.go_on()));
    }

    /// One estimate, then the next after a pause.
    fn go_on(self) {
        let mut planner = None;
        self.planner.update_value(|now| planner = now.take());
        let Some(mut planner) = planner else {
            return;
        };
        let goes_on = planner.advance();
        if !goes_on || planner.estimated().is_multiple_of(SHOWN_EVERY) {
            self.show(&planner, !goes_on);
        }
        if goes_on {
            self.planner.set_value(Some(planner));
            self.go_on_later();
        }
    }

    fn show(self, planner: &Planner, done: bool) {
        let plans = Arc::new(planner.found());
        self.planned.set(Some(Planned { plans, done }));
    }
}
