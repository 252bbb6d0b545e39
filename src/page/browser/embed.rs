//! Being embedded: the parent page learns how high the content is.

use super::address::{href_with, query};
use super::appearance::on_resize;
use gloo_events::EventListener;
use gloo_utils::{body, window};
use js_sys::{JSON, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageEvent;

/// Tells the parent the content's height whenever it changes, and whenever it asks with a message
/// that has a `highwater` key.
///
/// The message is `{highwater: {height}}`, with AMP's `{sentinel: "amp", type: "embed-size",
/// height}` beside it, followed by the text that Medium and Embedly understand. They hold nothing
/// but the height and the address, so that any parent may read them.
pub fn follow_height() {
    let measured = body();
    on_resize(&measured, |_, height| post_height(height));
    EventListener::new(&window(), "message", move |event| {
        let asks = event
            .dyn_ref::<MessageEvent>()
            .and_then(|event| Reflect::has(&event.data(), &"highwater".into()).ok());
        if asks == Some(true) {
            post_height(measured.get_bounding_client_rect().height());
        }
    })
    .forget();
}

fn post_height(height: f64) {
    let Ok(Some(parent)) = window().parent() else {
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
