//! What to change, and what it saves.

use crate::app::{query_of_scenario, use_store, visit};
use crate::report::Remedy;
use crate::text::{Word, remedy_cost, remedy_name, remedy_saving};
use leptos::prelude::*;

/// The panel.
#[component]
pub(super) fn RemediesPanel() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let line = move |remedy: Remedy| {
        let Remedy {
            kind,
            scenario,
            total,
            saves,
            fits,
            ..
        } = remedy;
        let say = move || {
            let (units, language) = (store.units.get(), store.language.get());
            remedy_saving(saves, total, units, language)
        };
        view! {
            <li class="remedy" data-fits=fits.to_string()>
                <span class="remedy-name">
                    <strong>{Signal::derive(move || remedy_name(kind, store.language.get()))}</strong>
                    <span>{Signal::derive(move || remedy_cost(kind, store.language.get()))}</span>
                </span>
                <span class="remedy-saving">{say}</span>
                <button
                    type="button"
                    class="quiet"
                    on:click=move |_| visit(store, &query_of_scenario(store, &scenario))
                >
                    {word(Word::Try)}
                    <span class="unseen">
                        ": " {Signal::derive(move || remedy_name(kind, store.language.get()))}
                    </span>
                </button>
            </li>
        }
    };
    view! {
        <Show when=move || !store.remedies.with(Vec::is_empty)>
            <section class="card figure" data-testid="remedies" aria-labelledby="remedies-title">
                <header class="figure-head">
                    <h2 id="remedies-title">{word(Word::RemediesTitle)}</h2>
                </header>
                <p class="figure-summary">{word(Word::RemediesHelp)}</p>
                <ul class="remedies" class:waiting=Signal::derive(move || store.weighing.get())>
                    {move || store.remedies.get().into_iter().map(line).collect_view()}
                </ul>
            </section>
        </Show>
    }
}
