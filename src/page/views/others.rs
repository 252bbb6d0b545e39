//! Estimates by the formulas of other tools.

use crate::app::use_store;
use crate::report::Other;
use crate::text::{Word, method_name, method_source, other_figures, other_reasons};
use leptos::prelude::*;

/// The panel; nothing where no formula applies.
#[component]
pub(super) fn OthersPanel() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let others = Memo::new(move |_| {
        store
            .settled
            .with(|answer| answer.as_ref().map(|e| e.report.others.clone()))
            .unwrap_or_default()
    });
    let line = move |other: Other| {
        let method = other.method;
        let source = method_source(method);
        let (units, language) = (store.units.get(), store.language.get());
        view! {
            <li>
                <strong>{method_name(method, language)}</strong>
                " — "
                {other_figures(&other, units, language)}
                <br />
                <small>
                    {other_reasons(&other, language)} " "
                    <a href=source.address rel="noreferrer">{source.name}</a>
                </small>
            </li>
        }
    };
    view! {
        <Show when=move || !others.with(Vec::is_empty)>
            <section class="card figure" data-testid="others" aria-labelledby="others-title">
                <header class="figure-head">
                    <h2 id="others-title">{word(Word::OthersTitle)}</h2>
                </header>
                <p class="figure-summary">{word(Word::OthersHelp)}</p>
                <ul class="sentences">
                    {move || others.get().into_iter().map(line).collect_view()}
                </ul>
            </section>
        </Show>
    }
}
