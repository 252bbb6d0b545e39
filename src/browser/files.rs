//! Files that the reader saves.

use super::document::document;
use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

/// Offers a text as a file to be saved.
pub fn save_text(name: &str, kind: &str, text: &str) {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let parts = Array::of1(&text.into());
    if let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &options) {
        save(name, &blob);
    }
}

/// Offers what a canvas shows as a PNG file to be saved.
pub fn save_png(name: &str, canvas: &HtmlCanvasElement) {
    let name = name.to_owned();
    let done = Closure::once_into_js(move |blob: Option<Blob>| {
        if let Some(blob) = blob {
            save(&name, &blob);
        }
    });
    // The kind is PNG when none is named.
    let _ = canvas.to_blob(done.unchecked_ref());
}

fn save(name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else {
        return;
    };
    let link = document().and_then(|document| document.create_element("a").ok());
    if let Some(link) = link.and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok()) {
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
    // The browser has taken hold of the content by the time the click returns.
    let _ = Url::revoke_object_url(&address);
}
