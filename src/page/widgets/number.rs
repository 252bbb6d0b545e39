//! A slider and a text box that show the same number. Tab stops at the slider; a digit or Enter on it leads into the
//! box (`browser::type_from_sliders`).

use super::tell;
use super::text_box::TextBox;
use leptos::prelude::*;

/// A number to be dragged or typed.
#[component]
pub fn Number(
    /// The text box's id; the slider's has `-slider` after it.
    id: &'static str,
    /// The slider's accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// The value as text, and as the slider announces it.
    #[prop(into)]
    text: Signal<String>,
    /// How many steps the slider has.
    steps: usize,
    /// The step nearest to the value.
    #[prop(into)]
    step: Signal<usize>,
    /// Whether it has no effect.
    #[prop(into)]
    disabled: Signal<bool>,
    /// Whether the value is wrong.
    #[prop(into)]
    invalid: Signal<bool>,
    /// The slider moved to a step.
    #[prop(into)]
    on_step: Callback<usize>,
    /// Something was typed.
    #[prop(into)]
    on_text: Callback<String>,
) -> impl IntoView {
    let typing = RwSignal::new(None::<String>);
    let last = steps.saturating_sub(1);
    let share = move || format!("{:.4}", step.get() as f64 / last.max(1) as f64);
    view! {
        <div class="number">
            <input
                class="slider"
                type="range"
                id=format!("{id}-slider")
                min="0"
                max=last.to_string()
                step="1"
                prop:value=Signal::derive(move || step.get().to_string())
                style:--at=share
                disabled=disabled
                aria-label=label
                aria-valuetext=text
                aria-describedby=format!("{id}-note")
                on:input:target=move |event| {
                    typing.set(None);
                    if let Ok(step) = event.target().value().parse() {
                        tell(on_step, step);
                    }
                }
            />
            <TextBox id stop=false typing text disabled invalid on_text />
        </div>
    }
}
