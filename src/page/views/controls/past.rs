//! Undo and redo, and the list of changes.

use crate::app::{Change, Past, Store, Way, use_store};
use crate::ask::Scenario;
use crate::codec::{Difference, differences};
use crate::text::{Language, Word, and_more, setting_name};
use crate::views::value::short_text;
use crate::widgets::Menu;
use leptos::prelude::*;

/// Changes in the list.
const LISTED: usize = 20;
/// Settings of one change that are named.
const NAMED: usize = 2;

/// The arrows back and forth, and the list.
#[component]
pub(super) fn PastTools() -> impl IntoView {
    let store = use_store();
    let past = Past::new(store);
    let open = RwSignal::new(false);
    let arrow = move |way: Way, sign: &'static str, word: Word| {
        let label = Signal::derive(move || word.text(store.language.get()));
        view! {
            <button
                type="button"
                aria-label=label
                title=label
                disabled=Signal::derive(move || !past.has(way))
                on:click=move |_| past.go(way, 1)
            >
                {sign}
            </button>
        }
    };
    view! {
        <div class="toggle" role="group" aria-label=Signal::derive(move || Word::Changes.text(store.language.get()))>
            {arrow(Way::Back, "\u{21b6}", Word::Undo)}
            {arrow(Way::Forth, "\u{21b7}", Word::Redo)}
        </div>
        <Menu
            id="changes"
            label=Signal::derive(move || Word::Changes.text(store.language.get()))
            open
            content=ViewFn::from(move || list(past, open, store))
        />
    }
}

/// The last changes, the latest first: a click takes back all up to it.
fn list(past: Past, open: RwSignal<bool>, store: Store) -> AnyView {
    let language = store.language.get();
    let changes = past.changes(LISTED);
    if changes.is_empty() {
        return view! { <p>{Word::NoChanges.text(language)}</p> }.into_any();
    }
    let line = |(index, change): (usize, &Change)| {
        let steps = index.saturating_add(1);
        let go = move |_| {
            open.set(false);
            past.go(Way::Back, steps);
        };
        view! {
            <li>
                <button type="button" class="quiet" on:click=go>{said(&change.from, &change.to, language)}</button>
            </li>
        }
    };
    view! {
        <p>{Word::TakeBackTo.text(language)}</p>
        <ol class="changes">{changes.iter().enumerate().map(line).collect_view()}</ol>
    }
    .into_any()
}

/// A change in words: "Micro-batch 4 → 8, Sequence length 256 → 512 and 3 more".
fn said(from: &Scenario, to: &Scenario, language: Language) -> String {
    let all = differences(from, to);
    let one = |of: &Difference| {
        let key = of.key.path;
        let [a, b] = [&of.a, &of.b].map(|value| short_text(key, value, language));
        format!("{} {a} \u{2192} {b}", setting_name(key, language))
    };
    let named: Vec<String> = all.iter().take(NAMED).map(one).collect();
    and_more(&named, all.len().saturating_sub(NAMED), language)
}
