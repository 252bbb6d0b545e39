//! The frame of a control: label, help, why it is disabled, its problem and the fix.

use super::{Help, HelpText, tell};
use leptos::prelude::*;

/// A problem with a control's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The reason, and the allowed values.
    pub message: String,
    /// Whether there is no answer until it is repaired.
    pub blocking: bool,
    /// The label of the repair's button, when there is a repair.
    pub fix: Option<String>,
}

/// The frame of a control.
#[component]
pub fn Field(
    /// The id of the control inside; messages have it as a prefix.
    id: &'static str,
    /// Whether it takes half of the width.
    half: bool,
    /// The control's label.
    #[prop(into)]
    label: Signal<String>,
    /// The control's help.
    help: Signal<HelpText>,
    /// Why it has no effect, if it has none.
    #[prop(into)]
    idle: Signal<Option<String>>,
    /// The problem with its value.
    #[prop(into)]
    problem: Signal<Option<Problem>>,
    /// The repair was clicked.
    #[prop(into)]
    on_fix: Callback<()>,
    /// The control.
    children: Children,
) -> impl IntoView {
    let fix = move || problem.get().and_then(|p| p.fix);
    view! {
        <div
            class="field"
            class:half=half
            class:idle=Signal::derive(move || idle.get().is_some())
            class:wrong=Signal::derive(move || problem.get().is_some_and(|p| p.blocking))
        >
            <label class="field-label" for=id>
                {label}
            </label>
            {children()}
            <Help name=label text=help />
            <p class="field-note" id=format!("{id}-note") hidden=Signal::derive(move || idle.get().is_none())>
                {idle}
            </p>
            <p
                class="field-problem"
                id=format!("{id}-problem")
                hidden=Signal::derive(move || problem.get().is_none())
            >
                <span>{Signal::derive(move || problem.get().map(|p| p.message))}</span>
                <Show when=move || fix().is_some()>
                    <button type="button" class="fix" on:click=move |_| tell(on_fix, ())>
                        {fix}
                    </button>
                </Show>
            </p>
        </div>
    }
}
