//! The appearance that the reader's system asks for.

use gloo_events::EventListener;
use gloo_utils::{document, document_element, window};
use js_sys::Array;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit,
    MediaQueryList, ResizeObserver, ResizeObserverEntry,
};

/// Colours that the system forces, each `0xRRGGBB`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForcedColours {
    /// Of the background.
    pub ground: u32,
    /// Of text.
    pub ink: u32,
    /// Of selected controls.
    pub accent: u32,
}

/// Colour scheme, forced colours and pixel ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    /// Light text on dark ground.
    pub dark: bool,
    /// The reader's own colours, when the system forces them.
    pub forced: Option<ForcedColours>,
    /// Device pixels of one CSS pixel.
    pub pixel_ratio: f64,
}

fn media(query: &str) -> Option<MediaQueryList> {
    window().match_media(query).ok()?
}

/// Whether a media query holds.
pub(super) fn matches(query: &str) -> bool {
    media(query).is_some_and(|list| list.matches())
}

/// The appearance now; `dark` overrules the system's colour scheme.
pub fn appearance(dark: Option<bool>) -> Appearance {
    Appearance {
        dark: dark.unwrap_or_else(|| matches("(prefers-color-scheme: dark)")),
        forced: matches("(forced-colors: active)").then(system_colours),
        pixel_ratio: window().device_pixel_ratio(),
    }
}

/// Whether the reader's system asks for less motion.
pub fn prefers_still() -> bool {
    matches("(prefers-reduced-motion: reduce)")
}

/// The system's colours, read through an element that wears them.
fn system_colours() -> ForcedColours {
    let read = |name: &str| -> Option<u32> {
        let probe = document().create_element("span").ok()?;
        let probe: web_sys::HtmlElement = probe.dyn_into().ok()?;
        probe.style().set_property("color", name).ok()?;
        document_element().append_child(&probe).ok()?;
        let colour = window()
            .get_computed_style(&probe)
            .ok()??
            .get_property_value("color")
            .ok()?;
        probe.remove();
        parse_rgb(&colour)
    };
    ForcedColours {
        ground: read("Canvas").unwrap_or(0),
        ink: read("CanvasText").unwrap_or(0xff_ff_ff),
        accent: read("Highlight").unwrap_or(0xff_ff_00),
    }
}

/// `rgb(1, 2, 3)` as `0x010203`.
fn parse_rgb(text: &str) -> Option<u32> {
    let inner = text.split_once('(')?.1.split_once(')')?.0;
    let mut value = 0;
    for channel in inner.split([',', ' ']).filter(|c| !c.is_empty()).take(3) {
        value = value << 8 | u32::from(channel.parse::<u8>().ok()?);
    }
    Some(value)
}

/// Calls back when the colour scheme, forced colours or the pixel ratio change.
pub fn on_appearance_change(callback: impl Fn() + Clone + 'static) {
    for query in [
        "(prefers-color-scheme: dark)",
        "(forced-colors: active)",
        "(resolution: 1dppx)",
        "(resolution: 2dppx)",
    ] {
        if let Some(list) = media(query) {
            let callback = callback.clone();
            // The list must live as long as the page for its listener to be called, so that both are
            // left alone for ever.
            std::mem::forget(EventListener::new(&list, "change", move |_| callback()));
        }
    }
}

/// Calls back with an element's content size in CSS pixels, now and whenever it changes. The
/// observer lives as long as the element.
pub fn on_resize(element: &Element, callback: impl Fn(f64, f64) + 'static) {
    let observed = Closure::<dyn Fn(Array)>::new(move |entries: Array| {
        let last: ResizeObserverEntry = entries.at(-1).unchecked_into();
        let rect = last.target().get_bounding_client_rect();
        callback(rect.width(), rect.height());
    });
    if let Ok(observer) = ResizeObserver::new(left(observed).unchecked_ref()) {
        observer.observe(element);
    }
}

/// The callback of an observer, dropped with it: it must not hold the element that is observed.
fn left(callback: Closure<dyn Fn(Array)>) -> JsValue {
    callback.into_js_value()
}

/// Calls back with whether an element can be seen, now and whenever that changes; always when the
/// browser cannot tell. The observer lives as long as the element.
pub fn on_seen(element: &Element, callback: impl Fn(bool) + Clone + 'static) {
    on_seen_below(element, 0, callback);
}

/// Observes an element, where `top` CSS pixels at the top of the window do not count.
pub fn on_seen_below(element: &Element, top: u32, callback: impl Fn(bool) + Clone + 'static) {
    let options = IntersectionObserverInit::new();
    options.set_root_margin(&format!("-{top}px 0px 0px 0px"));
    let always = callback.clone();
    let observed = Closure::<dyn Fn(Array)>::new(move |entries: Array| {
        let last: IntersectionObserverEntry = entries.at(-1).unchecked_into();
        callback(last.is_intersecting());
    });
    match IntersectionObserver::new_with_options(left(observed).unchecked_ref(), &options) {
        Ok(observer) => observer.observe(element),
        Err(_) => always(true),
    }
}
