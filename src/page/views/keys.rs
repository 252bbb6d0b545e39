//! The list of keys, and the keys that work anywhere.

use crate::app::use_store;
use crate::browser;
use crate::text::Word;
use crate::views::controls::show_control;
use crate::views::seen::when_whole;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// Keys and what they do.
const KEYS: &[(&str, Word)] = &[
    ("/", Word::KeySearch),
    ("?", Word::KeyKeys),
    ("c", Word::KeyCompare),
    ("Ctrl + Z, Ctrl + Shift + Z", Word::KeyUndo),
    ("Ctrl + V", Word::KeyPaste),
    ("\u{2190} \u{2192} \u{2191} \u{2193}", Word::KeyArrows),
    ("0 \u{2026} 9, Enter", Word::KeyNumber),
    ("Shift + \u{2190} \u{2192}", Word::KeyLeap),
    ("Space", Word::KeyPlay),
    ("Shift + \u{2190} \u{2192}", Word::KeySwitch),
    ("Home, End", Word::KeyEnds),
    ("Enter", Word::KeyPin),
    ("Esc", Word::KeyEscape),
    ("+ \u{2212} 0", Word::KeyZoom),
];

/// The button that shows the list, and the list.
#[component]
pub(super) fn KeysButton() -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(false);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <button
            type="button"
            class="quiet"
            id="keys-button"
            aria-expanded=Signal::derive(move || open.get().to_string())
            aria-controls="keys"
            on:click=move |_| open.update(|open| *open = !*open)
        >
            {word(Word::Keys)}
        </button>
        {when_whole(move || list(open))}
    }
}

/// The list, and the keys.
fn list(open: RwSignal<bool>) -> AnyView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let close = move || {
        open.set(false);
        browser::focus_first("#keys-button");
    };
    window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() || browser::is_typing(&event) {
            return;
        }
        match event.key().as_str() {
            "/" => {
                event.prevent_default();
                show_control(store, "#model");
            }
            "c" => store.toggle_kept(),
            "?" => {
                open.set(true);
                request_animation_frame(|| {
                    browser::focus_first("#keys-close");
                });
            }
            "Escape" if open.get_untracked() => close(),
            _ => {}
        }
    });
    let line = move |&(keys, what): &(&'static str, Word)| {
        view! {
            <div>
                <dt><kbd>{keys}</kbd></dt>
                <dd>{word(what)}</dd>
            </div>
        }
    };
    view! {
        <section
            class="sheet card"
            id="keys"
            role="dialog"
            aria-labelledby="keys-title"
            hidden=Signal::derive(move || !open.get())
        >
            <Show when=move || open.get()>
                <div class="figure-head">
                    <h2 id="keys-title">{word(Word::KeysTitle)}</h2>
                    <button type="button" class="quiet" id="keys-close" on:click=move |_| close()>
                        {word(Word::Close)}
                    </button>
                </div>
                <dl class="keys">{KEYS.iter().map(line).collect_view()}</dl>
                <p>
                    <a href="docs/index.html">{word(Word::InGuide)}</a>
                </p>
            </Show>
        </section>
    }
    .into_any()
}
