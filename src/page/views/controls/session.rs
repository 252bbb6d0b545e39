//! The way back to the configuration of an earlier visit.

use super::model::model_name;
use super::ways::method_word;
use crate::app::{last_session, use_store, visit};
use crate::ask::Scenario;
use crate::decide::{Method, gpus_of};
use crate::text::{Language, Word};
use crate::views::value::value_text;
use leptos::prelude::*;

/// A configuration in a few words: its model, method and GPUs.
fn name(scenario: &Scenario, language: Language) -> String {
    let gpu = scenario.hardware.gpu.as_str().into();
    let gpu = value_text("hardware.gpu", &gpu, language);
    let gpus = match gpus_of(scenario) {
        1 => gpu,
        gpus => format!("{gpus} \u{d7} {gpu}"),
    };
    let method = method_word(Method::of(scenario)).text(language);
    [model_name(scenario, language).as_str(), method, &gpus].join(", ")
}

/// A line over the end of the screen that offers the last session, until anything is changed.
#[component]
pub(in crate::views) fn LastSession() -> impl IntoView {
    let store = use_store();
    let session = RwSignal::new(last_session());
    Effect::new(move |opened: Option<()>| {
        store.scenario.track();
        if opened.is_some() {
            session.set(None);
        }
    });
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let line = move || {
        let session = session.get()?;
        let name = name(&session.scenario, store.language.get());
        let go = move |_| visit(store, &session.query);
        Some(view! {
            <span>{word(Word::GoOn)}</span>
            <button type="button" class="fix" on:click=go>{name}</button>
        })
    };
    view! {
        <Show when=move || session.with(Option::is_some)>
            <aside class="session" aria-label=word(Word::GoOn)>
                {line}
                <button
                    type="button"
                    class="quiet"
                    aria-label=word(Word::NotNow)
                    title=word(Word::NotNow)
                    on:click=move |_| session.set(None)
                >
                    "\u{d7}"
                </button>
            </aside>
        </Show>
    }
}
