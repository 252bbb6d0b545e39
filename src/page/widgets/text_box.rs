//! A text box that shows a value, and the text being typed until it is left.

use super::tell;
use leptos::prelude::*;

/// A value as text.
#[component]
pub(super) fn TextBox(
    /// Its id; a note and a problem are `-note` and `-problem` after it.
    id: &'static str,
    /// Whether Tab stops at it.
    stop: bool,
    /// The text that is being typed.
    typing: RwSignal<Option<String>>,
    /// The value as text.
    text: Signal<String>,
    /// Whether it has no effect.
    disabled: Signal<bool>,
    /// Whether the value is wrong.
    invalid: Signal<bool>,
    /// Something was typed.
    on_text: Callback<String>,
) -> impl IntoView {
    view! {
        <input
            class="box"
            type="text"
            inputmode="text"
            autocomplete="off"
            spellcheck="false"
            autocapitalize="off"
            id=id
            tabindex=(!stop).then_some("-1")
            prop:value=Signal::derive(move || typing.get().unwrap_or_else(|| text.get()))
            disabled=disabled
            aria-invalid=Signal::derive(move || invalid.get().to_string())
            aria-describedby=format!("{id}-note {id}-problem")
            on:input:target=move |event| {
                let value = event.target().value();
                typing.set(Some(value.clone()));
                tell(on_text, value);
            }
            on:blur=move |_| typing.set(None)
        />
    }
}
