//! The clipboard.

use gloo_utils::window;
use wasm_bindgen_futures::JsFuture;

/// Copies text; tells whether the browser allowed it.
pub async fn copy(text: String) -> bool {
    let window = window();
    // A page on plain http has no clipboard, and reading the property gives undefined.
    if !window.is_secure_context() {
        return false;
    }
    JsFuture::from(window.navigator().clipboard().write_text(&text))
        .await
        .is_ok()
}
