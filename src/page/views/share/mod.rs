//! Sharing: a link to the configuration on screen, a snippet that embeds it, files to save, paper.

mod config;
mod copy;
mod embed;
mod export;
mod link;
mod print;

use crate::app::{query_of, use_store};
use crate::browser;
use crate::text::{ConfigWord, Word};
use crate::views::seen::when_whole;
use crate::widgets::{Dialog, Tab, Tabs};
use config::ConfigTab;
pub(super) use copy::CopyButton;
use embed::EmbedTab;
use export::ExportTab;
use leptos::prelude::*;
use link::LinkTab;
pub(super) use print::{FIGURE, Print};

/// Copy the link at once, or open the dialog with all ways to share.
#[component]
pub(super) fn SharePanel() -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    let link = Memo::new(move |_| browser::href_with(&query_of(store, false)));
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
            {when_whole(move || dialog(open, link))}
        </div>
    }
}

/// The dialog with all ways to share.
fn dialog(open: RwSignal<bool>, link: Memo<String>) -> AnyView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    let config = Signal::derive(move || ConfigWord::Title.text(store.language.get()).to_owned());
    let tabs = vec![
        Tab {
            key: "link",
            label: word(Word::TabLink),
            content: ViewFn::from(move || view! { <LinkTab link /> }),
        },
        Tab {
            key: "embed",
            label: word(Word::TabEmbed),
            content: ViewFn::from(|| view! { <EmbedTab /> }),
        },
        Tab {
            key: "config",
            label: config,
            content: ViewFn::from(move || view! { <ConfigTab link /> }),
        },
        Tab {
            key: "export",
            label: word(Word::TabExport),
            content: ViewFn::from(move || view! { <ExportTab link /> }),
        },
    ];
    view! {
        <Dialog id="share" open title=word(Word::Share) close=word(Word::Close)>
            <Tabs id="share" name=word(Word::ShareTabs) tabs=tabs.clone() />
        </Dialog>
    }
    .into_any()
}
