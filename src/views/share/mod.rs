//! Sharing: a link to what is on screen, a snippet that embeds it, files to save.

mod copy;
mod embed;
mod export;
mod link;

use crate::app::{query_of, use_store};
use crate::browser;
use crate::text::Word;
use crate::widgets::{Dialog, Tab, Tabs};
use copy::CopyButton;
use embed::EmbedTab;
use export::ExportTab;
use leptos::prelude::*;
use link::LinkTab;

/// Copy the link at once, or open the dialog with all ways to share.
#[component]
pub(super) fn SharePanel() -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    let link = Memo::new(move |_| browser::href_with(&query_of(store, false)));
    let tabs = [
        (
            Word::TabLink,
            ViewFn::from(move || view! { <LinkTab link /> }),
        ),
        (Word::TabEmbed, ViewFn::from(|| view! { <EmbedTab /> })),
        (
            Word::TabExport,
            ViewFn::from(move || view! { <ExportTab link /> }),
        ),
    ];
    let tabs: Vec<Tab> = ["link", "embed", "export"]
        .into_iter()
        .zip(tabs)
        .map(|(key, (label, content))| Tab {
            key,
            label: word(label),
            content,
        })
        .collect();
    view! {
        <div class="share">
            <CopyButton label=Word::CopyLink text=link class="primary" />
            <button
                type="button"
                class="quiet"
                aria-haspopup="dialog"
                on:click=move |_| open.set(true)
            >
                {word(Word::Share)}
            </button>
            <Dialog id="share" open title=word(Word::Share) close=word(Word::Close)>
                <Tabs id="share" name=word(Word::ShareTabs) tabs=tabs.clone() />
            </Dialog>
        </div>
    }
}
