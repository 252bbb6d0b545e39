//! Estimates that are computed off the critical path: the ranks that differ, the peak by batch size, and changes to
//! recommend, one after the other.
//!
//! It starts when the reader rests and is given up when something changes.

use super::pursuit::Pursuit;
use super::ribbons;
use super::store::Store;
use crate::ask::Scenario;
use crate::decide::{Advice, Adviser, Sweeper};
use crate::report::{Figures, Ranks};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// How long the scenario must rest before anything starts.
const REST: Duration = Duration::from_millis(160);

/// The work that is left for one answer.
#[derive(Clone)]
struct Work {
    pursuit: Pursuit,
    store: Store,
    sweeper: Option<Sweeper>,
    adviser: Adviser,
}

/// Computes them for each new answer.
pub(super) fn follow(store: Store) {
    let pursuit = Pursuit::default();
    let swept = StoredValue::new(None::<Scenario>);
    Effect::new(move |_| {
        let (Some(answer), true) = (store.answer.get(), store.whole.get()) else {
            return;
        };
        ribbons::interrupt(store);
        let scenario = store.scenario.get_untracked();
        let again = needs_sweep(store, swept, &scenario);
        for (signal, now) in [(store.sweeping, again), (store.weighing, true)] {
            if signal.get_untracked() != now {
                signal.set(now);
            }
        }
        let place = pursuit.clone();
        pursuit.set(REST, move || {
            swept.set_value(Some(scenario.clone()));
            let figures = Figures::from(&answer.report);
            let work = Work {
                pursuit: place.clone(),
                store,
                sweeper: again.then(|| Sweeper::around(&scenario)),
                adviser: Adviser::new(&scenario, &figures),
            };
            match Ranks::of(&scenario) {
                Some(ranks) => place.pursue(ranks, move |ranks, done| {
                    if done {
                        store.tell_ranks(ranks.found());
                        work.sweep();
                    }
                }),
                None => work.sweep(),
            }
        });
    });
}

/// Whether the last sweep does not hold for a scenario: it differs in more than the batch size,
/// or the batch size lies outside.
fn needs_sweep(store: Store, swept: StoredValue<Option<Scenario>>, scenario: &Scenario) -> bool {
    let inside = store.sweep.with_untracked(|sweep| {
        let last = sweep.as_ref().and_then(|sweep| sweep.points.last());
        last.is_some_and(|last| scenario.micro_batch_size <= last.micro_batch_size)
    });
    let same = swept.with_value(|swept| {
        swept.as_ref().is_some_and(|swept| {
            let micro_batch_size = scenario.micro_batch_size;
            let moved = Scenario {
                micro_batch_size,
                ..swept.clone()
            };
            moved == *scenario
        })
    });
    !(inside && same)
}

impl Work {
    fn sweep(&self) {
        let Some(sweeper) = self.sweeper.clone() else {
            return self.advise();
        };
        let work = self.clone();
        self.pursuit.pursue(sweeper, move |sweeper, done| {
            if done {
                work.store.sweep.set(Some(Arc::new(sweeper.sweep())));
                work.store.sweeping.set(false);
                work.advise();
            }
        });
    }

    fn advise(&self) {
        let store = self.store;
        self.pursuit
            .pursue(self.adviser.clone(), move |adviser, done| {
                let is_new = adviser.has_remedies() && store.weighing.get_untracked();
                let room = |advice: &Option<Arc<Advice>>| Some(advice.as_ref()?.room.len());
                let shown = store.advice.with_untracked(room);
                let has_more = adviser.has_remedies() && shown < Some(adviser.advice().room.len());
                if is_new || has_more || done {
                    store.advice.set(Some(Arc::new(adviser.advice().clone())));
                }
                if is_new {
                    store.weighing.set(false);
                }
                if done {
                    ribbons::go_on(store);
                }
            });
    }
}
