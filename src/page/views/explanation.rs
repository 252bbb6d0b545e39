//! Why the peak is what it is.

use crate::app::use_store;
use crate::text::{Word, crossover_summary, explanation, lagging_sentence};
use leptos::prelude::*;

/// The panel.
#[component]
pub(super) fn ExplanationPanel() -> impl IntoView {
    let store = use_store();
    let sentences = Memo::new(move |_| {
        let (units, language) = (store.units.get(), store.language.get());
        let mut sentences = store
            .settled
            .with(|answer| {
                answer
                    .as_ref()
                    .map(|e| explanation(&e.report, units, language))
            })
            .unwrap_or_default();
        if let Some(lagging) = store.lagging.get() {
            sentences.push(lagging_sentence(&lagging, units, language));
        }
        store.sweep.with(|sweep| {
            if let Some(sweep) = sweep {
                sentences.push(crossover_summary(sweep, language));
            }
        });
        sentences
    });
    view! {
        <section class="card figure" data-testid="explanation" aria-labelledby="explanation-title">
            <header class="figure-head">
                <h2 id="explanation-title">
                    {Signal::derive(move || Word::ExplanationTitle.text(store.language.get()))}
                </h2>
            </header>
            <ul class="sentences">
                {move || {
                    sentences
                        .get()
                        .into_iter()
                        .map(|sentence| view! { <li>{sentence}</li> })
                        .collect_view()
                }}
            </ul>
        </section>
    }
}
