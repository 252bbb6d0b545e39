//! State and wiring: from what a person does to what the page shows.

use crate::browser;
use crate::text::Language;
use crate::views::Page;
use leptos::prelude::*;

/// Shows the page in place of the skeleton.
pub fn start() {
    let language = browser::languages()
        .iter()
        .find_map(|tag| Language::from_tag(tag))
        .unwrap_or(Language::English);
    mount_to_body(move || view! { <Page language /> });
    browser::remove_skeleton();
}
