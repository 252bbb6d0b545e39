//! On or off.

use super::tell;
use leptos::prelude::*;

/// On or off.
#[component]
pub fn Switch(
    /// The element's id.
    id: &'static str,
    /// Whether it is on.
    #[prop(into)]
    on: Signal<bool>,
    /// Whether it has no effect.
    #[prop(into)]
    disabled: Signal<bool>,
    /// It was switched.
    #[prop(into)]
    on_switch: Callback<bool>,
) -> impl IntoView {
    view! {
        <input
            class="switch"
            type="checkbox"
            role="switch"
            id=id
            prop:checked=on
            disabled=disabled
            aria-describedby=format!("{id}-note {id}-problem")
            on:change:target=move |event| tell(on_switch, event.target().checked())
        />
    }
}
