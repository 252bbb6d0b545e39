//! The parts of the program: what a link needs for its first estimate, and the others after it. `cargo xtask build` cuts
//! the program, `public/parts.js` brings the parts together.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

#[wasm_bindgen]
extern "C" {
    /// Joins the parts that the link needs, or all of them, once they have come.
    #[wasm_bindgen(js_name = highwaterParts)]
    fn join(exports: &JsValue, all: bool) -> js_sys::Promise;
}

/// Goes on when the parts are there that the page's link needs for its first estimate.
pub fn with_parts_of_link(go_on: impl FnOnce() + 'static) {
    let joined = JsFuture::from(join(&wasm_bindgen::exports(), false));
    spawn_local(async move {
        let _ = joined.await;
        go_on();
    });
}

/// Waits for all parts.
pub async fn all_parts() {
    let _ = JsFuture::from(join(&wasm_bindgen::exports(), true)).await;
}
