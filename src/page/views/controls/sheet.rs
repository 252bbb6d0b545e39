//! On a narrow screen the controls are a sheet at the lower edge of the window, below its handle; the figures stay in sight
//! above it.

use super::panel::Groups;
use crate::app::{Store, use_store};
use crate::browser;
use crate::text::settings_changed;
use crate::widgets::Handle;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// Id of the handle.
const HANDLE: &str = "settings-handle";
/// Id of the controls.
const SHEET: &str = "settings";
/// The controls, for the browser.
const CONTROLS: &str = "#settings";
/// The control that is in sight together with those above it when the sheet opens.
const LAST_IN_SIGHT: &str = ".field:has(> label[for=seq_len])";
/// The figure that is in sight above the open sheet.
const FIGURE: &str = "#phases canvas";

/// Focuses a control of the settings, and opens the sheet around it where the window is narrow.
pub(in crate::views) fn show_control(store: Store, selector: &'static str) {
    store.settings_open.set(true);
    browser::focus_first(selector);
    // A sheet opens in the frame between.
    request_animation_frame(move || {
        browser::focus_first(selector);
    });
}

/// The handle, which makes the controls a sheet where the window is narrow (`style/sight.css`).
#[component]
pub(in crate::views) fn SettingsSheet() -> impl IntoView {
    let store = use_store();
    let groups: Groups = expect_context();
    let open = store.settings_open;
    // Whoever was at the controls when they became a sheet, or has nothing else to look at, goes on with them.
    if browser::is_at(CONTROLS) || untrack(|| !store.has_answer()) {
        open.set(true);
    }
    let label = Memo::new(move |_| settings_changed(groups.count_changed(), store.language.get()));
    Effect::new(move |_| {
        let now = open.get();
        browser::set_root("settings", if now { "open" } else { "closed" });
        if now && browser::is_shown("#settings-handle") {
            request_animation_frame(|| {
                browser::show_end_within(CONTROLS, LAST_IN_SIGHT);
                browser::show(FIGURE);
            });
        }
    });
    let keys = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        // An open dialog takes the key for itself.
        let is_free = event.key() == "Escape" && !browser::is_there("dialog[open]");
        if is_free && open.get_untracked() {
            if browser::has_focus(CONTROLS) {
                browser::focus_first("#settings-handle");
            }
            open.set(false);
        }
    });
    on_cleanup(move || keys.remove());
    view! { <Handle id=HANDLE sheet=SHEET label open /> }
}
