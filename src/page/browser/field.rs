//! A slider's field: whether it is in use, and the keys that are pressed on the slider.

use super::document::is_there;
use super::timer::in_a_task;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_utils::window;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

/// Listeners, which are taken away after this, in a task of its own: one of them may be running.
pub struct Listening {
    listeners: Vec<EventListener>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let listeners = std::mem::take(&mut self.listeners);
        in_a_task(move || drop(listeners));
    }
}

/// A field, by its class.
const FIELD: &str = ".field";
/// The slider of a field.
const SLIDER: &str = "input[type=range]";

/// The field in which an element lies.
fn field_of(element: &Element) -> Option<Element> {
    element.closest(FIELD).ok()?
}

/// Calls `used` with whether the pointer or the focus is in the field of an element, whenever that may have changed.
/// Keys that are pressed on the slider there are handed to `pressed`: a key is taken from the slider where that is true.
pub fn on_use_of_field(
    element: &Element,
    used: impl Fn(bool) + Clone + 'static,
    pressed: impl Fn(&KeyboardEvent) -> bool + 'static,
) -> Option<Listening> {
    let field = field_of(element)?;
    let listens = ["pointerenter", "pointerleave", "focusin", "focusout"].map(|event| {
        let (used, of) = (used.clone(), field.clone());
        EventListener::new(&field, event, move |_| {
            used(of.matches(":hover, :focus-within").unwrap_or_default());
        })
    });
    let options = EventListenerOptions::enable_prevent_default();
    let keys = EventListener::new_with_options(&field, "keydown", options, move |event: &Event| {
        let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
        let on_slider = target.is_some_and(|target| target.matches(SLIDER).unwrap_or_default());
        if let (true, Some(key)) = (on_slider, event.dyn_ref::<KeyboardEvent>())
            && pressed(key)
        {
            event.prevent_default();
        }
    });
    Some(Listening {
        listeners: listens.into_iter().chain([keys]).collect(),
    })
}

/// Tells assistive technology of the keys that the slider of an element's field knows.
pub fn name_slider_keys(element: &Element, keys: &str) {
    if let Some(slider) = slider_beside(element) {
        let _ = slider.set_attribute("aria-keyshortcuts", keys);
    }
}

/// Focuses the slider of an element's field.
pub fn focus_slider(element: &Element) {
    let slider: Option<HtmlElement> =
        slider_beside(element).and_then(|slider| slider.dyn_into().ok());
    if let Some(slider) = slider {
        let _ = slider.focus();
    }
}

fn slider_beside(element: &Element) -> Option<Element> {
    field_of(element)?.query_selector(SLIDER).ok()?
}

/// Whether a slider's thumb is being held.
pub fn is_slider_held() -> bool {
    is_there("input[type=range]:active")
}

/// Calls `stop` when a key is pressed, something is clicked or a value is put in, but in an element that the selector
/// `spared` finds.
pub fn on_any_input(spared: &str, stop: impl Fn() + Clone + 'static) -> Listening {
    let listeners = ["keydown", "click", "input"].map(|event| {
        let (stop, spared) = (stop.clone(), spared.to_owned());
        EventListener::new(&window(), event, move |event| {
            let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
            let on = target.and_then(|target| target.closest(&spared).ok()?);
            if on.is_none() {
                stop();
            }
        })
    });
    Listening {
        listeners: listeners.into_iter().collect(),
    }
}
