//! The whole page.

use super::below::Below;
use super::compare::{Bars, ComparedPanel};
use super::controls::{Controls, Groups};
use super::drawer::StartPlace;
use super::embedded::Embedded;
use super::gallery::Gallery;
use super::look::share_inks;
use super::masthead::Masthead;
use super::notices::{BrokeOffNotice, Notices, UpdateNotice};
use super::phases::PhasesPanel;
use super::seen::when_whole;
use super::sight::Sight;
use super::verdict::VerdictPanel;
use crate::app::use_store;
use crate::text::Word;
use leptos::prelude::*;

/// The page, or the compact widget when it is embedded.
pub fn page() -> impl IntoView {
    let store = use_store();
    share_inks(store);
    provide_context(Groups::new(store));
    provide_context(Gallery::new());
    if store.embedded {
        return view! { <Embedded /> }.into_any();
    }
    view! { <Whole /> }.into_any()
}

#[component]
fn Whole() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <div class="page">
            <a class="skip" href="#answer">{word(Word::SkipToAnswer)}</a>
            <Masthead />
            <StartPlace />
            <main class="panes" class:stale=Signal::derive(move || store.is_stale())>
                <VerdictPanel />
                <div class="bars">
                    <UpdateNotice />
                    <BrokeOffNotice />
                    <Notices />
                    <Show when=move || store.has_answer()>
                        <Bars />
                    </Show>
                </div>
                {when_whole(|| view! { <Sight /> }.into_any())}
                <Controls />
                <div class="answer" id="answer" tabindex="-1">
                    <p class="unseen" id="figure-keys">{word(Word::FigureKeys)}</p>
                    <Show when=move || store.has_answer()>
                        <ComparedPanel />
                        <PhasesPanel />
                    </Show>
                    {when_whole(|| view! { <Below /> }.into_any())}
                </div>
            </main>
        </div>
    }
}
