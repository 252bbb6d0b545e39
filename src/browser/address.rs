//! The address bar.

use super::document::window;
use wasm_bindgen::JsValue;
use web_sys::{History, Location};

fn location() -> Option<Location> {
    Some(window()?.location())
}

fn history() -> Option<History> {
    window()?.history().ok()
}

/// The query of the address, without its question mark.
pub fn query() -> String {
    location()
        .and_then(|location| location.search().ok())
        .map(|search| search.trim_start_matches('?').to_owned())
        .unwrap_or_default()
}

/// The whole address of a file that lies beside this page.
pub fn href_beside(file: &str) -> String {
    let page = href_with("");
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/{file}")
}

/// This page's whole address with another query.
pub fn href_with(query: &str) -> String {
    let base = location()
        .and_then(|location| Some(location.origin().ok()? + &location.pathname().ok()?))
        .unwrap_or_default();
    if query.is_empty() {
        base
    } else {
        format!("{base}?{query}")
    }
}

/// Replaces the address without adding to the history.
pub fn replace_query(query: &str) {
    if let Some(history) = history() {
        let address = href_with(query);
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}

/// Adds an address to the history, so that Back returns to the one before.
pub fn push_query(query: &str) {
    if let Some(history) = history() {
        let address = href_with(query);
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}
