//! The link to the configuration on screen.

use super::copy::CopyButton;
use crate::app::use_store;
use crate::browser;
use crate::text::Word;
use leptos::prelude::*;

/// The link, to be copied or handed to the system.
#[component]
pub(super) fn LinkTab(
    /// The link.
    link: Memo<String>,
) -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let hand_over = move |_| {
        let title = untrack(|| Word::Title.text(store.language.get()));
        browser::share(title, &link.get_untracked());
    };
    view! {
        <label class="field-label" for="share-link">{word(Word::ShareLink)}</label>
        <input id="share-link" class="box" type="text" readonly prop:value=link />
        <p class="field-note">{word(Word::ShareLinkHelp)}</p>
        <div class="share-row">
            <CopyButton label=Word::Copy text=link class="primary" />
            {browser::can_share().then(|| view! {
                <button type="button" class="quiet" on:click=hand_over>
                    {word(Word::ShareSystem)}
                </button>
            })}
        </div>
    }
}
