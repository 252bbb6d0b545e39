//! The verdict, both bars and the binding phase in one strip, while the verdict itself is out of sight.

use crate::app::{Store, use_store};
use crate::browser;
use crate::figure::Standing;
use crate::sim::Phase;
use crate::text::{Term, Word, used_of, verdict_answer, verdict_short};
use crate::units::Bytes;
use crate::views::bars::{
    Find, Ink, ShownBar, background, device_shown, device_target, host_shown, host_target,
};
use crate::views::verdict::standing;
use crate::widgets::Bar;
use leptos::prelude::*;

/// The verdict's panel.
const VERDICT: &str = ".panes > .verdict";

/// Texts of the strip.
#[derive(Clone, PartialEq)]
struct Said {
    /// The verdict without numbers.
    short: &'static str,
    /// The whole sentence, where there is room.
    whole: String,
    /// The phase that binds.
    phase: Phase,
}

fn said(store: Store) -> Option<Said> {
    let (units, language) = (store.units.get(), store.language.get());
    store.answer.with(|answer| {
        let verdict = &answer.as_ref()?.report.verdict;
        Some(Said {
            short: verdict_short(verdict, language),
            whole: verdict_answer(verdict, units, language),
            phase: verdict.binding_phase,
        })
    })
}

/// The strip. It repeats what the page says already: assistive technology does without it, and Tab passes it by.
#[component]
pub(super) fn Strip() -> impl IntoView {
    let store = use_store();
    let away = RwSignal::new(false);
    browser::on_seen_first(VERDICT, 0, move |seen| away.set(!seen));
    let said = while_away(away, move || said(store));
    let standing = while_away(away, move || standing(store).map(Standing::name));
    let device = while_away(away, move || device_shown(store, Bytes::ZERO));
    let host = while_away(away, move || host_shown(store, Bytes::ZERO));
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let of = move |pick: fn(&Said) -> String| said.with(|said| said.as_ref().map(pick));
    let phase = Signal::derive(move || {
        let language = store.language.get();
        said.with(|said| said.as_ref().map(|said| said.phase.term(language)))
    });
    let ink = move || {
        let name = said.with(|said| said.as_ref().map(|said| said.phase.name()));
        name.map(|name| background(Ink::new("phase", name)))
    };
    let has = move || store.undo.get().is_some_and(|undo| undo.has.get());
    let back = move |_| {
        if let Some(undo) = store.undo.get_untracked() {
            undo.go.run(());
        }
    };
    view! {
        <div
            class="strip"
            aria-hidden="true"
            data-testid="strip"
            data-standing=standing
            class:shown=away
        >
            <div class="strip-box">
                <p class="strip-verdict">
                    <strong class="strip-whole">{Signal::derive(move || of(|said| said.whole.clone()))}</strong>
                    <strong class="strip-short">{Signal::derive(move || of(|said| said.short.to_owned()))}</strong>
                    <span class="strip-phase">
                        <span class="swatch" style:background=Signal::derive(ink)></span>
                        {phase}
                    </span>
                </p>
                <div class="strip-bars">
                    {row(word(Word::GpuShort), device, device_target, store)}
                    {row(word(Word::RamShort), host, host_target, store)}
                </div>
                <button
                    type="button"
                    class="quiet strip-undo"
                    tabindex="-1"
                    title=word(Word::Undo)
                    disabled=Signal::derive(move || !has())
                    on:click=back
                >
                    "\u{21b6}"
                </button>
            </div>
        </div>
    }
}

/// A value that follows only while the strip is there.
fn while_away<T>(
    away: RwSignal<bool>,
    compute: impl Fn() -> Option<T> + Send + Sync + 'static,
) -> Memo<Option<T>>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |before: Option<&Option<T>>| match before {
        Some(before) if !away.get() => before.clone(),
        _ => compute(),
    })
}

/// A memory in a line.
fn row(
    name: Signal<&'static str>,
    bar: Memo<Option<ShownBar>>,
    find: Find,
    store: Store,
) -> AnyView {
    let parts = Memo::new(move |_| {
        bar.with(|bar| bar.as_ref().map(|bar| bar.segments.clone()))
            .unwrap_or_default()
    });
    let capacity = Memo::new(move |_| bar.with(|bar| bar.as_ref().map(|bar| bar.mark.clone())));
    let current = Memo::new(move |_| bar.with(|bar| bar.as_ref()?.current(find, store)));
    let standing = move || bar.with(|bar| bar.as_ref().map(|bar| bar.standing));
    let numbers = move || {
        let units = store.units.get();
        bar.with(|bar| {
            bar.as_ref()
                .map(|bar| used_of(bar.total, bar.capacity, units))
        })
    };
    let on_point = move |key: Option<&'static str>| store.focus.point(key.and_then(find));
    let on_pick = move |key: &'static str| {
        if let Some(target) = find(key) {
            store.focus.toggle(target);
        }
    };
    view! {
        <div class="strip-row" data-standing=Signal::derive(standing)>
            <span class="strip-name">{name}</span>
            <Bar
                name=Signal::stored(String::new())
                segments=parts
                capacity
                ghost=Signal::stored(None)
                current
                on_point
                on_pick
            />
            <span class="strip-numbers">{Signal::derive(numbers)}</span>
        </div>
    }
    .into_any()
}
