//! What the browser keeps for this reader on this machine. Where it keeps nothing, nothing is lost
//! but convenience.

use super::document::window;

/// What was kept under a name.
pub fn recall(name: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(name).ok()?
}

/// Keeps a text under a name.
pub fn remember(name: &str, text: &str) {
    let storage = window().and_then(|window| window.local_storage().ok()?);
    if let Some(storage) = storage {
        let _ = storage.set_item(name, text);
    }
}
