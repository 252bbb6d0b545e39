//! Situations that people ask about, each a link.

use crate::app::{query_of_two, use_store, visit};
use crate::catalog::{SITUATIONS, Situation};
use crate::codec::decode_json;
use crate::text::Word;
use crate::widgets::Menu;
use leptos::prelude::*;

fn situation_named(id: &str) -> Option<&'static Situation> {
    SITUATIONS.iter().find(|situation| situation.id == id)
}

/// The menu of situations.
#[component]
pub(super) fn Situations() -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let link = move |situation: &'static Situation| {
        let (scenario, _) = decode_json(situation.scenario);
        let against = situation.against.and_then(situation_named);
        let against = against.map(|other| decode_json(other.scenario).0);
        let query = query_of_two(store, &scenario, against);
        let href = format!("?{query}");
        let chosen = store.scenario.with_untracked(|now| *now == scenario);
        view! {
            <li>
                <a
                    href=href
                    aria-current=chosen.then_some("true")
                    on:click=move |event| {
                        event.prevent_default();
                        open.set(false);
                        visit(store, &query);
                        // The totals of another run say nothing of this one.
                        store.ghost.set(None);
                    }
                >
                    {store.language.get_untracked().of(situation.question)}
                </a>
            </li>
        }
    };
    // Its scenarios are read when it is opened, not before the first estimate is on screen.
    let list = move || {
        view! { <ul>{SITUATIONS.iter().map(link).collect_view()}</ul> }
    };
    view! {
        <Menu
            id="situations"
            label=Signal::derive(move || Word::Situations.text(store.language.get()))
            open
            content=ViewFn::from(list)
        />
    }
}
