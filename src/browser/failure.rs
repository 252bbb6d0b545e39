//! What the reader sees when something breaks: never a blank page.

use gloo_utils::{body, document};
use std::panic;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(message: &str);
}

/// Shows a message on the page, and the cause in the console, if the page ever panics.
pub fn report_failures(message: &'static str) {
    panic::set_hook(Box::new(move |cause| {
        error(&cause.to_string());
        // What was said before is why: a part of the program has not come, for example.
        if let Ok(Some(_)) = document().query_selector(".failure") {
            return;
        }
        let panel = document().create_element("p").and_then(|panel| {
            panel.set_class_name("failure");
            panel.set_attribute("role", "alert")?;
            panel.set_text_content(Some(message));
            body().prepend_with_node_1(&panel)
        });
        if panel.is_err() {
            error(message);
        }
    }));
}
