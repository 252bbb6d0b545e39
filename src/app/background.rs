//! What is computed off the critical path: the ranks that differ, the peak by batch size, and what to
//! change.
//!
//! One run of the model at a time, between frames; it starts when the reader rests and is given
//! up when something changes.

use super::store::Store;
use crate::ask::Scenario;
use crate::browser::{Timer, timed};
use crate::decide::{Adviser, Sweeper};
use crate::report::Ranks;
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// How long the scenario must rest before anything starts.
const REST: Duration = Duration::from_millis(160);

/// How long the browser gets between two runs.
const PAUSE: Duration = Duration::from_millis(4);

/// After a run that takes longer the browser gets as long as that.
const LONG: Duration = Duration::from_millis(40);

/// What is still to be computed for one answer.
struct Work {
    ranks: Option<Ranks>,
    sweeper: Option<Sweeper>,
    adviser: Adviser,
}

/// Computes them for each new answer.
pub(super) fn follow(store: Store) {
    let timer = Timer::default();
    let swept = StoredValue::new(None::<Scenario>);
    Effect::new(move |_| {
        let (Some(answer), true) = (store.answer.get(), store.whole.get()) else {
            return;
        };
        let scenario = store.scenario.get_untracked();
        let again = needs_sweep(store, swept, &scenario);
        for (signal, now) in [(store.sweeping, again), (store.weighing, true)] {
            if signal.get_untracked() != now {
                signal.set(now);
            }
        }
        let next = timer.clone();
        timer.set(REST, move || {
            swept.set_value(Some(scenario.clone()));
            let work = Work {
                ranks: Ranks::of(&scenario),
                sweeper: again.then(|| Sweeper::around(&scenario)),
                adviser: Adviser::new(&scenario, &answer.report),
            };
            go_on(store, &next, work);
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

/// One run, then the next after a pause, unless another change is to be answered first.
fn go_on(store: Store, timer: &Timer, mut work: Work) {
    let (goes_on, took) = timed(|| advance(store, &mut work));
    if goes_on {
        let pause = if took > LONG { took } else { PAUSE };
        let next = timer.clone();
        timer.set(pause, move || go_on(store, &next, work));
    }
}

/// Makes one run; false when nothing is left to do.
fn advance(store: Store, work: &mut Work) -> bool {
    if let Some(ranks) = &mut work.ranks {
        if !ranks.advance() {
            store.tell_ranks(ranks.found());
            work.ranks = None;
        }
    } else if let Some(sweeper) = &mut work.sweeper {
        if !sweeper.advance() {
            store.sweep.set(Some(Arc::new(sweeper.sweep())));
            store.sweeping.set(false);
            work.sweeper = None;
        }
    } else {
        let goes_on = work.adviser.advance();
        let is_new = work.adviser.has_remedies() && store.weighing.get_untracked();
        if is_new || !goes_on {
            store
                .advice
                .set(Some(Arc::new(work.adviser.advice().clone())));
        }
        if is_new {
            store.weighing.set(false);
        }
        return goes_on;
    }
    true
}
