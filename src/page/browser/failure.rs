//! The page when the program breaks off: never blank.

use gloo_utils::window;
use js_sys::Reflect;
use std::panic;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(message: &str);
    /// Gives `public/broken.js` the message to show when the program has stopped, and the program's exports.
    #[wasm_bindgen(js_name = highwaterStarts)]
    fn starts(stopped: &str, exports: &JsValue);
    /// The program breaks off: nothing of it may be called any more. The page is loaded again, or says that it has stopped.
    #[wasm_bindgen(js_name = highwaterBroken)]
    fn broken();
}

/// Has `public/broken.js` see to the page if the program ever breaks off; the cause is in the console.
pub fn report_failures(stopped: &'static str) {
    starts(stopped, &wasm_bindgen::exports());
    panic::set_hook(Box::new(|cause| {
        error(&cause.to_string());
        broken();
    }));
}

/// In a thread beside the page's: the cause of a failure is in the console, too. The page hears of it by itself.
pub(super) fn log_failures() {
    panic::set_hook(Box::new(|cause| error(&cause.to_string())));
}

/// How often the page was just loaded again because the program broke off.
pub fn failures() -> u32 {
    let count = Reflect::get(&window(), &"highwaterFailures".into());
    let count = count.ok().and_then(|count| count.as_string());
    count
        .and_then(|count| count.parse().ok())
        .unwrap_or_default()
}
