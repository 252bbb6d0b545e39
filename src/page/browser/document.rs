//! The document: its language, title and skeleton.

use gloo_events::EventListener;
use gloo_utils::{document, document_element, window};
use wasm_bindgen::JsCast;
use web_sys::{
    CanvasRenderingContext2d, Element, Event, FocusEvent, HtmlCanvasElement, HtmlElement,
    HtmlInputElement, ScrollIntoViewOptions, ScrollLogicalPosition,
};

/// The languages the reader prefers, as BCP 47 tags, the most preferred first.
pub fn languages() -> Vec<String> {
    window()
        .navigator()
        .languages()
        .iter()
        .filter_map(|tag| tag.as_string())
        .collect()
}

/// Sets the document's language and title.
pub fn set_language(tag: &str, title: &str) {
    document().set_title(title);
    let _ = document_element().set_attribute("lang", tag);
}

/// Sets a data attribute of the root element, for style sheets.
pub fn set_root(name: &str, value: &str) {
    let _ = document_element().set_attribute(&format!("data-{name}"), value);
}

/// Sets the root element's own style declarations, such as custom properties.
pub fn set_root_style(css: &str) {
    // A strict style policy forbids the attribute, and allows this.
    if let Some(root) = document_element().dyn_ref::<HtmlElement>() {
        root.style().set_css_text(css);
    }
}

/// Removes the static skeleton that is shown until the page is mounted.
pub fn remove_skeleton() {
    if let Some(skeleton) = document().get_element_by_id("skeleton") {
        skeleton.remove();
    }
}

/// Focuses the button with this index in a list.
pub fn focus_within(list: &Element, index: usize) {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    let button = list
        .query_selector_all("button")
        .ok()
        .and_then(|all| all.get(index));
    focus(button.and_then(|node| node.dyn_into().ok()));
}

/// The first element that a CSS selector finds.
pub fn element(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

/// Whether a CSS selector finds an element.
pub fn is_there(selector: &str) -> bool {
    element(selector).is_some()
}

/// Focuses the first element that a CSS selector finds; whether there is one.
pub fn focus_first(selector: &str) -> bool {
    let found = element(selector);
    let found: Option<HtmlElement> = found.and_then(|element| element.dyn_into().ok());
    focus(found.clone());
    found.is_some()
}

fn focus(element: Option<HtmlElement>) {
    if let Some(element) = element {
        let _ = element.focus();
    }
}

/// Whether an event comes from where text is typed or a value is chosen.
pub fn is_typing(event: &Event) -> bool {
    let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
    target.is_some_and(|element| {
        let name = element.tag_name();
        let text = name == "INPUT" && element.get_attribute("type").as_deref() == Some("text");
        text || matches!(name.as_str(), "TEXTAREA" | "SELECT")
    })
}

/// Scrolls the option with this index in a list into sight.
pub fn show_within(list: &Element, index: usize) {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    let option = list.query_selector_all("[role=option]").ok();
    let option: Option<Element> = option
        .and_then(|all| all.get(index))
        .and_then(|node| node.dyn_into().ok());
    if let Some(option) = option {
        scroll(&option, ScrollLogicalPosition::Nearest);
    }
}

/// Scrolls to the first element that a selector finds and marks it with `data-pointed-out`, and
/// nothing else; without a selector nothing is marked.
pub fn point_out(selector: Option<&str>) {
    const MARK: &str = "data-pointed-out";
    if let Some(marked) = element(&format!("[{MARK}]")) {
        let _ = marked.remove_attribute(MARK);
    }
    if let Some(found) = selector.and_then(element) {
        let _ = found.set_attribute(MARK, "");
        scroll(&found, ScrollLogicalPosition::Center);
    }
}

/// Scrolls to the element with an id.
pub(super) fn scroll_to(id: &str) {
    if let Some(found) = document().get_element_by_id(id) {
        scroll(&found, ScrollLogicalPosition::Start);
    }
}

/// Scrolls so that an element is at a place of what scrolls.
pub(super) fn scroll(element: &Element, to: ScrollLogicalPosition) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(to);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// The id that the label of the field is for in which an event happens.
pub fn label_at(event: &Event) -> Option<String> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let label = target.closest(".field").ok()??.query_selector("label");
    label.ok()??.get_attribute("for")
}

/// Takes the focus from where it is and gives it back: a text box then shows its value, no longer the text being typed.
pub fn focus_anew() {
    let at: Option<HtmlElement> = document()
        .active_element()
        .and_then(|element| element.dyn_into().ok());
    if let Some(element) = at.filter(|element| element.tag_name() == "INPUT") {
        let _ = element.blur();
        focus(Some(element));
    }
}

/// Selects the text of a box. `select` would focus it once more where something else has got the focus meanwhile, and
/// so call the handler of its focus within itself.
pub fn select_text(input: &HtmlInputElement) {
    let _ = input.set_selection_range(0, u32::MAX);
}

/// Hides the first element that a selector finds, or shows it again.
pub fn hide(selector: &str, hidden: bool) {
    if let Some(found) = element(selector) {
        let _ = found.toggle_attribute_with_force("hidden", hidden);
    }
}

/// Whether the focus moves out of the element that handles this event.
pub fn focus_leaves(event: &FocusEvent) -> bool {
    let handler: Option<Element> = event.current_target().and_then(|at| at.dyn_into().ok());
    let next: Option<Element> = event.related_target().and_then(|to| to.dyn_into().ok());
    handler.is_some_and(|handler| !handler.contains(next.as_deref()))
}

/// Calls `newer` when a newer version of the page lies ready (`public/offline.js` says so).
pub fn on_update(newer: impl Fn() + 'static) {
    EventListener::new(&window(), "highwater-update", move |_| newer()).forget();
}

/// Loads the page again.
pub fn reload() {
    let _ = window().location().reload();
}

/// A canvas that is on no screen; none without a document that knows canvases.
pub(super) fn off_screen() -> Option<HtmlCanvasElement> {
    document().create_element("canvas").ok()?.dyn_into().ok()
}

/// The 2D drawing context of a canvas; `None` where the browser has no 2D canvas.
pub(super) fn context(element: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    element.get_context("2d").ok()??.dyn_into().ok()
}
