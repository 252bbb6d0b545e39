//! The head of the page: what this is, language, units and sharing.

use super::compare::CompareButton;
use super::keys::KeysButton;
use super::share::SharePanel;
use super::situations::Situations;
use super::tour::TourButton;
use crate::app::use_store;
use crate::text::{ByteUnits, Language, Word};
use leptos::prelude::*;

/// The head of the page.
#[component]
pub(super) fn Masthead() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let languages = Language::ALL
        .iter()
        .map(|&language| {
            view! {
                <button
                    type="button"
                    lang=language.tag()
                    aria-pressed=Signal::derive(move || (store.language.get() == language).to_string())
                    on:click=move |_| store.language.set(language)
                >
                    {language.own_name()}
                </button>
            }
        })
        .collect_view();
    let units = ByteUnits::ALL
        .iter()
        .map(|&units| {
            view! {
                <button
                    type="button"
                    aria-pressed=Signal::derive(move || (store.units.get() == units).to_string())
                    on:click=move |_| store.units.set(units)
                >
                    {units.name()}
                </button>
            }
        })
        .collect_view();
    view! {
        <header class="masthead">
            <div class="brand">
                <h1 class="brand-name">"Highwater"</h1>
                <p class="brand-tagline">{word(Word::Tagline)}</p>
            </div>
            <div class="ways">
                <Situations id="situations" label=word(Word::Situations) />
                <CompareButton />
                <TourButton />
                <KeysButton />
            </div>
            <div class="tools">
                <div class="toggle" role="group" aria-label=word(Word::Units)>
                    {units}
                </div>
                <div class="toggle" role="group" aria-label=word(Word::Language)>
                    {languages}
                </div>
                <SharePanel />
            </div>
        </header>
    }
}
