//! The widget in somebody else's page: its looks, its snippet, its preview.

use super::copy::CopyButton;
use crate::app::{query_of_widget, use_store};
use crate::browser;
use crate::codec::{Language, Theme, ViewOptions, WidgetControls};
use crate::text::{Word, embed_snippet, setting_name};
use crate::views::controls::MAIN;
use crate::views::setting::Setting;
use leptos::prelude::*;

/// Heights that a widget can have, in CSS pixels; none follows the content.
const HEIGHTS: [Option<u64>; 4] = [None, Some(320), Some(420), Some(560)];

/// A choice among a few things that all have names.
#[component]
fn Choose<T: Copy + PartialEq + Send + Sync + 'static>(
    /// The element's id.
    id: &'static str,
    /// What is chosen.
    label: Word,
    /// What there is, each with its name.
    choices: Vec<(T, Signal<String>)>,
    /// What was chosen.
    chosen: RwSignal<T>,
) -> impl IntoView {
    let store = use_store();
    let values: Vec<T> = choices.iter().map(|(value, _)| *value).collect();
    let pick = move |event| {
        let at = event_target_value(&event).parse::<usize>();
        if let Some(&value) = at.ok().and_then(|at| values.get(at)) {
            chosen.set(value);
        }
    };
    let all = choices
        .into_iter()
        .enumerate()
        .map(|(at, (value, name))| {
            view! {
                <option value=at.to_string() selected=move || chosen.get() == value>{name}</option>
            }
        })
        .collect_view();
    view! {
        <div class="field">
            <label class="field-label" for=id>
                {Signal::derive(move || label.text(store.language.get()))}
            </label>
            <select id=id class="box" on:change=pick>{all}</select>
        </div>
    }
}

/// The snippet with its options, and what it looks like.
#[component]
pub(super) fn EmbedTab() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    let controls = RwSignal::new(WidgetControls::default());
    let theme = RwSignal::new(None::<Theme>);
    let lang = RwSignal::new(None::<Language>);
    let height = RwSignal::new(HEIGHTS[0]);
    let address = Memo::new(move |_| {
        let view = ViewOptions {
            embed: true,
            theme: theme.get(),
            lang: lang.get(),
            controls: controls.get(),
            against: None,
        };
        browser::href_with(&query_of_widget(store, view))
    });
    let snippet = Memo::new(move |_| {
        let script = browser::href_beside("embed.js");
        let follows = height.get().is_none();
        let script = follows.then_some(script.as_str());
        address.with(|address| embed_snippet(address, height.get(), script))
    });
    // Any other setting can be one, too: in the link, by its name there.
    let boxes = MAIN
        .iter()
        .map(|&Setting { key, .. }| {
            let toggle = move |event| {
                let has = event_target_checked(&event);
                controls.update(|all| *all = std::mem::take(all).with(key, has));
            };
            view! {
                <label class="check">
                    <input
                        type="checkbox"
                        prop:checked=move || controls.with(|all| all.has(key))
                        on:change=toggle
                    />
                    {Signal::derive(move || setting_name(key, store.language.get()))}
                </label>
            }
        })
        .collect_view();
    let of_reader = || word(Word::EmbedReaders);
    let heights = HEIGHTS
        .into_iter()
        .map(|height| {
            let name = match height {
                None => word(Word::EmbedAutoHeight),
                Some(pixels) => Signal::derive(move || {
                    format!(
                        "{pixels} px, {}",
                        Word::EmbedFixedHeight.text(store.language.get())
                    )
                }),
            };
            (height, name)
        })
        .collect::<Vec<_>>();
    let themes = vec![
        (None, of_reader()),
        (Some(Theme::Light), word(Word::EmbedLight)),
        (Some(Theme::Dark), word(Word::EmbedDark)),
    ];
    let languages = vec![
        (None, of_reader()),
        (
            Some(Language::English),
            Signal::stored("English".to_owned()),
        ),
        (Some(Language::Chinese), Signal::stored("中文".to_owned())),
    ];
    let shown = move || height.get().unwrap_or(420).to_string();
    view! {
        <fieldset class="checks">
            <legend class="field-label">{word(Word::EmbedControls)}</legend>
            {boxes}
        </fieldset>
        <div class="pair">
            <Choose id="embed-theme" label=Word::EmbedTheme choices=themes chosen=theme />
            <Choose id="embed-lang" label=Word::EmbedLanguage choices=languages chosen=lang />
        </div>
        <Choose id="embed-height" label=Word::EmbedHeight choices=heights chosen=height />
        <label class="field-label" for="share-embed">{word(Word::ShareEmbed)}</label>
        <textarea id="share-embed" rows="4" readonly prop:value=snippet></textarea>
        <div class="share-row">
            <CopyButton label=Word::Copy text=snippet class="primary" />
        </div>
        <iframe
            class="preview"
            title=word(Word::EmbedPreview)
            src=address
            height=shown
        ></iframe>
    }
}
