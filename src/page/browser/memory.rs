//! Texts that the browser keeps for this reader on this machine. Where it keeps none, nothing is lost but convenience.

use gloo_storage::{LocalStorage, Storage};
use gloo_utils::window;

/// Whether the browser keeps anything for this page. gloo-storage throws where it does not: in a frame
/// without an origin of its own, and where the reader has forbidden it.
fn keeps_anything() -> bool {
    window().local_storage().is_ok_and(|kept| kept.is_some())
}

/// Whether something was kept under a name.
pub fn keeps(name: &str) -> bool {
    let kept = window().local_storage().ok().flatten();
    kept.is_some_and(|kept| kept.get_item(name).is_ok_and(|kept| kept.is_some()))
}

/// The text that was kept under a name, also by a version that kept texts as they are, and not as JSON.
pub fn recall(name: &str) -> Option<String> {
    if !keeps_anything() {
        return None;
    }
    let kept = LocalStorage::get(name).ok();
    kept.or_else(|| LocalStorage::raw().get_item(name).ok()?)
}

/// Keeps a text under a name.
pub fn remember(name: &str, text: &str) {
    if keeps_anything() {
        let _ = LocalStorage::set(name, text);
    }
}
