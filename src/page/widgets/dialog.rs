//! A dialog above the page.

use crate::browser;
use leptos::html;
use leptos::prelude::*;

/// A dialog: the browser keeps the focus inside, Esc and a click beside it close it.
#[component]
pub fn Dialog(
    /// Prefix of the ids inside.
    id: &'static str,
    /// Whether it is open.
    open: RwSignal<bool>,
    /// Its title.
    #[prop(into)]
    title: Signal<String>,
    /// The label of its closing button.
    #[prop(into)]
    close: Signal<String>,
    /// Its content, made when it is first opened.
    children: ChildrenFn,
) -> impl IntoView {
    let node = NodeRef::<html::Dialog>::new();
    let opened = RwSignal::new(false);
    Effect::new(move |_| {
        if let Some(dialog) = node.get() {
            if open.get() {
                opened.set(true);
                browser::show_modal(&dialog);
            } else {
                browser::close_dialog(&dialog);
            }
        }
    });
    let beside = move |event: leptos::ev::MouseEvent| {
        // The dialog's own box is all padding and content; what lies beside it is the dialog.
        if event.target() == event.current_target() {
            open.set(false);
        }
    };
    let children = StoredValue::new(children);
    view! {
        <dialog
            node_ref=node
            class="dialog"
            id=format!("{id}-dialog")
            aria-labelledby=format!("{id}-dialog-title")
            on:close=move |_| open.set(false)
            on:click=beside
        >
            <div class="dialog-box">
                <div class="dialog-head">
                    <h2 id=format!("{id}-dialog-title")>{title}</h2>
                    <button type="button" class="quiet" on:click=move |_| open.set(false)>
                        {close}
                    </button>
                </div>
                {move || opened.get().then(|| children.with_value(|children| children()))}
            </div>
        </dialog>
    }
}
