//! Files that the reader saves.

use gloo_file::{Blob, ObjectUrl};
use gloo_utils::document;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{HtmlAnchorElement, HtmlCanvasElement};

/// Offers a text as a file to be saved.
pub fn save_text(name: &str, kind: &str, text: &str) {
    save(name, Blob::new_with_options(text, Some(kind)));
}

/// Offers what a canvas shows as a PNG file to be saved.
pub fn save_png(name: &str, canvas: &HtmlCanvasElement) {
    let name = name.to_owned();
    let done = Closure::once_into_js(move |blob: Option<web_sys::Blob>| {
        if let Some(blob) = blob {
            save(&name, blob.into());
        }
    });
    // The kind is PNG when none is named.
    let _ = canvas.to_blob(done.unchecked_ref());
}

fn save(name: &str, blob: Blob) {
    // Given back at the end: the browser has taken hold of the content by the time the click returns.
    let address = ObjectUrl::from(blob);
    let link = document().create_element("a").ok();
    if let Some(link) = link.and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok()) {
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
}
