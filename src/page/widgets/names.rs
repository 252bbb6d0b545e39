//! A text box for a list, with names that can be put into it by a click.

use super::tell;
use super::text_box::TextBox;
use leptos::prelude::*;

/// A text, and names that are offered.
#[component]
pub fn Names(
    /// The text box's id.
    id: &'static str,
    /// The list's accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// The names on offer, and whether each is in the list.
    #[prop(into)]
    offered: Signal<Vec<(String, bool)>>,
    /// Whether it has no effect.
    #[prop(into)]
    disabled: Signal<bool>,
    /// Whether the text is wrong.
    #[prop(into)]
    invalid: Signal<bool>,
    /// Something was typed.
    #[prop(into)]
    on_text: Callback<String>,
    /// Something that is offered was clicked.
    #[prop(into)]
    on_toggle: Callback<String>,
) -> impl IntoView {
    let typing = RwSignal::new(None::<String>);
    let name = move |(name, _): (String, bool)| {
        let own = name.clone();
        let on = Signal::derive(move || {
            offered.with(|all| all.iter().any(|(name, on)| *on && *name == own))
        });
        let clicked = name.clone();
        let named = name.clone();
        view! {
            <button
                type="button"
                class="chip"
                aria-label=Signal::derive(move || format!("{}: {named}", label.get()))
                aria-pressed=Signal::derive(move || on.get().to_string())
                on:click=move |_| tell(on_toggle, clicked.clone())
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="names">
            <TextBox id stop=true typing text disabled invalid on_text />
            <div
                class="chips"
                role="group"
                aria-label=label
                hidden=Signal::derive(move || offered.with(Vec::is_empty))
            >
                <For each=move || offered.get() key=|(name, _)| name.clone() children=name />
            </div>
        </div>
    }
}
