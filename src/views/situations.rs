//! Situations that people ask about, each a link.

use crate::app::{query_of_scenario, use_store, visit};
use crate::catalog::{SITUATIONS, Situation};
use crate::codec::decode_json;
use crate::text::{Language, Word};
use crate::widgets::Menu;
use leptos::prelude::*;

/// The menu of situations.
#[component]
pub(super) fn Situations() -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let link = move |situation: &'static Situation| {
        let (scenario, _) = decode_json(situation.scenario);
        let query = query_of_scenario(store, &scenario);
        let href = format!("?{query}");
        let chosen = store.scenario.with_untracked(|now| *now == scenario);
        let (english, chinese) = situation.question;
        view! {
            <li>
                <a
                    href=href
                    aria-current=chosen.then_some("true")
                    on:click=move |event| {
                        event.prevent_default();
                        open.set(false);
                        visit(store, &query);
                    }
                >
                    {match store.language.get_untracked() {
                        Language::English => english,
                        Language::Chinese => chinese,
                    }}
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
