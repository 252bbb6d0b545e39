//! Assumptions of the answer: the known limitations of the rooms that model something.

use crate::app::use_store;
use crate::text::{Language, Word, guide_page};
use crate::units::Limitation;
use crate::{host, sim};
use leptos::prelude::*;

/// The panel.
#[component]
pub(super) fn AssumptionsPanel() -> impl IntoView {
    let store = use_store();
    let line = move |limitation: &'static Limitation| {
        let text = move || match store.language.get() {
            Language::English => limitation.english,
            Language::Chinese => limitation.chinese,
        };
        view! { <li>{text}</li> }
    };
    view! {
        <section class="card figure" data-testid="assumptions" aria-labelledby="assumptions-title">
            <header class="figure-head">
                <h2 id="assumptions-title">
                    {Signal::derive(move || Word::AssumptionsTitle.text(store.language.get()))}
                </h2>
            </header>
            <h3>{move || Word::Vram.text(store.language.get())}</h3>
            <ul class="sentences">
                {sim::KNOWN_LIMITATIONS.iter().map(line).collect_view()}
            </ul>
            <h3>{move || Word::Ram.text(store.language.get())}</h3>
            <ul class="sentences">
                {host::KNOWN_LIMITATIONS.iter().map(line).collect_view()}
            </ul>
            <p>
                <a href=move || guide_page("assumptions", store.language.get())>
                    {move || Word::InGuide.text(store.language.get())}
                </a>
            </p>
        </section>
    }
}
