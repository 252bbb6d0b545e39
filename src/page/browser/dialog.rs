//! Dialogs, and the system's own sheet for sharing.

use super::appearance::matches;
use gloo_utils::window;
use js_sys::{Function, Object, Reflect};
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

/// Opens a dialog above everything else; the browser keeps the focus inside until it is closed.
pub fn show_modal(dialog: &HtmlDialogElement) {
    if !dialog.open() {
        // It fails for a dialog that is not in the document only.
        let _ = dialog.show_modal();
    }
}

/// Opens a dialog beside the page where a media query says that there is room, else above everything else; whether it
/// is beside.
pub fn show_beside(dialog: &HtmlDialogElement, room: &str) -> bool {
    let is_beside = matches(room);
    if !is_beside {
        show_modal(dialog);
    } else if !dialog.open() {
        dialog.show();
    }
    is_beside
}

/// Closes a dialog; the focus returns to where it was.
pub fn close_dialog(dialog: &HtmlDialogElement) {
    dialog.close();
}

/// The system's function for sharing, which phones have.
fn sharing() -> Option<Function> {
    Reflect::get(&window().navigator(), &"share".into())
        .ok()?
        .dyn_into()
        .ok()
}

/// Whether the system can share addresses.
pub fn can_share() -> bool {
    sharing().is_some()
}

/// Hands an address to the system's own sheet; nothing happens where there is none, or when the
/// reader changes their mind.
pub fn share(title: &str, address: &str) {
    let Some(share) = sharing() else {
        return;
    };
    let data = Object::new();
    let _ = Reflect::set(&data, &"title".into(), &title.into());
    let _ = Reflect::set(&data, &"url".into(), &address.into());
    if let Ok(promise) = share.call1(&window().navigator(), &data)
        && let Ok(promise) = promise.dyn_into::<js_sys::Promise>()
    {
        wasm_bindgen_futures::spawn_local(async move {
            let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
        });
    }
}
