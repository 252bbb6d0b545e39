//! Files that the reader saves, chooses or drops.

use super::document::is_typing;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_file::{Blob, File, FileList, ObjectUrl};
use gloo_utils::{document, window};
use js_sys::Reflect;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    DataTransfer, DragEvent, Event, HtmlAnchorElement, HtmlCanvasElement, HtmlInputElement,
};

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

/// A file that the reader chose or dropped, or that was fetched.
pub struct Chosen {
    name: String,
    blob: Blob,
}

impl Chosen {
    fn new(file: &File) -> Self {
        let blob: &Blob = file;
        Self {
            name: file.name(),
            blob: blob.clone(),
        }
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.blob.size()
    }

    /// Its content; `None` where the browser cannot read it.
    pub async fn content(&self) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        content
            .try_reserve_exact(usize::try_from(self.size()).ok()?)
            .ok()?;
        // Piece by piece: the whole is held once.
        let mut start = 0;
        while start < self.size() {
            let end = self.size().min(start + PIECE);
            content.extend(self.part(start, end).await?);
            start = end;
        }
        Some(content)
    }

    /// Its first bytes, `most` at most.
    pub async fn start(&self, most: u64) -> Option<Vec<u8>> {
        self.part(0, self.size().min(most)).await
    }

    /// Its bytes from `start` to before `end`.
    pub async fn part(&self, start: u64, end: u64) -> Option<Vec<u8>> {
        // gloo's slice of a file makes a file of it, with a name and a date.
        let whole: &web_sys::Blob = self.blob.as_ref();
        #[expect(clippy::cast_precision_loss, reason = "a browser counts bytes so, too")]
        let part = whole
            .slice_with_f64_and_f64(start as f64, end as f64)
            .ok()?;
        gloo_file::futures::read_as_bytes(&Blob::from(part))
            .await
            .ok()
    }

    /// As a message to another thread, which reads it there.
    pub(super) fn message(&self) -> JsValue {
        let blob: &web_sys::Blob = self.blob.as_ref();
        blob.into()
    }

    /// A file that came as a message, or from the network.
    pub(super) fn of_blob(name: String, blob: JsValue) -> Self {
        let blob = Blob::from(blob.unchecked_into::<web_sys::Blob>());
        Self { name, blob }
    }
}

/// Bytes of a file that are read at once.
const PIECE: u64 = 16 << 20;

/// The files that a file field has now; choosing the same ones again counts as a change.
pub fn chosen_files(event: &Event) -> Vec<Chosen> {
    let target = event.target();
    let Some(field) = target.and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else {
        return Vec::new();
    };
    let files = field.files().map(FileList::from);
    let chosen = files.iter().flat_map(|files| files.iter().cloned());
    let chosen = chosen.map(|file| Chosen::new(&file)).collect();
    field.set_value("");
    chosen
}

/// Whether an input came from the clipboard or was dropped.
pub fn is_pasted(event: &Event) -> bool {
    let kind = Reflect::get(event, &"inputType".into()).ok();
    let kind = kind.and_then(|kind| kind.as_string());
    kind.is_some_and(|kind| matches!(kind.as_str(), "insertFromPaste" | "insertFromDrop"))
}

/// The data that an event of dragging or of the clipboard carries.
fn carried(event: &Event) -> Option<DataTransfer> {
    match event.dyn_ref::<DragEvent>() {
        Some(event) => event.data_transfer(),
        None => Reflect::get(event, &"clipboardData".into())
            .ok()?
            .dyn_into()
            .ok(),
    }
}

/// Calls `take` with the files, or else the text, that are dropped or pasted anywhere on the page. A text that goes
/// into a field is the field's own.
pub fn on_given(take: impl Fn(Vec<Chosen>, String) + 'static) {
    let take = Rc::new(take);
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&window(), "dragover", options, |event| {
        event.prevent_default();
    })
    .forget();
    for kind in ["drop", "paste"] {
        let take = Rc::clone(&take);
        EventListener::new_with_options(&window(), kind, options, move |event| {
            let Some(data) = carried(event) else {
                return;
            };
            let text = data.get_data("text/plain").unwrap_or_default();
            let files = data.files().map(FileList::from);
            let files = files.iter().flat_map(|files| files.iter().cloned());
            let mut files: Vec<_> = files.map(|file| Chosen::new(&file)).collect();
            if kind == "paste" && !text.is_empty() {
                // Cells of a table are pasted with their picture.
                files.clear();
            }
            if files.is_empty() && is_typing(event) {
                return;
            }
            event.prevent_default();
            take(files, text);
        })
        .forget();
    }
}
