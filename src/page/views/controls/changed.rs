//! The settings that differ from what they are when nobody says anything: how many, and those alone.

use super::MAIN;
use super::panel::Groups;
use super::table::groups;
use crate::app::use_store;
use crate::browser;
use crate::text::changed_settings;
use leptos::prelude::*;

/// The button that leaves the changed settings alone in sight, and brings the others back.
#[component]
pub(super) fn ChangedOnly() -> impl IntoView {
    let store = use_store();
    let all: Groups = expect_context();
    let count = Memo::new(move |_| all.count_changed());
    Effect::new(move |_| {
        if count.get() == 0 && all.only.get() {
            all.leave_only();
        }
    });
    Effect::new(move |_| {
        let only = all.only.get();
        for setting in MAIN {
            let field = format!(".controls > .field:has([id=\"{}\"])", setting.key);
            browser::hide(&field, only && !all.is_changed(setting));
        }
        for group in groups() {
            let hidden = only && !group.settings.iter().any(|setting| all.is_changed(setting));
            browser::hide(&format!(".group:has(> #{})", group.id), hidden);
        }
    });
    let said = Signal::derive(move || changed_settings(count.get(), store.language.get()));
    view! {
        <button
            type="button"
            class="quiet"
            aria-pressed=Signal::derive(move || all.only.get().to_string())
            disabled=Signal::derive(move || count.get() == 0)
            on:click=move |_| all.toggle_only()
        >
            {said}
        </button>
    }
}
