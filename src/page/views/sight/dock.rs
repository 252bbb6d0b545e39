//! Details of the target that is pointed at in a figure or pinned anywhere, at the lower edge of the window, while the
//! line that says it is out of sight.

use crate::app::{Store, use_store};
use crate::browser;
use crate::text::Word;
use crate::views::gallery::Gallery;
use crate::views::tensors::pinned_explained;
use leptos::prelude::*;

/// Height that the strip covers at the top of the window, in CSS pixels.
const COVERED: f64 = 56.0;

/// Text of the dock.
#[derive(Clone, PartialEq)]
struct Details {
    text: String,
    /// Whether it is of something pinned, which can be let go.
    pinned: bool,
}

/// The sentence of a figure about the place in it that is pointed at, where its own line is out of sight.
fn pointed_at(gallery: Gallery) -> Option<String> {
    gallery.all().into_iter().find_map(|figure| {
        let spot = figure.spot.try_get().flatten()?;
        let line = format!("#{}-summary", figure.id);
        (!browser::is_in_sight(&line, COVERED)).then(|| figure.plot.say(Some(spot)))
    })
}

fn details(store: Store, gallery: Gallery) -> Option<Details> {
    let of = |pinned: bool| move |text: String| Details { text, pinned };
    let pointed = pointed_at(gallery).map(of(false));
    // The list of tensors says it itself where it is in sight.
    let pinned = || {
        (!store.looking.get())
            .then(|| pinned_explained(store))
            .flatten()
    };
    pointed.or_else(|| pinned().map(of(true)))
}

/// The dock.
#[component]
pub(super) fn Dock() -> impl IntoView {
    let store = use_store();
    let gallery: Gallery = expect_context();
    let details = Memo::new(move |_| details(store, gallery));
    let text = Signal::derive(move || details.with(|of| of.as_ref().map(|of| of.text.clone())));
    let pinned = Signal::derive(move || details.with(|of| of.as_ref().is_some_and(|of| of.pinned)));
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <section
            class="dock card"
            data-testid="dock"
            aria-label=word(Word::Details)
            hidden=Signal::derive(move || details.with(Option::is_none))
        >
            <p>{text}</p>
            <button
                type="button"
                class="quiet"
                hidden=Signal::derive(move || !pinned.get())
                on:click=move |_| store.focus.clear()
            >
                {word(Word::LetGo)}
            </button>
        </section>
    }
}
