//! The address bar.

use gloo_events::EventListener;
use gloo_utils::{history, window};
use js_sys::{Date, Object, Reflect};
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
    replace(&href_staying(query), &state());
}

/// The address with a query, and with the part of the page where the query is the same as now.
fn href_staying(query_text: &str) -> String {
    let mut address = href_with(query_text);
    if query_text == query() {
        address += &window().location().hash().unwrap_or_default();
    }
    address
}

fn replace(address: &str, state: &JsValue) {
    let _ = history().replace_state_with_url(state, "", Some(address));
}

fn state() -> JsValue {
    history().state().unwrap_or(JsValue::NULL)
}

/// Adds an address to the history, so that Back returns to the one before.
pub fn push_query(query: &str) {
    let address = href_with(query);
    let _ = history().push_state_with_url(&JsValue::NULL, "", Some(&address));
}

/// The field of an entry's state that has its mark.
const MARK: &str = "step";

/// The mark of the entry of the history that the browser is at.
pub fn mark() -> Option<String> {
    let state = state();
    let marked = state.is_object();
    let mark = marked.then(|| Reflect::get(&state, &MARK.into()).ok());
    mark.flatten()?.as_string()
}

fn marked(mark: &str) -> JsValue {
    let state = Object::new();
    let _ = Reflect::set(&state, &MARK.into(), &mark.into());
    state.into()
}

/// Adds an address to the history with a mark.
pub fn push_marked(query: &str, mark: &str) {
    let address = href_with(query);
    let _ = history().push_state_with_url(&marked(mark), "", Some(&address));
}

/// Replaces the address without adding to the history, and the mark of its entry.
pub fn replace_marked(query: &str, mark: &str) {
    replace(&href_staying(query), &marked(mark));
}

/// Marks the entry of the history that the browser is at.
pub fn set_mark(mark: &str) {
    let _ = history().replace_state(&marked(mark), "");
}

/// Goes this number of entries forth through the history, or back.
pub fn travel(entries: i32) {
    let _ = history().go_with_delta(entries);
}

/// A text that no other life of the page has: when it began.
pub fn life() -> String {
    Date::now().to_string()
}

/// Calls `then` whenever the page comes on screen again after the reader has left it.
pub fn on_page_shown(then: impl Fn() + 'static) {
    EventListener::new(&window(), "pageshow", move |_| then()).forget();
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
    replace(&href_with(&query()), &state());
}

/// Scrolls to a part of the page that has just come, where the address names it.
pub fn open_part(id: &str) {
    if part() == id {
        super::document::scroll_to(id);
    }
}

/// Scrolls to a part of the page, and names it in the address.
pub fn go_to_part(id: &str) {
    replace(&format!("{}#{id}", href_with(&query())), &state());
    super::document::scroll_to(id);
}
