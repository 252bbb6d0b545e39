//! A name in a table that previews and pins what it names in every figure.

use crate::app::{Target, use_store};
use leptos::prelude::*;

/// The name, in `children`. The cell or row around it says what the pointer does.
#[component]
pub(super) fn Pin(
    /// The target that the name refers to.
    target: Target,
    /// The full name, where the name alone does not say it.
    #[prop(optional)]
    title: Option<&'static str>,
    children: Children,
) -> impl IntoView {
    let store = use_store();
    view! {
        <button
            type="button"
            class="column-head"
            title=title
            aria-pressed=Signal::derive(move || store.focus.is_pinned(target).to_string())
            on:focus=move |_| store.focus.point(Some(target))
            on:blur=move |_| store.focus.point(None)
            on:click=move |_| store.focus.toggle(target)
        >
            {children()}
        </button>
    }
}
