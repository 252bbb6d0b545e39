//! The rest of the program: what the first estimate does not need lies in a file of its own, which
//! comes after it. `cargo xtask build` makes the cut, `public/rest.js` brings the two together.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// Brings the rest: at once, while everything waits, or in its own time. Where it does not come at
    /// once the call that wants it is broken off, and the page says so: nobody calls the program again.
    #[wasm_bindgen(js_name = highwaterRest)]
    fn bring(exports: &JsValue, at_once: bool) -> js_sys::Promise;
}

/// What a function of the rest calls that is called before it is there.
#[wasm_bindgen(js_name = bringRest)]
pub fn bring_rest() {
    let _ = bring(&wasm_bindgen::exports(), true);
}

/// Waits until the rest is there.
pub async fn rest() {
    let _ = JsFuture::from(bring(&wasm_bindgen::exports(), false)).await;
}
