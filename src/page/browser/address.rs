//! The address bar.

use gloo_events::EventListener;
use gloo_utils::{history, window};
use wasm_bindgen::JsValue;

/// The query of the address, without its question mark.
pub fn query() -> String {
    let search = window().location().search().unwrap_or_default();
    search.trim_start_matches('?').to_owned()
}

/// The whole address of a file that lies beside this page.
pub fn href_beside(file: &str) -> String {
    let page = href_with("");
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/{file}")
}

/// This page's whole address with another query.
pub fn href_with(query: &str) -> String {
    let location = window().location();
    let base = location.origin().unwrap_or_default() + &location.pathname().unwrap_or_default();
    if query.is_empty() {
        base
    } else {
        format!("{base}?{query}")
    }
}

/// Replaces the address without adding to the history.
pub fn replace_query(query: &str) {
    let address = href_with(query);
    let _ = history().replace_state_with_url(&JsValue::NULL, "", Some(&address));
}

/// Adds an address to the history, so that Back returns to the one before.
pub fn push_query(query: &str) {
    let address = href_with(query);
    let _ = history().push_state_with_url(&JsValue::NULL, "", Some(&address));
}

/// The part of the page that the address names after its `#`.
pub fn part() -> String {
    let hash = window().location().hash().unwrap_or_default();
    hash.trim_start_matches('#').to_owned()
}

/// Calls `then` whenever the address names another part.
pub fn on_part(then: impl Fn() + 'static) {
    EventListener::new(&window(), "hashchange", move |_| then()).forget();
}

/// Takes the part out of the address.
pub fn leave_part() {
    replace_query(&query());
}

/// Scrolls to a part of the page that has just come, where the address names it.
pub fn open_part(id: &str) {
    if part() == id {
        super::document::scroll_to(id);
    }
}

/// Scrolls to a part of the page, and names it in the address.
pub fn go_to_part(id: &str) {
    let address = format!("{}#{id}", href_with(&query()));
    let _ = history().replace_state_with_url(&JsValue::NULL, "", Some(&address));
    super::document::scroll_to(id);
}
