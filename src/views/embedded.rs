//! The compact widget in somebody else's page.

use super::compare::{Bars, ComparedPanel};
use super::controls::{GPU, MICRO_BATCH_SIZE, SEQ_LEN};
use super::notices::Notices;
use super::verdict::VerdictPanel;
use crate::app::{query_of, use_store};
use crate::browser;
use crate::codec::{WidgetControl, WidgetControls};
use crate::text::Word;
use leptos::prelude::*;

/// The compact widget.
#[component]
pub(super) fn Embedded() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let whole = move || browser::href_with(&query_of(store, false));
    let has = move |control| store.controls.has(control);
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
                    {has(WidgetControl::MicroBatchSize).then(|| MICRO_BATCH_SIZE.view())}
                    {has(WidgetControl::SeqLen).then(|| SEQ_LEN.view())}
                    {has(WidgetControl::Gpu).then(|| GPU.view())}
                </section>
            })}
            <Show when=move || store.has_answer()>
                <Bars />
                <ComparedPanel />
            </Show>
        </main>
    }
}
