//! Files that the reader saves, chooses or drops.

use super::document::is_typing;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_file::{Blob, File, FileList, ObjectUrl};
use gloo_utils::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{DragEvent, Event, HtmlAnchorElement, HtmlCanvasElement, HtmlInputElement};

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

/// A file that the reader chose or dropped.
pub struct Chosen(File);

impl Chosen {
    /// What it is called.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.0.size()
    }

    /// What it holds; nothing where the browser cannot read it.
    pub async fn content(&self) -> Option<Vec<u8>> {
        gloo_file::futures::read_as_bytes(&self.0).await.ok()
    }
}

/// The files that a file field has now; choosing the same ones again counts as a change.
pub fn chosen_files(event: &Event) -> Vec<Chosen> {
    let target = event.target();
    let Some(field) = target.and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else {
        return Vec::new();
    };
    let files = field.files().map(FileList::from);
    let chosen = files.iter().flat_map(|files| files.iter().cloned());
    let chosen = chosen.map(Chosen).collect();
    field.set_value("");
    chosen
}

/// Calls `take` with what is dropped anywhere on the page: files, or else a text.
pub fn on_drop(take: impl Fn(Vec<Chosen>, String) + 'static) {
    let options = EventListenerOptions::enable_prevent_default();
    let of = |event: &Event| event.dyn_ref::<DragEvent>()?.data_transfer();
    EventListener::new_with_options(&window(), "dragover", options, |event| {
        event.prevent_default();
    })
    .forget();
    EventListener::new_with_options(&window(), "drop", options, move |event| {
        let Some(data) = of(event) else {
            return;
        };
        let files = data.files().map(FileList::from);
        let files = files.iter().flat_map(|files| files.iter().cloned());
        let files: Vec<_> = files.map(Chosen).collect();
        // A text that is dragged into a field is the field's own.
        if files.is_empty() && is_typing(event) {
            return;
        }
        event.prevent_default();
        take(files, data.get_data("text/plain").unwrap_or_default());
    })
    .forget();
}
