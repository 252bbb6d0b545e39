//! The glossary: meanings of the words on the page.

use crate::app::use_store;
use crate::sim::Phase;
use crate::tape::Category;
use crate::text::{
    Language, Meaning, Term, Word, meaning_of_category, meaning_of_phase, words_explained,
};
use leptos::prelude::*;

fn entry(name: &'static str, meaning: Meaning, language: Language) -> impl IntoView {
    view! {
        <div>
            <dt>{name}</dt>
            <dd>
                {meaning.text(language)}
                <span class="help-source">
                    {(!meaning.formula.is_empty())
                        .then(|| view! { <code>{meaning.formula}</code> " \u{b7} " })}
                    <code>{meaning.source}</code>
                </span>
            </dd>
        </div>
    }
}

/// The panel: folded, since most readers know the words.
#[component]
pub(super) fn GlossaryPanel() -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let entries = move || {
        let language = store.language.get();
        let own = |(english, chinese): (&'static str, &'static str)| match language {
            Language::English => english,
            Language::Chinese => chinese,
        };
        let words = words_explained().map(|(name, meaning)| entry(own(name), meaning, language));
        let phases = Phase::ALL
            .iter()
            .map(|&phase| entry(phase.term(language), meaning_of_phase(phase), language));
        let categories = Category::ALL.iter().map(|&category| {
            entry(
                category.term(language),
                meaning_of_category(category),
                language,
            )
        });
        view! {
            <dl class="glossary">
                {words.into_iter().collect_view()}
                {phases.collect_view()}
                {categories.collect_view()}
            </dl>
        }
    };
    view! {
        <section class="card figure" data-testid="glossary">
            <h2>
                <button
                    type="button"
                    class="group-title"
                    aria-expanded=Signal::derive(move || open.get().to_string())
                    aria-controls="glossary"
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    {Signal::derive(move || Word::GlossaryTitle.text(store.language.get()))}
                </button>
            </h2>
            <div id="glossary" hidden=Signal::derive(move || !open.get())>
                {move || open.get().then(entries)}
            </div>
        </section>
    }
}
