//! The compact widget in somebody else's page.

use super::compare::{Bars, ComparedPanel};
use super::controls::setting;
use super::crossover::CrossoverPanel;
use super::notices::Notices;
use super::phases::PhasesPanel;
use super::setting::Setting;
use super::verdict::VerdictPanel;
use crate::app::{query_of, use_store};
use crate::ask::Scenario;
use crate::browser;
use crate::codec::{Panel, WidgetControls};
use crate::text::{Word, widget_title};
use leptos::prelude::*;

/// The compact widget.
#[component]
pub(super) fn Embedded() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let whole = move || browser::href_with(&query_of(store, false));
    let settings = store.controls.keys().iter().filter_map(|key| setting(key));
    let title = Memo::new(move |_| {
        let language = store.language.get();
        store.answer.with(|answer| {
            let report = &answer.as_ref()?.report;
            let of = |scenario: &Scenario| widget_title(report, scenario, language);
            Some(store.scenario.with(of))
        })
    });
    let has = move |panel: Panel| store.panels.has(panel);
    view! {
        <main class="widget" class:stale=Signal::derive(move || store.is_stale())>
            <header class="widget-head">
                <h1 title=title>{title}</h1>
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
                {has(Panel::Bars).then(|| view! { <div class="widget-bars"><Bars /></div> })}
                <p class="unseen" id="figure-keys">{word(Word::FigureKeys)}</p>
                {has(Panel::Phases).then(|| view! { <PhasesPanel /> })}
                <ComparedPanel />
            </Show>
            {has(Panel::Crossover).then(|| view! {
                <div class="widget-later">
                    <Show when=move || store.whole.get()>
                        <CrossoverPanel />
                    </Show>
                </div>
            })}
        </main>
    }
}
