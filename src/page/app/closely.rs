//! For whoever looks closely: the run in detail, and the timeline of the events zoomed into.

use super::estimates;
use super::store::Store;
use crate::browser::Timer;
use crate::report::Detail;
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// How long the scenario must rest before it is run again.
const REST: Duration = Duration::from_millis(120);

/// Runs the answer's scenario in detail while a panel wants it, something is pinned or the timeline is zoomed, and
/// leaves the zoom when the program is another one.
pub(super) fn follow(store: Store) {
    let rest = Timer::default();
    let wanted = Memo::new(move |_| {
        let zoomed = || store.window.with(Option::is_some);
        store.looking.get() || store.focus.pinned().is_some() || zoomed()
    });
    Effect::new(move |_| {
        store.answer.track();
        if store.closer.with_untracked(Option::is_some) {
            store.closer.set(None);
        }
        if !wanted.get() {
            return;
        }
        rest.set(REST, move || {
            if !untrack(|| store.is_stale()) {
                let detail = store.answered.with_untracked(Detail::of);
                store.detail.set(detail.map(Arc::new));
            }
        });
    });
    let rest = Timer::default();
    Effect::new(move |_| {
        let shares = store.settled.with(|answer| {
            let answer = answer.as_ref();
            answer.is_some_and(|answer| answer.shares_streams)
        });
        if store.lagging.with_untracked(Option::is_some) {
            store.lagging.set(None);
        }
        if !shares || !store.whole.get() {
            return;
        }
        rest.set(REST, move || {
            if !untrack(|| store.is_stale()) {
                let asked = store.answered.get_untracked();
                estimates::ask_lagging(asked.clone(), move |found| {
                    if store.answered.with_untracked(|now| *now == asked) {
                        store.lagging.set(found);
                    }
                });
            }
        });
    });
    Effect::new(move |_| {
        let window = store.window.get();
        let closer = store.detail.with(|detail| {
            let (detail, (start, end)) = (detail.as_ref()?, window?);
            Some(Arc::new(detail.timeline(start..end)))
        });
        if closer.is_some() || store.closer.with_untracked(Option::is_some) {
            store.closer.set(closer);
        }
    });
    let spans = Memo::new(move |_| {
        store
            .settled
            .with(|answer| answer.as_ref().map(|e| e.timeline.spans.clone()))
    });
    Effect::new(move |before: Option<()>| {
        spans.with(|_| ());
        if before.is_some() {
            store.window.set(None);
            store.closer.set(None);
        }
    });
}
