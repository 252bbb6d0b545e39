//! How sure the answer is about the job that was opened.

use super::store::Store;
use crate::ask::{Fix, Scenario};
use crate::browser::Timer;
use crate::codec::change_of;
use crate::configs::Approximation;
use crate::report::Otherwise;
use crate::text::{self, ByteUnits, Language};
use leptos::prelude::*;
use std::time::Duration;

/// An answer rests so long before the most that its job may take is estimated: while a slider moves nobody reads it.
const REST: Duration = Duration::from_millis(150);

/// Keeps the words about how sure the answer is: of each answer that rests, since the most that versions of a trainer
/// take needs estimates of its own.
pub fn follow_certainty(store: Store) {
    let rest = Timer::default();
    Effect::new(move |_| {
        store.settled.track();
        let (units, language) = (store.units.get(), store.language.get());
        let is_sure = store.approximated.with(Vec::is_empty);
        let tell = move || {
            let words = untrack(|| words(store, units, language));
            if store.certainty.with_untracked(|now| *now != words) {
                store.certainty.set(words);
            }
        };
        if is_sure {
            rest.clear();
            tell();
        } else {
            rest.set(REST, tell);
        }
    });
}

fn words(store: Store, units: ByteUnits, language: Language) -> String {
    let all = store.approximated.get();
    let (Some(estimate), false) = (store.settled.get(), all.is_empty()) else {
        return String::new();
    };
    store.answered.with(|scenario| {
        let (all, changes) = open_of(&all, scenario);
        let report = &estimate.report;
        let otherwise = (!changes.is_empty())
            .then(|| Otherwise::of(report, scenario, &changes))
            .flatten();
        let device = &report.verdict.device;
        text::certainty(&all, otherwise.as_ref(), device, units, language)
    })
}

/// The part of `all` that the reader has not decided otherwise since, with the changes of those whose difference can be
/// estimated.
fn open_of(all: &[Approximation], scenario: &Scenario) -> (Vec<Approximation>, Vec<Fix>) {
    let is_decided = |change: &Fix| change.apply(scenario).is_none_or(|same| same == *scenario);
    let mut open = all.to_vec();
    open.retain(|own| !change_of(own).is_some_and(|change| is_decided(&change)));
    let changes = open.iter().filter_map(change_of).collect();
    (open, changes)
}
