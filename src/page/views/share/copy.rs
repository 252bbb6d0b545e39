//! A button that copies a text.

use crate::app::use_store;
use crate::browser;
use crate::text::Word;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// How long a button says that it has copied.
const SAID_FOR: Duration = Duration::from_secs(2);

/// The outcome of copying.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copying {
    Ready,
    Done,
    Refused,
}

/// A button that copies a text and says what became of it.
#[component]
pub(in crate::views) fn CopyButton(
    /// The label of the button.
    label: Word,
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// The button's class.
    class: &'static str,
) -> impl IntoView {
    let store = use_store();
    let state = RwSignal::new(Copying::Ready);
    let copy = move |_| {
        let text = text.get_untracked();
        spawn_local(async move {
            let done = browser::copy(text).await;
            state.set(if done {
                Copying::Done
            } else {
                Copying::Refused
            });
            set_timeout(move || state.set(Copying::Ready), SAID_FOR);
        });
    };
    let says = move || {
        let word = match state.get() {
            Copying::Ready => label,
            Copying::Done => Word::Copied,
            Copying::Refused => Word::CopyRefused,
        };
        word.text(store.language.get())
    };
    view! {
        <button type="button" class=class on:click=copy>
            <span aria-live="polite">{says}</span>
        </button>
    }
}
