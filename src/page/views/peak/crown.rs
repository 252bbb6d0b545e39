//! The mark at the phase that binds: it moves from bar to bar.

use crate::app::use_store;
use crate::chart::Frame;
use crate::text::Word;
use leptos::prelude::*;

/// The mark, over a figure that ends where this begins. What it says, the figure's sentence says, too.
#[component]
pub(in crate::views) fn Crown(
    /// The box of the mark, in CSS pixels of the figure.
    frame: Memo<Option<Frame>>,
) -> impl IntoView {
    let store = use_store();
    let of = move |pick: fn(&Frame) -> i32| {
        let at = frame.with(|frame| frame.as_ref().map_or(0, pick));
        format!("{at}px")
    };
    view! {
        <div class="over-figure" aria-hidden="true">
            <div
                class="crown"
                hidden=Signal::derive(move || frame.with(Option::is_none))
                style:translate=Signal::derive(move || of(|frame| frame.left))
                style:width=Signal::derive(move || of(Frame::width))
                style:height=Signal::derive(move || of(Frame::height))
            >
                <span class="crown-mark">
                    <svg viewBox="0 0 16 12">
                        <path d="M1 2.5 4.6 6 8 .5 11.4 6 15 2.5 13.6 11H2.4z" />
                    </svg>
                    <span>{Signal::derive(move || Word::Binds.text(store.language.get()))}</span>
                </span>
            </div>
        </div>
    }
}
