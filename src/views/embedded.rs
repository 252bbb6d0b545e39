//! The compact widget in somebody else's page.

use super::compare::{Bars, ComparedPanel};
use super::controls::setting;
use super::notices::Notices;
use super::phases::PhasesPanel;
use super::setting::Setting;
use super::verdict::VerdictPanel;
use crate::app::{query_of, use_store};
use crate::browser;
use crate::codec::WidgetControls;
use crate::text::Word;
use leptos::prelude::*;

/// The compact widget.
#[component]
pub(super) fn Embedded() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let whole = move || browser::href_with(&query_of(store, false));
    let settings = store.controls.keys().iter().filter_map(|key| setting(key));
    let title = move || {
        store
            .answer
            .with(|answer| answer.as_ref().map(|e| e.report.model.name.clone()))
    };
    view! {
        <main class="widget" class:stale=Signal::derive(move || store.is_stale())>
            <header class="widget-head">
                <h1>{title}</h1>
                <a href=whole target="_blank" rel="noopener">{word(Word::OpenInHighwater)}</a>
            </header>
            <VerdictPanel />
            <Notices />
            {(store.controls != WidgetControls::NONE).then(|| view! {
                <section class="widget-controls" data-testid="controls" aria-label=word(Word::Controls)>
                    {settings.map(Setting::view).collect_view()}
                </section>
            })}
            <Show when=move || store.has_answer()>
                <div class="widget-bars">
                    <Bars />
                </div>
                <p class="unseen" id="figure-keys">{word(Word::FigureKeys)}</p>
                <PhasesPanel />
                <ComparedPanel />
            </Show>
        </main>
    }
}
