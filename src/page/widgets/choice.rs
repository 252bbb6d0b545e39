//! A choice of one of several.

use super::tell;
use leptos::prelude::*;

/// One of the choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value that is called back.
    pub value: String,
    /// The text that is shown.
    pub label: String,
    /// Whether it cannot be chosen.
    pub disabled: bool,
}

impl Choice {
    /// A value under a label.
    pub fn new(value: String, label: &str) -> Self {
        Self {
            value,
            label: label.to_owned(),
            disabled: false,
        }
    }
}

/// A choice of one of several.
#[component]
pub fn Choices(
    /// The element's id.
    id: &'static str,
    /// Whether it is in the frame of a control, whose messages describe it.
    #[prop(default = true)]
    framed: bool,
    /// The choices.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// The value chosen.
    #[prop(into)]
    value: Signal<String>,
    /// Whether it has no effect.
    #[prop(into)]
    disabled: Signal<bool>,
    /// Another value was chosen.
    #[prop(into)]
    on_choice: Callback<String>,
) -> impl IntoView {
    // The options stay as they are where others are not offered.
    let choices = Memo::new(move |_| choices.get());
    let option = move |choice: Choice| {
        let own = choice.value.clone();
        view! {
            <option
                value=choice.value
                disabled=choice.disabled
                prop:selected=Signal::derive(move || value.with(|chosen| *chosen == own))
            >
                {choice.label}
            </option>
        }
    };
    view! {
        <select
            class="choices"
            id=id
            disabled=disabled
            aria-describedby=framed.then(|| format!("{id}-note {id}-problem"))
            on:change:target=move |event| tell(on_choice, event.target().value())
        >
            {move || choices.get().into_iter().map(option).collect_view()}
        </select>
    }
}
