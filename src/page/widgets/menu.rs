//! A button that opens a panel of links below it.

use crate::browser;
use leptos::prelude::*;

/// A button with a panel.
#[component]
pub fn Menu(
    /// The panel's id.
    id: &'static str,
    /// The button's label.
    #[prop(into)]
    label: Signal<&'static str>,
    /// Whether the panel is open.
    open: RwSignal<bool>,
    /// The panel's content, made when it is opened.
    content: ViewFn,
) -> impl IntoView {
    view! {
        <nav
            class="menu"
            aria-label=label
            on:focusout=move |event| {
                if browser::focus_leaves(&event) {
                    open.set(false);
                }
            }
            on:keydown=move |event| {
                if event.key() == "Escape" && open.get_untracked() {
                    event.stop_propagation();
                    open.set(false);
                }
            }
        >
            <button
                type="button"
                class="quiet"
                aria-expanded=Signal::derive(move || open.get().to_string())
                aria-controls=id
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {label}
            </button>
            <div class="menu-panel card" id=id hidden=Signal::derive(move || !open.get())>
                {move || open.get().then(|| content.run())}
            </div>
        </nav>
    }
}
