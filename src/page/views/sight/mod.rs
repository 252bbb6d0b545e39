//! Panels that stay in sight while one scrolls: the verdict as a strip at the upper edge of the window, the controls as a
//! sheet at the lower edge of a narrow one, and details of the target that is pointed at.

mod dock;
mod strip;

use super::controls::SettingsSheet;
use dock::Dock;
use leptos::prelude::*;
use strip::Strip;

/// All of it, which comes with the rest of the program.
#[component]
pub(super) fn Sight() -> impl IntoView {
    view! {
        <Strip />
        <Dock />
        <SettingsSheet />
    }
}
