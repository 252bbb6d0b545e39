//! The configuration that is kept to compare with: A, where the one on screen is B.

use super::store::Store;
use super::{estimates, graphs};
use crate::ask::Scenario;
use crate::report::Estimate;
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// The delay of A's estimate when a page opens with both configurations: the first answer is painted meanwhile.
const AFTER: Duration = Duration::from_millis(40);

/// A configuration with its answer.
#[derive(Clone, Copy)]
pub struct Kept {
    scenario: RwSignal<Option<Scenario>>,
    answer: RwSignal<Option<Arc<Estimate>>>,
}

impl Kept {
    pub(super) fn new(scenario: Option<Box<Scenario>>) -> Self {
        Self {
            scenario: RwSignal::new(scenario.map(|scenario| *scenario)),
            answer: RwSignal::new(None),
        }
    }

    /// Whether two configurations are compared.
    pub fn is_on(self) -> bool {
        self.scenario.with(Option::is_some)
    }

    /// A.
    pub fn scenario(self) -> Option<Box<Scenario>> {
        self.scenario.get().map(Box::new)
    }

    /// Its answer; none while it is computed, or when it has none.
    pub fn answer(self) -> Option<Arc<Estimate>> {
        self.answer.get()
    }

    /// Runs the effect that calls this again when A changes.
    pub(super) fn track(self) {
        self.scenario.track();
    }

    /// Keeps another configuration as A, or none.
    pub fn set(self, mut scenario: Option<Scenario>) {
        if let Some(scenario) = &mut scenario {
            graphs::complete(scenario);
        }
        if self.scenario.with_untracked(|now| *now != scenario) {
            self.scenario.set(scenario);
        }
    }
}

impl Store {
    /// Keeps the configuration on screen as A; changes from now on make B.
    pub fn keep(self) {
        self.kept.set(Some(self.scenario.get_untracked()));
    }

    /// Keeps the configuration on screen, or drops the kept one.
    pub fn toggle_kept(self) {
        if untrack(|| self.kept.is_on()) {
            self.kept.set(None);
        } else {
            self.keep();
        }
    }

    /// A becomes B, and B becomes A.
    pub fn swap(self) {
        if let Some(a) = self.kept.scenario.get_untracked() {
            let b = self.scenario.get_untracked();
            self.replace(a);
            self.kept.set(Some(b));
        }
    }
}

/// Estimates A whenever it is another one, once the rest of the program is there, which shows it.
pub(super) fn follow(store: Store) {
    let kept = store.kept;
    Effect::new(move |_| {
        let (Some(scenario), true) = (kept.scenario.get(), store.whole.get()) else {
            kept.answer.set(None);
            return;
        };
        set_timeout(
            move || {
                if kept
                    .scenario
                    .with_untracked(|now| now.as_ref() == Some(&scenario))
                {
                    let asked = scenario.clone();
                    estimates::ask(asked.clone(), move |said, _| {
                        let now = kept.scenario.get_untracked();
                        if now.as_ref() == Some(&asked) {
                            kept.answer.set(said.ok().map(Arc::new));
                        }
                    });
                }
            },
            AFTER,
        );
    });
}
