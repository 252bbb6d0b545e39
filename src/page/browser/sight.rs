//! Elements in sight of the window, elements that follow a finger, and the way from sliders into their boxes.

use super::appearance::on_seen_below;
use super::document::{element, scroll};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_utils::{document, window};
use wasm_bindgen::JsCast;
use web_sys::{
    Element, HtmlElement, HtmlInputElement, KeyboardEvent, PointerEvent, ScrollLogicalPosition,
};

fn find(selector: &str) -> Option<HtmlElement> {
    element(selector)?.dyn_into().ok()
}

/// Calls back with whether the first element that a selector finds can be seen, now and whenever that changes. `top` CSS
/// pixels at the top of the window do not count.
pub fn on_seen_first(selector: &str, top: u32, callback: impl Fn(bool) + Clone + 'static) {
    if let Some(element) = find(selector) {
        on_seen_below(&element, top, callback);
    }
}

/// Whether the upper edge of the first element that a selector finds is between `top` and the lower edge of the window.
pub fn is_in_sight(selector: &str, top: f64) -> bool {
    find(selector).is_some_and(|element| {
        let begins = element.get_bounding_client_rect().top();
        begins >= top && begins < height()
    })
}

/// Whether the first element that a selector finds takes room.
pub fn is_shown(selector: &str) -> bool {
    find(selector).is_some_and(|element| element.get_bounding_client_rect().height() > 0.0)
}

/// Height of the window in CSS pixels.
fn height() -> f64 {
    let height = window().inner_height().ok();
    height.and_then(|height| height.as_f64()).unwrap_or(0.0)
}

/// Whether the reader is at the first element that a selector finds: has scrolled so that it begins above the middle of
/// the window, or has the focus in it.
pub fn is_at(selector: &str) -> bool {
    let Some(element) = find(selector) else {
        return false;
    };
    let scrolled = window().scroll_y().is_ok_and(|y| y > 0.0);
    let bounds = element.get_bounding_client_rect();
    let before = bounds.top() < height() / 2.0 && bounds.bottom() > 0.0;
    has_focus(selector) || (scrolled && before)
}

/// Whether the focus is in the first element that a selector finds.
pub fn has_focus(selector: &str) -> bool {
    let active = document().active_element();
    find(selector).is_some_and(|element| element.contains(active.as_deref()))
}

/// Moves all elements that a selector finds down, by CSS pixels; nothing moves them back.
pub fn pull(selector: &str, by: Option<i32>) {
    let Ok(all) = document().query_selector_all(selector) else {
        return;
    };
    for index in 0..all.length() {
        let element: Option<HtmlElement> = all.get(index).and_then(|node| node.dyn_into().ok());
        let Some(element) = element else { continue };
        let style = element.style();
        let _ = match by {
            Some(by) => style.set_property("--pull", &format!("{by}px")),
            None => style.remove_property("--pull").map(|_| ()),
        };
    }
}

/// The element under a pointer that was pressed hears of it wherever it goes, until it is lifted.
pub fn keep_pointer(event: &PointerEvent) {
    let target: Option<Element> = event.current_target().and_then(|at| at.dyn_into().ok());
    if let Some(element) = target {
        let _ = element.set_pointer_capture(event.pointer_id());
    }
}

/// Scrolls the element that `scroller` finds so far that the end of the element that `inner` finds is in it.
pub fn show_end_within(scroller: &str, inner: &str) {
    if let (Some(scroller), Some(inner)) = (find(scroller), find(inner)) {
        let end = inner.get_bounding_client_rect().bottom();
        let beyond = end - scroller.get_bounding_client_rect().bottom();
        if beyond > 0.0 {
            // Whole pixels, up.
            #[allow(clippy::cast_possible_truncation)]
            scroller.set_scroll_top(scroller.scroll_top() + beyond.ceil() as i32);
        }
    }
}

/// Scrolls down so far that the first element that a selector finds is in sight; up only where it begins in the window.
pub fn show(selector: &str) {
    let Some(element) = find(selector) else {
        return;
    };
    if element.get_bounding_client_rect().top() < 0.0 {
        return;
    }
    scroll(&element, ScrollLogicalPosition::Nearest);
}

/// A digit or Enter on a slider leads into the text box of the same number, whose id is the slider's without `-slider`.
pub fn type_from_sliders() {
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&document(), "keydown", options, |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let key = event.key();
        let digit = key.len() == 1 && key.as_bytes()[0].is_ascii_digit();
        let modified = event.ctrl_key() || event.alt_key() || event.meta_key();
        let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
        let slider = target.map(|element| element.id());
        let number = slider.as_deref().and_then(|id| id.strip_suffix("-slider"));
        let (Some(number), false, true) = (number, modified, digit || key == "Enter") else {
            return;
        };
        let found = document().get_element_by_id(number);
        let found: Option<HtmlInputElement> = found.and_then(|element| element.dyn_into().ok());
        if let Some(text) = found {
            // A digit then replaces the selection.
            let _ = text.focus();
            text.select();
            if !digit {
                event.prevent_default();
            }
        }
    })
    .forget();
}
