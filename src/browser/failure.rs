//! What the reader sees when something breaks: never a blank page.

use super::document::document;
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
        let panel = document().and_then(|document| {
            // What was said before is why: a part of the program has not come, for example.
            if let Ok(Some(_)) = document.query_selector(".failure") {
                return Some(());
            }
            let panel = document.create_element("p").ok()?;
            panel.set_class_name("failure");
            let _ = panel.set_attribute("role", "alert");
            panel.set_text_content(Some(message));
            document.body()?.prepend_with_node_1(&panel).ok()
        });
        if panel.is_none() {
            error(message);
        }
    }));
}
