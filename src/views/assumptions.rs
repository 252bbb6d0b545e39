//! What the answer assumes: the known limitations of the rooms that model something.

use crate::app::use_store;
use crate::host;
use crate::text::{Language, Word};
use leptos::prelude::*;

/// The panel.
#[component]
pub(super) fn AssumptionsPanel() -> impl IntoView {
    let store = use_store();
    view! {
        <section class="card figure" data-testid="assumptions" aria-labelledby="assumptions-title">
            <header class="figure-head">
                <h2 id="assumptions-title">
                    {move || Word::AssumptionsTitle.text(store.language.get())}
                </h2>
            </header>
            <ul class="sentences" lang=Language::English.tag()>
                {host::KNOWN_LIMITATIONS
                    .iter()
                    .map(|limitation| view! { <li>{*limitation}</li> })
                    .collect_view()}
            </ul>
        </section>
    }
}
