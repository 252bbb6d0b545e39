//! Tabs: one of several contents is shown.

use crate::browser;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

/// One of them.
#[derive(Clone)]
pub struct Tab {
    /// Its stable name.
    pub key: &'static str,
    /// Its label.
    pub label: Signal<String>,
    /// Its panel.
    pub content: ViewFn,
}

/// Tabs with arrow keys between them; the chosen one's content is made when it is chosen.
#[component]
pub fn Tabs(
    /// Prefix of the ids inside.
    id: &'static str,
    /// The accessible name of the tabs.
    #[prop(into)]
    name: Signal<String>,
    /// The tabs, in order.
    tabs: Vec<Tab>,
) -> impl IntoView {
    let chosen = RwSignal::new(0);
    let list = NodeRef::<html::Div>::new();
    let last = tabs.len().saturating_sub(1);
    let walk = move |event: KeyboardEvent| {
        let at = chosen.get_untracked();
        let to = match event.key().as_str() {
            "ArrowRight" => (at + 1).min(last),
            "ArrowLeft" => at.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        chosen.set(to);
        if let Some(list) = list.get_untracked() {
            browser::focus_within(&list, to);
        }
    };
    let heads = tabs
        .iter()
        .enumerate()
        .map(|(at, tab)| {
            let stop = move || if chosen.get() == at { "0" } else { "-1" };
            view! {
                <button
                    type="button"
                    role="tab"
                    id=format!("{id}-tab-{}", tab.key)
                    aria-controls=format!("{id}-tabpanel")
                    aria-selected=Signal::derive(move || (chosen.get() == at).to_string())
                    tabindex=stop
                    on:click=move |_| chosen.set(at)
                >
                    {tab.label}
                </button>
            }
        })
        .collect_view();
    let keys: Vec<&'static str> = tabs.iter().map(|tab| tab.key).collect();
    let labelled = move || keys.get(chosen.get()).map(|key| format!("{id}-tab-{key}"));
    view! {
        <div class="tabs" role="tablist" aria-label=name node_ref=list on:keydown=walk>
            {heads}
        </div>
        <div class="tab-content" role="tabpanel" id=format!("{id}-tabpanel") aria-labelledby=labelled>
            {move || tabs.get(chosen.get()).map(|tab| tab.content.run())}
        </div>
    }
}
