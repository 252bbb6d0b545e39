//! The drawer for what people have at hand: an error, a snapshot, a configuration, a model. It opens over any place of the
//! page, lists everything that was given with what it was taken for, and leaves the answer in sight.

mod address;
mod entry;
mod failure;
mod job;
mod outcome;
mod snapshot;
mod start;

use super::controls::OwnModel;
use crate::app::{Drawer, Opened, follow_certainty, open_files, open_text, use_drawer, use_store};
use crate::browser;
use crate::text::{InputWord, Language, Word};
use address::{AddressToOpen, address_to_open};
use entry::{entry, title};
use leptos::html;
use leptos::prelude::*;
use outcome::{Outcome, WaysOut};
pub(super) use start::StartPlace;

/// The part of the page that the address names to open the drawer.
const PART: &str = "opened";
/// The element that gets the focus when the drawer opens: the text box, or the title where something was given already.
const BOX: &str = "#opened-text";
const TITLE: &str = "#opened-title";
/// The link in the controls that opens the drawer.
const LINK: &str = "a[href=\"#opened\"]";
/// The width of a window with room for the drawer beside the answer.
const ROOM: &str = "(width >= 960px)";

/// Letters that come into the text box at once and are read at once, as nobody types them.
const AT_ONCE: usize = 24;

/// The titles of all that was given, for reading aloud.
fn said(drawer: Drawer, language: Language) -> String {
    let title = |all: &[Opened]| -> Vec<String> {
        let all = all.iter();
        all.map(|own| title(own, language)).collect()
    };
    drawer.all.with(|all| title(all)).join("; ")
}

/// The drawer, and all ways into it.
#[component]
pub(super) fn DrawerPanel() -> impl IntoView {
    let store = use_store();
    let drawer = use_drawer();
    follow_certainty(store);
    let node = NodeRef::<html::Dialog>::new();
    let beside = RwSignal::new(true);
    let aim = StoredValue::new(BOX);
    let by_link = StoredValue::new(false);
    Effect::new(move |_| {
        let Some(dialog) = node.get() else {
            return;
        };
        if !drawer.shown.get() {
            browser::close_dialog(&dialog);
            // A link to a part of the page loses the focus to that part.
            if by_link.get_value() {
                browser::focus_first(LINK);
            }
            return by_link.set_value(false);
        }
        beside.set(browser::show_beside(&dialog, ROOM));
        browser::focus_first(aim.get_value());
        aim.set_value(BOX);
    });
    let arrive = move || {
        if !drawer.shown.get_untracked() {
            aim.set_value(TITLE);
            drawer.shown.set(true);
        }
    };
    browser::on_given(move |files, text| {
        if !files.is_empty() {
            open_files(store, files);
        } else if text.trim().is_empty() {
            return;
        } else {
            open_text(store, &text);
        }
        arrive();
    });
    let follow_part = move || {
        let is_named = browser::part() == PART;
        if is_named {
            browser::leave_part();
        }
        if is_named || address_to_open().is_some() {
            drawer.shown.set(true);
        }
    };
    follow_part();
    browser::on_part(move || {
        by_link.set_value(browser::part() == PART);
        follow_part();
    });
    let word = move |word: InputWord| Signal::derive(move || word.text(store.language.get()));
    let close = move || drawer.shown.set(false);
    // The element that had the focus may be gone, such as a button that was pressed.
    window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && drawer.shown.get_untracked() && !browser::is_there(":focus") {
            close();
        }
    });
    let said = Signal::derive(move || said(drawer, store.language.get()));
    view! {
        <dialog
            node_ref=node
            class="drawer"
            id=PART
            data-testid="opened"
            aria-labelledby="opened-title"
            on:close=move |_| close()
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    event.stop_propagation();
                    close();
                }
            }
        >
            <header class="figure-head">
                <h2 id="opened-title" tabindex="-1">{word(InputWord::Title)}</h2>
                <button type="button" class="quiet" on:click=move |_| close()>
                    {move || Word::Close.text(store.language.get())}
                </button>
            </header>
            <Outcome beside />
            <div class="drawer-body">
                <TextBox />
                <AddressToOpen />
                <WaysOut />
                <p class="unseen" role="status">{said}</p>
                <ul class="given" aria-label=word(InputWord::Given)>
                    <For each=move || drawer.all.get() key=|opened| opened.key let:opened>
                        {entry(opened, store)}
                    </For>
                </ul>
                <details class="twin">
                    <summary>{move || Word::OwnModel.text(store.language.get())}</summary>
                    <OwnModel id="own" />
                </details>
            </div>
        </dialog>
    }
}

/// The box into which texts are pasted or typed, and the button that chooses files.
#[component]
fn TextBox() -> impl IntoView {
    let store = use_store();
    let drawer = use_drawer();
    let text = RwSignal::new(String::new());
    let word = move |word: InputWord| Signal::derive(move || word.text(store.language.get()));
    let read = move || {
        let typed = text.get_untracked();
        text.set(String::new());
        open_text(store, &typed);
    };
    let input = move |typed: String, is_pasted: bool| {
        let before = text.with_untracked(String::len);
        let is_at_once = is_pasted || typed.len() >= before.saturating_add(AT_ONCE);
        text.set(typed);
        if is_at_once {
            read();
        }
    };
    let choose = move |event: leptos::ev::Event| {
        open_files(store, browser::chosen_files(&event));
    };
    let some = Memo::new(move |_| drawer.all.with(|all| !all.is_empty()));
    view! {
        <p class="figure-summary" id="opened-help" hidden=some>{word(InputWord::Help)}</p>
        <textarea
            id="opened-text"
            rows=Signal::derive(move || if some.get() { "1" } else { "4" })
            spellcheck="false"
            autocomplete="off"
            placeholder=word(InputWord::Paste)
            aria-label=word(InputWord::Paste)
            aria-describedby="opened-help"
            prop:value=text
            on:input:target=move |event| input(event.target().value(), browser::is_pasted(&event))
            on:keydown=move |event| {
                if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                    read();
                }
            }
        ></textarea>
        <div class="actions">
            <button
                type="button"
                class="primary"
                disabled=Signal::derive(move || text.with(|text| text.trim().is_empty()))
                on:click=move |_| read()
            >
                {word(InputWord::Read)}
            </button>
            <label class="quiet file">
                {word(InputWord::Choose)}
                <input type="file" class="unseen" multiple on:change=choose />
            </label>
        </div>
    }
}
