//! Scales that hold still while a number is being dragged.

use crate::app::Store;
use crate::codec::{self, Kind};
use crate::figure::Held;
use crate::report::Estimate;
use crate::units::Bytes;
use leptos::prelude::*;

/// The need of a run that a scale shows.
type Need = fn(Store, &Estimate) -> Bytes;

/// The least that the scale of a need shows while a gesture lasts.
pub(in crate::views) fn held(store: Store, need: Need) -> Memo<Option<Bytes>> {
    let held = Memo::new(move |before: Option<&Option<Held>>| {
        let whole = store.whole.get();
        whole.then(|| next(store, before.copied().flatten().as_ref(), need))?
    });
    Memo::new(move |_| held.get().and_then(Held::least))
}

#[inline(never)] // The first visit does without it.
fn next(store: Store, before: Option<&Held>, need: Need) -> Option<Held> {
    let key = store.gesture_key().and_then(codec::key);
    let going = key.is_some_and(|key| matches!(key.kind, Kind::Count | Kind::Tokens | Kind::Bytes));
    store.answer.with(|answer| {
        let need = need(store, answer.as_ref()?);
        Some(Held::next(before, need, going))
    })
}
