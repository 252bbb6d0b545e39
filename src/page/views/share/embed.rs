//! The widget in somebody else's page: its looks, its snippet, its preview.

use super::copy::CopyButton;
use crate::app::{Store, query_of_widget, use_store};
use crate::browser;
use crate::codec::{
    Language, Panel, Theme, ViewOptions, WidgetControls, WidgetPanels, widget_height,
};
use crate::report::Report;
use crate::text::{Word, embed_snippet, setting_name, widget_title};
use crate::views::controls::MAIN;
use crate::views::setting::Setting;
use leptos::prelude::*;

/// Widths at which the widget is looked at, in CSS pixels.
const WIDTHS: [u64; 3] = [360, 640, 960];

/// A choice among a few things that stand side by side.
fn segmented<T: Copy + PartialEq + Send + Sync + 'static>(
    label: Signal<String>,
    choices: Vec<(T, Signal<String>)>,
    chosen: RwSignal<T>,
) -> impl IntoView {
    let button = move |(value, name): (T, Signal<String>)| {
        view! {
            <button
                type="button"
                aria-pressed=move || (chosen.get() == value).to_string()
                on:click=move |_| chosen.set(value)
            >
                {name}
            </button>
        }
    };
    let all = choices.into_iter().map(button).collect_view();
    view! { <div class="toggle" role="group" aria-label=label>{all}</div> }
}

/// Boxes to tick, one for each of a few things.
fn boxes<T: Copy + Send + Sync + 'static>(
    title: Signal<String>,
    all: impl IntoIterator<Item = (T, Signal<String>)>,
    has: impl Fn(T) -> bool + Copy + Send + Sync + 'static,
    toggle: impl Fn(T, bool) + Copy + 'static,
) -> impl IntoView {
    let each = move |(value, name): (T, Signal<String>)| {
        view! {
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=move || has(value)
                    on:change=move |event| toggle(value, event_target_checked(&event))
                />
                {name}
            </label>
        }
    };
    let all = all.into_iter().map(each).collect_view();
    view! {
        <fieldset class="checks">
            <legend class="field-label">{title}</legend>
            {all}
        </fieldset>
    }
}

/// The name of a panel in the dialog.
const fn panel_word(panel: Panel) -> Word {
    match panel {
        Panel::Bars => Word::PanelBars,
        Panel::Phases => Word::PanelPhases,
        Panel::Crossover => Word::PanelCrossover,
    }
}

/// A choice among a few things that all have names.
#[component]
fn Choose<T: Copy + PartialEq + Send + Sync + 'static>(
    /// The element's id.
    id: &'static str,
    /// The label of the choice.
    label: Word,
    /// The values on offer, each with its name.
    choices: Vec<(T, Signal<String>)>,
    /// The chosen value.
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

/// The widget as it looks in a few widths, light and dark unless its code says which.
fn preview(
    store: Store,
    address_in: impl Fn(Option<Theme>) -> String + Copy + Send + Sync + 'static,
    theme: RwSignal<Option<Theme>>,
    height: Memo<u64>,
) -> impl IntoView {
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    let width = RwSignal::new(WIDTHS[0]);
    let widths = WIDTHS.map(|width| (width, Signal::stored(format!("{width} px"))));
    let inks = vec![
        (Theme::Light, word(Word::EmbedLight)),
        (Theme::Dark, word(Word::EmbedDark)),
    ];
    let ink = RwSignal::new(Theme::Light);
    let address = Memo::new(move |_| address_in(theme.get().or(Some(ink.get()))));
    view! {
        <div class="preview-tools">
            {segmented(word(Word::PreviewWidth), widths.to_vec(), width)}
            <Show when=move || theme.get().is_none()>
                {segmented(word(Word::PreviewTheme), inks.clone(), ink)}
            </Show>
        </div>
        <div class="previewed">
            <iframe
                class="preview"
                title=word(Word::EmbedPreview)
                src=address
                width=move || width.get().to_string()
                height=move || height.get().to_string()
            ></iframe>
        </div>
    }
}

/// The snippet with its options, and what it looks like.
#[component]
pub(super) fn EmbedTab() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    let controls = RwSignal::new(WidgetControls::default());
    let panels = RwSignal::new(WidgetPanels::default());
    let theme = RwSignal::new(None::<Theme>);
    let lang = RwSignal::new(None::<Language>);
    let follows = RwSignal::new(true);
    let address_in = move |theme: Option<Theme>| {
        let view = ViewOptions {
            embed: true,
            theme,
            lang: lang.get(),
            controls: controls.get(),
            panels: panels.get(),
            against: None,
        };
        browser::href_with(&query_of_widget(store, view))
    };
    let height =
        Memo::new(move |_| controls.with(|controls| widget_height(panels.get(), controls)));
    let title = move || {
        let language = store.language.get();
        let of = |report: &Report| store.scenario.with(|s| widget_title(report, s, language));
        store
            .answer
            .with(|answer| answer.as_ref().map(|answer| of(&answer.report)))
            .unwrap_or_default()
    };
    let snippet = Memo::new(move |_| {
        let script = browser::href_beside("embed.js");
        let script = follows.get().then_some(script.as_str());
        embed_snippet(&address_in(theme.get()), &title(), height.get(), script)
    });
    // Any other setting can be one, too: in the link, by its name there.
    let offered = MAIN.iter().map(move |&Setting { key, .. }| {
        let name = move || setting_name(key, store.language.get()).to_owned();
        (key, Signal::derive(name))
    });
    let control_boxes = boxes(
        word(Word::EmbedControls),
        offered,
        move |key| controls.with(|all| all.has(key)),
        move |key, has| controls.update(|all| *all = std::mem::take(all).with(key, has)),
    );
    let panel_boxes = boxes(
        word(Word::EmbedPanels),
        Panel::ALL
            .iter()
            .map(move |&panel| (panel, word(panel_word(panel)))),
        move |panel| panels.get().has(panel),
        move |panel, has| panels.update(|all| *all = all.with(panel, has)),
    );
    let of_reader = || word(Word::EmbedReaders);
    let fixed = Signal::derive(move || {
        let word = Word::EmbedFixedHeight.text(store.language.get());
        format!("{} px, {word}", height.get())
    });
    let heights = vec![(true, word(Word::EmbedAutoHeight)), (false, fixed)];
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
    view! {
        {control_boxes}
        {panel_boxes}
        <div class="pair">
            <Choose id="embed-theme" label=Word::EmbedTheme choices=themes chosen=theme />
            <Choose id="embed-lang" label=Word::EmbedLanguage choices=languages chosen=lang />
        </div>
        <Choose id="embed-height" label=Word::EmbedHeight choices=heights chosen=follows />
        <label class="field-label" for="share-embed">{word(Word::ShareEmbed)}</label>
        <textarea id="share-embed" rows="4" readonly prop:value=snippet></textarea>
        <div class="share-row">
            <CopyButton label=Word::Copy text=snippet class="primary" />
        </div>
        {preview(store, address_in, theme, height)}
    }
}
