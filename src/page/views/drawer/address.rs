//! The address of a graph that a link wants to open, once the reader agrees: `#open=URL`.

use crate::app::{open_address, use_store};
use crate::browser;
use crate::codec::percent_decoded;
use crate::text::Word;
use leptos::prelude::*;

/// The address of a file on the web that the page's address names after `#open=`.
pub(super) fn address_to_open() -> Option<String> {
    let part = browser::part();
    let address = percent_decoded(part.strip_prefix("open=")?);
    let is_of_web = address.starts_with("https://") || address.starts_with("http://");
    is_of_web.then_some(address)
}

/// Asks whether to open it.
#[component]
pub(super) fn AddressToOpen() -> impl IntoView {
    let store = use_store();
    let wanted = RwSignal::new(address_to_open());
    browser::on_part(move || wanted.set(address_to_open()));
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let open = move |address: String| {
        wanted.set(None);
        browser::leave_part();
        open_address(store, address);
    };
    let ask = move |address: String| {
        let shown = address.clone();
        view! {
            <p class="asked-address">
                {word(Word::OpenAddress)} " " <code>{shown}</code> " "
                <button type="button" class="primary" on:click=move |_| open(address.clone())>
                    {word(Word::OpenAddressAgree)}
                </button>
            </p>
        }
    };
    move || wanted.get().map(ask)
}
