//! Values that just fit, one for each axis, one click away.

use super::go::go_button;
use super::gpus::GpusPanel;
use crate::app::{AxisSearch, Fits, Search, Store, use_store};
use crate::ask::Finding;
use crate::catalog::accelerator;
use crate::decide::{Solution, long_batches};
use crate::families::catalog_model;
use crate::text::{
    Language, Word, axis_name, batch_lengths, idle_reason, message_text, too_long_batches,
};
use leptos::prelude::*;
use serde_json::Value;

/// A value that was found, as people read it.
fn found_text(axis: &str, value: &Value) -> String {
    let named = value.as_str().unwrap_or_default();
    let name = match axis {
        "model" => catalog_model(named).map(|model| model.name),
        "hardware.gpu" => accelerator(named).map(|gpu| gpu.name),
        _ => None,
    };
    name.map_or_else(|| value.to_string(), str::to_owned)
}

/// The messages of an answer's findings, shown beside it.
fn notes(findings: &[Finding], language: Language) -> String {
    let said = findings
        .iter()
        .map(|finding| message_text(&finding.message, language));
    said.collect::<Vec<_>>().join(" ")
}

/// The place of the answer: the answer, the progress, the button that asks for it, or the reason why there is none.
fn answer(of: &AxisSearch, store: Store, fits: Fits) -> AnyView {
    let language = store.language.get();
    let name = axis_name(of.axis.name(), language).to_owned();
    if let Some(idle) = store.followed.with(|scenario| of.axis.idle(scenario)) {
        return view! { <span class="fit-note">{idle_reason(idle).text(language)}</span> }
            .into_any();
    }
    match of.search.get() {
        Search::Unasked => {
            let asked = of.clone();
            view! {
                <button type="button" class="quiet" on:click=move |_| fits.ask(&asked)>
                    {Word::FitsFind.text(language)} <span class="unseen">": " {name}</span>
                </button>
            }
            .into_any()
        }
        Search::Running => {
            view! { <span class="fit-note">{Word::FitsSearching.text(language)}</span> }.into_any()
        }
        Search::Done(found) => solved(&found, of, store),
    }
}

/// The solution, or the findings that refuse it.
fn solved(found: &Result<Solution, Vec<Finding>>, of: &AxisSearch, store: Store) -> AnyView {
    let language = store.language.get();
    let name = axis_name(of.axis.name(), language).to_owned();
    match found {
        Err(findings) => {
            view! { <span class="fit-note">{notes(findings, language)}</span> }.into_any()
        }
        Ok(Solution { scenario: None, .. }) => {
            view! { <strong data-fits="false">{Word::FitsNothing.text(language)}</strong> }
                .into_any()
        }
        Ok(
            solution @ Solution {
                value,
                scenario: Some(scenario),
                findings,
            },
        ) => {
            let lengths = lengths(solution, of, store);
            let value = found_text(of.axis.name(), value);
            let now = store.scenario.with_untracked(|now| now == scenario);
            let scenario = scenario.clone();
            view! {
                <strong data-fits="true">{value}</strong>
                {if now {
                    view! { <span class="fit-note">{Word::FitsAsNow.text(language)}</span> }.into_any()
                } else {
                    go_button(store, Word::FitsUse, scenario, name)
                }}
                <span class="fit-note">{notes(findings, language)} {lengths}</span>
            }
            .into_any()
        }
    }
}

/// How often batches come that are longer than the longest sequence that fits, where samples differ in length.
fn lengths(solution: &Solution, of: &AxisSearch, store: Store) -> String {
    let language = store.language.get();
    let is_length = of.axis.setting() == "seq_len";
    let asked = store.scenario.with_untracked(Clone::clone);
    let found = is_length.then(|| long_batches(&asked, solution)).flatten();
    found.map_or_else(String::new, |found| {
        let sentences = [
            too_long_batches(&found, language),
            batch_lengths(&found, language),
        ];
        sentences.join(" ")
    })
}

/// The panel.
#[component]
pub(in crate::views) fn FitsPanel() -> impl IntoView {
    let store = use_store();
    let fits = Fits::follow(store);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let row = move |of: AxisSearch| {
        let name = of.axis.name().to_owned();
        let axis = name.clone();
        let label = move || axis_name(&name, store.language.get()).to_owned();
        view! {
            <li class="fit" data-axis=axis>
                <strong>{label}</strong>
                <span class="fit-answer" role="status">{move || answer(&of, store, fits)}</span>
            </li>
        }
    };
    view! {
        <section class="card figure" data-testid="fits" aria-labelledby="fits-title">
            <header class="figure-head">
                <h2 id="fits-title">{word(Word::FitsTitle)}</h2>
                <button type="button" class="quiet" on:click=move |_| fits.ask_all()>
                    {word(Word::FitsFindAll)}
                </button>
            </header>
            <p class="figure-summary">{word(Word::FitsHelp)}</p>
            <ul class="fits">
                {fits.axes().into_iter().map(row).collect_view()}
                <li class="fit" data-axis="curve">
                    <strong>{word(Word::GpusTitle)}</strong>
                    <span class="fit-answer" role="status">
                        {move || {
                            let language = store.language.get();
                            match fits.curves.get() {
                                Search::Running => {
                                    view! { <span class="fit-note">{Word::FitsSearching.text(language)}</span> }.into_any()
                                }
                                Search::Done(_) => {
                                    view! { <span class="fit-note">{Word::GpusBelow.text(language)}</span> }.into_any()
                                }
                                Search::Unasked => {
                                    view! {
                                        <button type="button" class="quiet" on:click=move |_| fits.ask_curves()>
                                            {Word::GpusDraw.text(language)}
                                            <span class="unseen">": " {Word::GpusTitle.text(language)}</span>
                                        </button>
                                    }
                                    .into_any()
                                }
                            }
                        }}
                    </span>
                </li>
            </ul>
        </section>
        <GpusPanel fits />
    }
}
