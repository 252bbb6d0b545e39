//! The whole page.

use crate::text::{Language, Word};
use leptos::prelude::*;

/// The page.
#[component]
pub fn Page(
    /// The language to start with.
    language: Language,
) -> impl IntoView {
    view! {
        <div class="page">
            <header class="masthead">
                <div class="brand">
                    <span class="brand-name">"Highwater"</span>
                    <span class="brand-tagline">{Word::Tagline.text(language)}</span>
                </div>
            </header>
        </div>
    }
}
