//! The document: its language, title and skeleton.

use wasm_bindgen::JsCast;
use web_sys::{Document, HtmlElement, Window};

pub(super) fn window() -> Option<Window> {
    web_sys::window()
}

pub(super) fn document() -> Option<Document> {
    window()?.document()
}

pub(super) fn root() -> Option<HtmlElement> {
    document()?.document_element()?.dyn_into().ok()
}

/// The languages the reader prefers, as BCP 47 tags, the most preferred first.
pub fn languages() -> Vec<String> {
    let Some(window) = window() else {
        return Vec::new();
    };
    window
        .navigator()
        .languages()
        .iter()
        .filter_map(|tag| tag.as_string())
        .collect()
}

/// Sets the document's language and title.
pub fn set_language(tag: &str, title: &str) {
    if let Some(document) = document() {
        document.set_title(title);
    }
    if let Some(root) = root() {
        let _ = root.set_attribute("lang", tag);
    }
}

/// Sets a data attribute of the root element, for style sheets.
pub fn set_root(name: &str, value: &str) {
    if let Some(root) = root() {
        let _ = root.set_attribute(&format!("data-{name}"), value);
    }
}

/// Sets the root element's own style declarations, such as custom properties.
pub fn set_root_style(css: &str) {
    if let Some(root) = root() {
        root.style().set_css_text(css);
    }
}

/// Removes the static skeleton that stands until the page is there.
pub fn remove_skeleton() {
    if let Some(skeleton) = document().and_then(|d| d.get_element_by_id("skeleton")) {
        skeleton.remove();
    }
}
