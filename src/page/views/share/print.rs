//! The page on paper: figures drawn for it whether they are in sight or not, settings as a table.

use crate::app::{Store, query_of, use_store};
use crate::ask::Scenario;
use crate::browser::{self, Appearance};
use crate::codec::{differences, value_at, values};
use crate::text::{Language, Word, setting_name, widget_title};
use crate::views::controls::MAIN;
use crate::views::setting::Setting;
use crate::views::value::value_text;
use leptos::prelude::*;

/// A figure's size on A4 paper, in CSS pixels.
pub(in crate::views) const FIGURE: (u32, u32) = (700, 140);

/// The settings that people turn most, then the others that are not as usual, each with its value.
fn settings(scenario: &Scenario, language: Language) -> Vec<(&'static str, String)> {
    let main = MAIN.iter().map(|&Setting { key, .. }| key);
    let others = differences(&Scenario::default(), scenario);
    let others = others.iter().map(|found| found.key.path);
    let others = others.filter(|path| *path != "model" && MAIN.iter().all(|of| of.key != *path));
    let all = values(scenario);
    main.chain(others)
        .map(|path| {
            let value = value_text(path, value_at(&all, path), language);
            (setting_name(path, language), value)
        })
        .collect()
}

/// The section that only paper shows: the configuration's name, its settings, its link.
fn sheet(store: Store) -> impl IntoView {
    let language = store.language.get();
    let scenario = store.scenario.get();
    let title = store
        .answer
        .with(|answer| Some(widget_title(&answer.as_ref()?.report, &scenario, language)));
    let row = |(name, value): (&'static str, String)| {
        view! { <tr><th scope="row">{name}</th><td>{value}</td></tr> }
    };
    let rows = settings(&scenario, language);
    view! {
        <section class="printed" data-testid="printed">
            <h1>{title}</h1>
            <table aria-label=Word::PrintedSettings.text(language)>
                <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
            </table>
            <p class="printed-link">{browser::href_with(&query_of(store, false))}</p>
        </section>
    }
}

/// Dresses the page for paper while it is printed.
#[component]
pub(in crate::views) fn Print() -> impl IntoView {
    let store = use_store();
    let screen = StoredValue::new(None::<Appearance>);
    let begin = move |_| {
        if store.printing.get_untracked() {
            return;
        }
        let now = store.appearance.get_untracked();
        store.appearance.set(Appearance {
            dark: false,
            forced: None,
            ..now
        });
        screen.set_value(Some(now));
        store.printing.set(true);
    };
    let end = move |_| {
        store.printing.set(false);
        if let Some(appearance) = screen.try_update_value(Option::take).flatten() {
            store.appearance.set(appearance);
        }
    };
    window_event_listener(leptos::ev::beforeprint, begin);
    window_event_listener(leptos::ev::afterprint, end);
    view! { <Show when=move || store.printing.get()>{move || sheet(store)}</Show> }
}
