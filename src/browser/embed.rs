//! Being embedded: the parent page learns how high the content is.

use super::address::{href_with, query};
use super::appearance::on_resize;
use super::document::{document, window};
use js_sys::{JSON, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageEvent;

/// Tells the parent the content's height whenever it changes, and whenever it asks with a message
/// that has a `highwater` key.
///
/// The message is `{highwater: {height}}`, with AMP's `{sentinel: "amp", type: "embed-size",
/// height}` beside it, followed by the text that Medium and Embedly understand. They hold nothing
/// but the height and the address, so that any parent may read them.
pub fn follow_height() {
    let Some(body) = document().and_then(|document| document.body()) else {
        return;
    };
    on_resize(&body, |_, height| post_height(height));
    let measured = body.clone();
    let answer = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        if Reflect::has(&event.data(), &"highwater".into()).unwrap_or(false) {
            post_height(measured.get_bounding_client_rect().height());
        }
    });
    if let Some(window) = window() {
        let _ = window.add_event_listener_with_callback("message", answer.as_ref().unchecked_ref());
    }
    answer.forget();
}

fn post_height(height: f64) {
    let Some(Ok(Some(parent))) = window().map(|window| window.parent()) else {
        return;
    };
    let own = object(&[("height", height.into())]);
    let message = object(&[
        ("highwater", own),
        ("sentinel", "amp".into()),
        ("type", "embed-size".into()),
        ("height", height.into()),
    ]);
    let _ = parent.post_message(&message, "*");
    let resize = object(&[
        ("src", href_with(&query()).into()),
        ("context", "iframe.resize".into()),
        ("height", height.into()),
    ]);
    if let Ok(text) = JSON::stringify(&resize) {
        let _ = parent.post_message(&text, "*");
    }
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in fields {
        let _ = Reflect::set(&object, &(*key).into(), value);
    }
    object.into()
}
