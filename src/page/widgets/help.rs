//! Help in place: a small button that opens a note below it, by mouse, touch or keys.

use leptos::prelude::*;

/// The content of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpText {
    /// A sentence.
    pub sentence: &'static str,
    /// The symbol in formulas, or none.
    pub symbol: &'static str,
    /// The source.
    pub source: &'static str,
    /// The address of a page that says more.
    pub more: String,
    /// The text of the link to that page.
    pub more_name: &'static str,
}

/// A note to be opened, which is made when someone comes near. Of all notes at most one is open.
#[component]
pub fn Help(
    /// The subject of the note: the button's accessible name is this and its text.
    #[prop(into)]
    name: Signal<String>,
    /// The note's content.
    text: Signal<HelpText>,
) -> impl IntoView {
    let near = RwSignal::new(false);
    let comes_near = move || {
        if near.try_get_untracked() == Some(false) {
            near.set(true);
        }
    };
    let said = move || near.get().then(|| text.get());
    let note = |text: HelpText| {
        view! {
            <p>{text.sentence}</p>
            <p class="help-source">
                {(!text.symbol.is_empty()).then(|| view! { <code>{text.symbol}</code> " \u{b7} " })}
                {text.source}
            </p>
            <p>
                <a href=text.more target="_blank">
                    {text.more_name}
                </a>
            </p>
        }
    };
    view! {
        <details
            class="help"
            name="help"
            on:pointerenter=move |_| comes_near()
            on:focusin=move |_| comes_near()
            // Not `toggle`: it comes in a task of its own, when the note may have left the page.
            on:click=move |_| comes_near()
        >
            <summary
                aria-label=Signal::derive(move || format!("{} ?", name.get()))
                title=Signal::derive(move || said().map(|text| text.sentence))
            >
                "?"
            </summary>
            <div class="help-note">{move || said().map(note)}</div>
        </details>
    }
}
