//! How many measured cases are like the run on screen, at the verdict's edge: a button that opens what they say.

use crate::app::use_store;
use crate::browser;
use crate::decide::MeasuredCases;
use crate::text::{Word, near_sentences, near_short};
use leptos::portal::Portal;
use leptos::prelude::*;

/// The note's id.
const NOTE: &str = "near-note";

/// The button in the verdict's card, which comes before this part of the program.
#[component]
pub(super) fn NearPlace() -> impl IntoView {
    browser::element(".panes > .verdict").map(|verdict| {
        view! {
            <Portal mount=verdict>
                <Near />
            </Portal>
        }
    })
}

#[component]
fn Near() -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let near = Memo::new(move |_| {
        let cases = MeasuredCases::compiled();
        store.followed.with(|scenario| cases.near(scenario))
    });
    let short = move || near.with(|near| near_short(near, store.language.get()));
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let note = move || {
        let language = store.language.get();
        let said = near.with(|near| near_sentences(near, language));
        let said = said.into_iter().map(|said| view! { <p>{said}</p> });
        view! {
            <strong>{Word::NearTitle.text(language)}</strong>
            {said.collect_view()}
            <a href="docs/accuracy.html">{Word::NearGuide.text(language)}</a>
        }
    };
    view! {
        <div
            class="near"
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
                class="near-button"
                title=word(Word::NearTitle)
                aria-expanded=Signal::derive(move || open.get().to_string())
                aria-controls=NOTE
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {short}
            </button>
            <div class="near-note card" id=NOTE hidden=Signal::derive(move || !open.get())>
                {move || open.get().then(note)}
            </div>
        </div>
    }
}
