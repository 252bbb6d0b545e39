//! Sharing: a link to what is on screen, and a snippet that embeds it.

use crate::app::{query_of, use_store};
use crate::browser;
use crate::text::{Word, embed_snippet};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// How long a button says that it has copied.
const SAID_FOR: Duration = Duration::from_secs(2);

/// What became of copying.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copying {
    Ready,
    Done,
    Refused,
}

/// A button that copies a text and says what became of it.
#[component]
fn CopyButton(
    /// What the button says.
    label: Word,
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// The button's class.
    class: &'static str,
) -> impl IntoView {
    let store = use_store();
    let state = RwSignal::new(Copying::Ready);
    let copy = move |_| {
        let text = text.get_untracked();
        spawn_local(async move {
            let done = browser::copy(text).await;
            state.set(if done {
                Copying::Done
            } else {
                Copying::Refused
            });
            set_timeout(move || state.set(Copying::Ready), SAID_FOR);
        });
    };
    let says = move || {
        let word = match state.get() {
            Copying::Ready => label,
            Copying::Done => Word::Copied,
            Copying::Refused => Word::CopyRefused,
        };
        word.text(store.language.get())
    };
    view! {
        <button type="button" class=class on:click=copy>
            <span aria-live="polite">{says}</span>
        </button>
    }
}

/// Copy the link at once, or open the panel with the link and the snippet.
#[component]
pub(super) fn SharePanel() -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let link = Memo::new(move |_| browser::href_with(&query_of(store, false)));
    let snippet = Memo::new(move |_| embed_snippet(&browser::href_with(&query_of(store, true))));
    view! {
        <div class="share" on:keydown=move |event| {
            if event.key() == "Escape" {
                open.set(false);
            }
        }>
            <CopyButton label=Word::CopyLink text=link class="primary" />
            <button
                type="button"
                class="quiet"
                aria-expanded=Signal::derive(move || open.get().to_string())
                aria-controls="share-panel"
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {word(Word::Share)}
            </button>
            <div class="share-panel card" id="share-panel" hidden=Signal::derive(move || !open.get())>
                <label class="field-label" for="share-link">{word(Word::ShareLink)}</label>
                <input
                    id="share-link"
                    class="box"
                    type="text"
                    readonly
                    prop:value=link
                />
                <div class="share-row">
                    <label class="field-label" for="share-embed">{word(Word::ShareEmbed)}</label>
                    <CopyButton label=Word::Copy text=snippet class="quiet" />
                </div>
                <textarea
                    id="share-embed"
                    rows="4"
                    readonly
                    prop:value=snippet
                ></textarea>
                <p class="field-note">{word(Word::ShareEmbedHelp)}</p>
            </div>
        </div>
    }
}
