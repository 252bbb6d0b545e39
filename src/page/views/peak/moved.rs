//! The note that the peak has moved to another phase.

use crate::app::{Store, use_store};
use crate::browser::Timer;
use crate::codec;
use crate::figure::crossed;
use crate::report::Estimate;
use crate::sim::Phase;
use crate::text::{Language, PeakMove, Word, peak_moved, peak_moved_aloud};
use leptos::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long the peak must rest before its move is announced.
const REST: Duration = Duration::from_millis(700);

/// A move of the peak in the last gesture.
#[derive(Clone, PartialEq)]
struct Moved {
    key: &'static str,
    from: Phase,
    to: Phase,
    /// The value of the setting at which it moved.
    at: Value,
}

impl Moved {
    fn say(&self, say: fn(PeakMove, Language) -> String, language: Language) -> String {
        let kind = codec::key(self.key).map(|key| key.kind);
        let at = kind.filter(|_| self.at.is_number());
        let at = at.map(|kind| kind.write(&self.at));
        let moved = PeakMove {
            from: self.from,
            to: self.to,
            at: at.as_deref(),
        };
        say(moved, language)
    }
}

/// The peak at the last answer.
#[derive(Clone)]
struct Seen {
    answer: Arc<Estimate>,
    key: &'static str,
    micro_batch: u64,
    moved: Option<Moved>,
}

impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.answer, &other.answer)
            && self.key == other.key
            && self.moved == other.moved
    }
}

/// The move of the peak since the last gesture began, where its setting is a setting of its own.
fn see(store: Store, before: Option<&Seen>) -> Option<Seen> {
    let answer = store.answer.get()?;
    let ghost = store.ghost.get();
    let key = store.gesture_key().or(before.map(|seen| seen.key))?;
    let to = answer.report.device.binding().phase;
    let from = ghost.map_or(to, |ghost| ghost.peak.0);
    let micro_batch = store.answered_micro_batch();
    let moved = (from != to && !key.is_empty()).then(|| {
        let known = before.and_then(|seen| seen.moved.clone());
        let is_it = |known: &Moved| (known.key, known.from, known.to) == (key, from, to);
        known.filter(is_it).unwrap_or_else(|| {
            let last = before.map_or(micro_batch, |seen| seen.micro_batch);
            let exact = (key == "micro_batch_size").then(|| {
                store.sweep.with_untracked(|sweep| {
                    crossed(sweep.as_deref()?, to, last, micro_batch).map(Value::from)
                })
            });
            let at = exact.flatten();
            let at = at.unwrap_or_else(|| store.answered_value(key));
            Moved { key, from, to, at }
        })
    });
    Some(Seen {
        answer,
        key,
        micro_batch,
        moved,
    })
}

/// The note, at the edge of the verdict: it takes no room. It stays until a gesture does not move the peak.
#[component]
pub(in crate::views) fn MovedNote() -> impl IntoView {
    let store = use_store();
    let seen =
        Memo::new(move |before: Option<&Option<Seen>>| see(store, before.and_then(Option::as_ref)));
    let moved = Memo::new(move |_| seen.with(|seen| seen.as_ref()?.moved.clone()));
    let dismissed = RwSignal::new(None::<Moved>);
    let (announced, rest) = (RwSignal::new(String::new()), Timer::default());
    Effect::new(move |_| {
        let now = moved.get();
        if now != dismissed.get_untracked() {
            dismissed.set(None);
        }
        let language = store.language.get_untracked();
        let said = now.map(|moved| moved.say(peak_moved_aloud, language));
        rest.set(REST, move || {
            let _ = announced.try_set(said.unwrap_or_default());
        });
    });
    let shown = move || {
        moved
            .get()
            .filter(|moved| dismissed.get().as_ref() != Some(moved))
    };
    let said = move || shown().map(|moved| moved.say(peak_moved, store.language.get()));
    view! {
        <p class="unseen" role="status" data-testid="moved-aloud">{announced}</p>
        <Show when=move || shown().is_some()>
            <p class="moved" data-testid="moved">
                <span>{said}</span>
                <button
                    type="button"
                    aria-label=Signal::derive(move || Word::Dismiss.text(store.language.get()))
                    on:click=move |_| dismissed.set(moved.get_untracked())
                >
                    "\u{d7}"
                </button>
            </p>
        </Show>
    }
}
