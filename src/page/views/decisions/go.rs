//! Buttons that lead from a decision to its scenario.

use crate::app::{Store, query_of_scenario, query_of_two, use_drawer, visit};
use crate::ask::Scenario;
use crate::text::Word;
use leptos::prelude::*;

/// A button that goes to a scenario; Back returns.
pub(in crate::views) fn go_button(
    store: Store,
    word: Word,
    scenario: Scenario,
    name: String,
) -> AnyView {
    let go = move || {
        store.scenario.with_untracked(|now| use_drawer().tries(now));
        visit(store, &query_of_scenario(store, &scenario));
    };
    button(store, word, name, go)
}

/// A button that puts a scenario beside the one on screen.
pub(super) fn compare_button(store: Store, scenario: Scenario, name: String) -> AnyView {
    let compare = move || {
        let now = store.scenario.get_untracked();
        visit(store, &query_of_two(store, &scenario, Some(now)));
    };
    button(store, Word::Against, name, compare)
}

fn button(store: Store, word: Word, name: String, press: impl Fn() + 'static) -> AnyView {
    view! {
        <button type="button" class="quiet" on:click=move |_| press()>
            {word.text(store.language.get())} <span class="unseen">": " {name}</span>
        </button>
    }
    .into_any()
}
