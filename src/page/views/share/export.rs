//! Files to save: figures as PNG and SVG, numbers as JSON, Markdown and CSV.

use crate::app::{Store, use_store};
use crate::browser::{self, Canvas};
use crate::chart::{Caption, Highlight, Look, captioned};
use crate::codec::encode_json;
use crate::text::{FigureWords, Word, configuration, csv, markdown};
use crate::views::gallery::{Gallery, Hung};
use crate::views::look::{theme_for, unit};
use crate::views::surface::{Area, Surface};
use leptos::prelude::*;

/// A saved figure's size in CSS pixels.
const SIZE: (u32, u32) = (960, 520);
/// Device pixels of a saved picture for each of them.
const RATIO: f64 = 2.0;

/// Draws a figure with its caption.
fn draw(hung: &Hung, store: Store, link: &str, area: &Area) {
    let theme = store.appearance.with_untracked(theme_for);
    let language = store.language.get_untracked();
    let words = FigureWords {
        language,
        units: store.units.get_untracked(),
    };
    let look = Look {
        theme: &theme,
        words: &words,
        unit: unit(words.units),
        highlight: Highlight::None,
    };
    let configuration = configuration_of(store);
    let caption = Caption {
        title: hung.title.text(language),
        configuration: &configuration,
        address: link,
    };
    let drawn = captioned(area, &look, &caption, |area| {
        untrack(|| hung.plot.draw(&look, None, area))
    });
    // Neither a canvas nor a text in memory reports errors.
    let _ = drawn.and_then(|()| area.present());
}

fn configuration_of(store: Store) -> String {
    let language = store.language.get_untracked();
    store.answer.with_untracked(|answer| {
        let report = answer.as_ref().map(|estimate| &estimate.report);
        let scenario = store.scenario.get_untracked();
        report.map_or_else(String::new, |report| {
            configuration(&scenario, report, language)
        })
    })
}

fn save_svg(hung: &Hung, store: Store, link: &str) {
    let mut text = String::new();
    draw(hung, store, link, &Surface::document(&mut text, SIZE));
    browser::save_text(
        &format!("highwater-{}.svg", hung.id),
        "image/svg+xml",
        &text,
    );
}

fn save_png(hung: &Hung, store: Store, link: &str) {
    if let Some((canvas, element)) = Canvas::apart(SIZE, RATIO) {
        draw(hung, store, link, &Surface::canvas(canvas));
        browser::save_png(&format!("highwater-{}.png", hung.id), &element);
    }
}

/// The scenario and its whole report.
fn json(store: Store) -> Option<String> {
    let scenario = encode_json(&store.scenario.get_untracked());
    store.answer.with_untracked(|answer| {
        let report = serde_json::to_string_pretty(&answer.as_ref()?.report).ok()?;
        Some(format!(
            "{{\"scenario\": {scenario},\n\"report\": {report}}}\n"
        ))
    })
}

/// A document of the answer.
fn document(store: Store, link: &str) -> Option<String> {
    let (units, language) = (store.units.get_untracked(), store.language.get_untracked());
    store.answer.with_untracked(|answer| {
        let report = &answer.as_ref()?.report;
        let scenario = store.scenario.get_untracked();
        Some(markdown(&scenario, report, link, units, language))
    })
}

fn table(store: Store) -> Option<String> {
    store
        .answer
        .with_untracked(|answer| Some(csv(&answer.as_ref()?.report)))
}

fn save_data(name: &str, kind: &str, text: Option<String>) {
    if let Some(text) = text {
        browser::save_text(name, kind, &text);
    }
}

/// A figure with its buttons, which wait until there is something to draw.
fn export_row(hung: Hung, store: Store, link: Memo<String>) -> impl IntoView {
    let plot = hung.plot.clone();
    let waits = Memo::new(move |_| !plot.is_there());
    let why = move || {
        waits
            .get()
            .then(|| Word::ExportLater.text(store.language.get()))
    };
    let title = hung.title;
    let button = move |name: &'static str, save: fn(&Hung, Store, &str)| {
        let hung = hung.clone();
        view! {
            <button
                type="button"
                class="quiet"
                disabled=move || waits.get()
                title=why
                on:click=move |_| save(&hung, store, &link.get_untracked())
            >
                {name}
            </button>
        }
    };
    view! {
        <li class="export-row">
            <span>{Signal::derive(move || title.text(store.language.get()))}</span>
            <span class="buttons">{button("PNG", save_png)} {button("SVG", save_svg)}</span>
        </li>
    }
}

/// Buttons that save.
#[component]
pub(super) fn ExportTab(
    /// The link to the configuration on screen.
    link: Memo<String>,
) -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let gallery = use_context::<Gallery>();
    let figures = move || {
        let all = gallery.map(Gallery::all).unwrap_or_default();
        all.into_iter()
            .map(|hung| export_row(hung, store, link))
            .collect_view()
    };
    view! {
        <h3>{word(Word::ExportFigures)}</h3>
        <p class="field-note">{word(Word::ExportFiguresHelp)}</p>
        <ul class="export-list">{figures}</ul>
        <h3>{word(Word::ExportData)}</h3>
        <p class="field-note">{word(Word::ExportDataHelp)}</p>
        <div class="share-row">
            <button
                type="button"
                class="quiet"
                on:click=move |_| save_data("highwater.json", "application/json", json(store))
            >
                "JSON"
            </button>
            <button
                type="button"
                class="quiet"
                on:click=move |_| {
                    let text = document(store, &link.get_untracked());
                    save_data("highwater.md", "text/markdown", text);
                }
            >
                "Markdown"
            </button>
            <button
                type="button"
                class="quiet"
                on:click=move |_| save_data("highwater.csv", "text/csv", table(store))
            >
                "CSV"
            </button>
        </div>
    }
}
