//! How a model of the reader's own comes here: the lines of Python that write its graph.

use crate::app::use_store;
use crate::text::{Word, export_snippet};
use crate::views::share::CopyButton;
use leptos::prelude::*;

/// The shape that is shown first: a batch of images.
const IMAGES: &str = "8, 3, 224, 224";

/// The lines to copy, for an input of the reader's shape. `id` begins the ids of its fields.
#[component]
pub(in crate::views) fn OwnModel(id: &'static str) -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let shape = RwSignal::new(IMAGES.to_owned());
    let ids = RwSignal::new(false);
    let snippet = Memo::new(move |_| shape.with(|shape| export_snippet(shape, ids.get())));
    let text = Signal::derive(move || snippet.get().unwrap_or_default());
    let problem = format!("{id}-problem");
    view! {
        <div class="own-model">
            <p>{word(Word::OwnModelHow)}</p>
            <div class="own-model-shape">
                <label class="field-label" for=format!("{id}-shape")>{word(Word::OwnModelShape)}</label>
                <input
                    class="box"
                    type="text"
                    id=format!("{id}-shape")
                    autocomplete="off"
                    spellcheck="false"
                    aria-describedby=problem.clone()
                    aria-invalid=Signal::derive(move || snippet.with(Option::is_none).to_string())
                    prop:value=move || shape.get()
                    on:input:target=move |event| shape.set(event.target().value())
                />
                <label class="check">
                    <input
                        type="checkbox"
                        prop:checked=move || ids.get()
                        on:change:target=move |event| ids.set(event.target().checked())
                    />
                    {word(Word::OwnModelIds)}
                </label>
            </div>
            <p class="field-problem" id=problem hidden=Signal::derive(move || snippet.with(Option::is_some))>
                {word(Word::OwnModelNoShape)}
            </p>
            <textarea
                rows="4"
                wrap="off"
                readonly
                aria-label=word(Word::OwnModel)
                prop:value=text
            ></textarea>
            <div class="share-row">
                <CopyButton text label=Word::Copy class="quiet" />
                <a href="docs/own-models.html">{word(Word::OwnModelGuide)}</a>
            </div>
        </div>
    }
}
