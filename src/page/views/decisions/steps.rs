//! Many steps of differing length: what the allocator comes to hold, with and without expandable segments.

use crate::app::{Search, StepsSearch, Store, use_store};
use crate::chart::{HeldAt, HistoryFigure, HistoryHit};
use crate::decide::SegmentsRun;
use crate::text::{
    InputWord, Scale, Word, long_steps_summary, message_text, segments_sentence, step_sentence,
};
use crate::units::Bytes;
use crate::views::plot::Plotted;
use crate::views::two_runs::TwoRuns;
use leptos::prelude::*;
use std::sync::Arc;

/// The peaks of a run, step by step.
fn held(run: Option<&SegmentsRun>) -> Vec<HeldAt> {
    let steps = run.map_or(&[][..], |run| run.steps.as_slice());
    let moment = |(number, step): (u64, &crate::report::StepHeld)| HeldAt {
        event: number,
        allocated: step.peak_allocated,
        reserved: step.peak_reserved,
    };
    (1..).zip(steps).map(moment).collect()
}

/// The sentence about all steps, or about one.
fn say(store: Store, search: StepsSearch, figure: &HistoryFigure) -> String {
    let (units, language) = (store.units.get(), store.language.get());
    let known = search.known();
    let Some(Ok(found)) = known.as_deref() else {
        return String::new();
    };
    let Some(HistoryHit { run, place }) = figure.cursor else {
        return long_steps_summary(found, language);
    };
    let run = found.runs.get(run);
    run.map(|run| step_sentence(run, place, units, language))
        .unwrap_or_default()
}

/// The figure's twin: the steps in which more is reserved than ever before.
fn table(store: Store, search: StepsSearch) -> Option<AnyView> {
    let (language, units) = (store.language.get(), store.units.get());
    let known = search.known()?;
    let found = known.as_ref().as_ref().ok()?;
    let most = found.runs.iter().map(|run| run.peak_reserved).max()?;
    let scale = Scale::new(most, units);
    let rows = found.runs.iter().flat_map(|run| {
        let name = if run.expandable_segments {
            Word::StepsExpandable
        } else {
            Word::StepsPlain
        };
        run.growth
            .iter()
            .map(move |(step, reserved): &(u64, Bytes)| {
                view! {
                    <tr>
                        <th scope="row">{name.text(language)}</th>
                        <td>{*step}</td>
                        <td>{scale.number(*reserved)}</td>
                    </tr>
                }
            })
    });
    Some(
        view! {
            <div class="scroll" role="region" tabindex="0" aria-label=Word::Table.text(language)>
                <table class="numbers">
                    <caption>{scale.unit}</caption>
                    <thead>
                        <tr>
                            <th scope="col"></th>
                            <th scope="col">{Word::StepsStep.text(language)}</th>
                            <th scope="col">{InputWord::Reserved.text(language)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// The results in sentences.
fn answer(store: Store, search: StepsSearch) -> String {
    let (units, language) = (store.units.get(), store.language.get());
    match search.search.get() {
        Search::Unasked => String::new(),
        Search::Running => Word::FitsSearching.text(language).to_owned(),
        Search::Done(found) => match found.as_ref() {
            Ok(found) => {
                let runs = found.runs.iter();
                let said = runs.map(|run| segments_sentence(run, units, language));
                said.collect::<Vec<_>>().join(" ")
            }
            Err(findings) => {
                let said = findings.iter();
                let said = said.map(|finding| message_text(&finding.message, language));
                said.collect::<Vec<_>>().join(" ")
            }
        },
    }
}

/// The panel, where it is known how long samples are.
#[component]
pub(in crate::views) fn StepsPanel() -> impl IntoView {
    let store = use_store();
    let search = StepsSearch::follow(store);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let differs = Memo::new(move |_| store.followed.with(|of| of.dataset.lengths.is_some()));
    let is_known = Memo::new(move |_| search.known().is_some_and(|found| found.is_ok()));
    let held = Memo::new(move |_| {
        let known = search.known();
        let found = known
            .as_ref()
            .and_then(|found| found.as_ref().as_ref().ok());
        [0, 1].map(|run: usize| held(found.and_then(|found| found.runs.get(run))))
    });
    view! {
        <Show when=move || differs.get()>
            <section class="card figure" data-testid="steps-panel" aria-labelledby="steps-panel-title">
                <header class="figure-head">
                    <h2 id="steps-panel-title">{word(Word::StepsTitle)}</h2>
                    <button
                        type="button"
                        class="quiet"
                        hidden=move || !matches!(search.search.get(), Search::Unasked)
                        on:click=move |_| search.ask()
                    >
                        {word(Word::GpusDraw)}
                        <span class="unseen">": " {word(Word::StepsFigure)}</span>
                    </button>
                </header>
                <p class="figure-summary">{word(Word::StepsHelp)}</p>
                <p role="status">{move || answer(store, search)}</p>
            </section>
            <Show when=move || is_known.get()>
                <Plotted
                    id="steps"
                    title=Word::StepsFigure
                    class="canvas-gpus"
                    plot=Arc::new(TwoRuns {
                        runs: move || {
                            let language = store.language.get();
                            let [plain, expandable] = held.get();
                            [
                                (Word::StepsPlain.text(language), plain),
                                (Word::StepsExpandable.text(language), expandable),
                            ]
                        },
                        say: move |figure: &HistoryFigure| say(store, search, figure),
                    })
                    table=ViewFn::from(move || table(store, search))
                />
            </Show>
        </Show>
    }
}
