//! Situations that people ask about, each a link.

use crate::app::{query_of_two, use_store, visit};
use crate::catalog::{Situation, SituationGroup, situation, situations_of};
use crate::codec::decode_json;
use crate::widgets::Menu;
use leptos::prelude::*;

/// The menu of situations.
#[component]
pub(super) fn Situations(
    /// The panel's id.
    id: &'static str,
    /// The button's label.
    label: Signal<&'static str>,
) -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let link = move |of: &'static Situation| {
        let (scenario, _) = decode_json(of.scenario);
        let against = of.against.and_then(situation);
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
                        store.forget_job();
                        visit(store, &query);
                        // The totals of another run say nothing of this one.
                        store.ghost.set(None);
                    }
                >
                    {store.language.get_untracked().of(of.question)}
                    <small>{store.language.get_untracked().of(of.look_at)}</small>
                </a>
            </li>
        }
    };
    // Its scenarios are read when it is opened, not before the first estimate is on screen.
    let group = move |group: SituationGroup| {
        let title = store.language.get_untracked().of(group.title());
        let id = format!("{id}-{}", group.name());
        let labelled = id.clone();
        view! {
            <p class="menu-title" id=id>{title}</p>
            <ul aria-labelledby=labelled>{situations_of(group).map(link).collect_view()}</ul>
        }
    };
    let list = move || {
        SituationGroup::ALL
            .iter()
            .map(|&all| group(all))
            .collect_view()
    };
    view! {
        <Menu id label open content=ViewFn::from(list) />
    }
}
