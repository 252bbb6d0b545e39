//! Help in place: a small button that opens a note below it, by mouse, touch or keys.

use leptos::prelude::*;

/// A note to be opened. Of all notes at most one is open.
#[component]
pub fn Help(
    /// What the button is called.
    #[prop(into)]
    name: Signal<String>,
    /// What it says.
    #[prop(into)]
    text: Signal<String>,
    /// The symbol in formulas, or none.
    symbol: &'static str,
    /// Where it comes from.
    source: &'static str,
) -> impl IntoView {
    view! {
        <details class="help" name="help">
            <summary aria-label=name title=text>"?"</summary>
            <div class="help-note">
                <p>{text}</p>
                <p class="help-source">
                    {(!symbol.is_empty()).then(|| view! { <code>{symbol}</code> " \u{b7} " })}
                    {source}
                </p>
            </div>
        </details>
    }
}
