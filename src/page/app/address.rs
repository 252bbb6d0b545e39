//! The address: what the page opens with, and what it becomes while one works.

use super::store::Store;
use crate::ask::{Finding, Scenario};
use crate::browser::{self, Timer};
use crate::codec::{self, Theme, ViewOptions, WidgetControls, WidgetPanels};
use crate::text::Language;
use leptos::prelude::*;
use std::time::Duration;

/// How long the scenario must rest before it is written: browsers take milliseconds for it, which
/// are missing in the frames of a drag, and allow about a hundred changes in half a minute.
const REST: Duration = Duration::from_millis(350);

/// The view and the scenarios that an address asks for.
pub(super) struct Opening {
    /// The scenario.
    pub scenario: Scenario,
    /// Findings about the address.
    pub findings: Vec<Finding>,
    /// The language.
    pub language: Language,
    /// The theme, when the address names one.
    pub theme: Option<Theme>,
    /// Whether the compact widget is asked for.
    pub embedded: bool,
    /// Controls that the compact widget has.
    pub controls: WidgetControls,
    /// Its panels.
    pub panels: WidgetPanels,
    /// The scenario to compare with.
    pub against: Option<Box<Scenario>>,
}

/// Reads a query.
pub(super) fn read(query: &str) -> Opening {
    let codec::Link {
        scenario,
        view,
        findings,
    } = codec::decode_query(query);
    Opening {
        scenario,
        findings,
        language: view
            .lang
            .and_then(|language| Language::from_name(language.name()))
            .unwrap_or_else(preferred_language),
        theme: view.theme,
        embedded: view.embed,
        controls: view.controls,
        panels: view.panels,
        against: view.against,
    }
}

/// The query of the scenario that is asked; `embed` for the compact widget.
pub fn query_of(store: Store, embed: bool) -> String {
    store
        .scenario
        .with(|scenario| codec::encode_query(scenario, &view_of(store, embed)))
}

/// The query of the widget with other looks than the page's.
pub fn query_of_widget(store: Store, mut view: ViewOptions) -> String {
    view.against = store.kept.scenario();
    store
        .scenario
        .with(|scenario| codec::encode_query(scenario, &view))
}

/// The query of another scenario in the same view.
pub fn query_of_scenario(store: Store, scenario: &Scenario) -> String {
    codec::encode_query(scenario, &untrack(|| view_of(store, false)))
}

/// The query of two scenarios side by side in the same view.
pub fn query_of_two(store: Store, scenario: &Scenario, against: Option<Scenario>) -> String {
    let view = ViewOptions {
        against: against.map(Box::new),
        ..untrack(|| view_of(store, false))
    };
    codec::encode_query(scenario, &view)
}

/// The language is written only when it is not the browser's preferred language, so that a link
/// speaks its reader's language unless its author chose another.
fn view_of(store: Store, embed: bool) -> ViewOptions {
    let language = store.language.get();
    ViewOptions {
        embed,
        controls: store.controls.clone(),
        panels: store.panels,
        theme: store.theme,
        lang: (language != store.preferred)
            .then(|| codec::Language::from_name(language.name()))
            .flatten(),
        against: store.kept.scenario(),
    }
}

/// The language the browser asks for.
pub(super) fn preferred_language() -> Language {
    browser::languages()
        .iter()
        .find_map(|tag| Language::from_tag(tag))
        .unwrap_or(Language::English)
}

/// Keeps the address up to date, and follows it when the reader goes back or forward. What has no
/// answer is not written: the address stays with the picture on screen.
pub(super) fn follow(store: Store) {
    let rest = Timer::default();
    Effect::new(move |opened: Option<()>| {
        store.scenario.track();
        store.language.track();
        store.kept.track();
        if opened.is_none() {
            return;
        }
        rest.set(REST, move || {
            if let Some(entries) = store.entries.get_value() {
                entries.write();
            } else if !untrack(|| store.is_stale()) {
                browser::replace_query(&untrack(|| query_of(store, false)));
            }
        });
    });
    window_event_listener(leptos::ev::popstate, move |_| {
        match store.entries.get_value() {
            Some(entries) => entries.popped(),
            None => open(store, &browser::query()),
        }
    });
}

/// Opens another configuration as a step of the history: Back returns to the one before.
pub fn visit(store: Store, query: &str) {
    let entries = store.entries.get_value();
    match entries {
        Some(entries) => entries.leave(),
        None if store.embedded => {}
        None => {
            browser::replace_query(&untrack(|| query_of(store, false)));
            browser::push_query(query);
        }
    }
    open(store, query);
    if let Some(entries) = entries {
        entries.arrive(query);
    }
}

/// Shows what a query asks for.
pub(super) fn open(store: Store, query: &str) {
    let opening = read(query);
    let model = |now: &Scenario| now.model == opening.scenario.model;
    if !store.scenario.with_untracked(model) {
        store.forget_job();
    }
    store.replace(opening.scenario);
    store.kept.set(opening.against.map(|against| *against));
    store.address_findings.set(opening.findings);
    // Figures with text in it are drawn anew.
    if store.language.get_untracked() != opening.language {
        store.language.set(opening.language);
    }
}
