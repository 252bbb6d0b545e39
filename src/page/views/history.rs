//! A snapshot over time, beside the prediction for the scenario on screen.

use super::plot::Plotted;
use super::two_runs::TwoRuns;
use crate::app::{Store, use_drawer, use_store};
use crate::chart::{HeldAt, HistoryFigure, HistoryHit};
use crate::inputs::Moment;
use crate::report::TimelinePoint;
use crate::text::{InputWord, Scale, Word, history_moment, history_summary};
use crate::units::Bytes;
use leptos::prelude::*;
use std::sync::Arc;

fn bytes(held: i64) -> Bytes {
    Bytes(u64::try_from(held).unwrap_or_default())
}

/// Measured moments of the device that held most.
fn measured() -> Vec<HeldAt> {
    let snapshot = use_drawer().snapshot();
    let device = snapshot.as_ref().and_then(|snapshot| snapshot.fullest());
    let moments = device.map(|device| device.timeline.as_slice());
    let moment = |moment: &Moment| HeldAt {
        event: moment.position as u64,
        allocated: bytes(moment.held.allocated),
        reserved: bytes(moment.held.reserved),
    };
    moments.unwrap_or_default().iter().map(moment).collect()
}

/// Predicted moments of the scenario on screen.
fn predicted(store: Store) -> Vec<HeldAt> {
    store.settled.with(|answer| {
        let points = answer.as_ref().map(|answer| &answer.timeline.points);
        let points = points.map_or(&[][..], Vec::as_slice);
        let moment = |point: &TimelinePoint| HeldAt {
            event: u64::from(point.event),
            allocated: point.allocated,
            reserved: point.reserved,
        };
        points.iter().map(moment).collect()
    })
}

/// The sentence about both runs, or about a moment of one.
fn say(store: Store, figure: &HistoryFigure) -> String {
    let (units, language) = (store.units.get(), store.language.get());
    if let Some(HistoryHit { run, place }) = figure.cursor {
        let history = &figure.runs[run];
        let moment = history.moments.get(place).copied().unwrap_or_default();
        let held = [moment.allocated, moment.reserved];
        return history_moment(history.title, moment.event, held, units, language);
    }
    let peak = |run: usize| {
        let moments = figure.runs[run].moments.iter();
        let allocated = moments.clone().map(|moment| moment.allocated).max();
        let reserved = moments.map(|moment| moment.reserved).max();
        [allocated, reserved].map(Option::unwrap_or_default)
    };
    history_summary(peak(0), peak(1), units, language)
}

/// The figure's twin: a line for each moment of the snapshot.
fn table(store: Store, measured: Memo<Vec<HeldAt>>) -> Option<AnyView> {
    let (language, units) = (store.language.get(), store.units.get());
    let moments = measured.get();
    let scale = Scale::new(moments.iter().map(|moment| moment.reserved).max()?, units);
    let rows = moments.iter().map(|moment| {
        view! {
            <tr>
                <th scope="row">{moment.event}</th>
                <td>{scale.number(moment.allocated)}</td>
                <td>{scale.number(moment.reserved)}</td>
            </tr>
        }
    });
    let heads = [InputWord::Events, InputWord::Allocated, InputWord::Reserved];
    let heads = heads.iter();
    let heads = heads.map(|head| view! { <th scope="col">{head.text(language)}</th> });
    Some(
        view! {
            <div class="scroll" role="region" tabindex="0" aria-label=Word::Table.text(language)>
                <table class="numbers">
                    <caption>{scale.unit}</caption>
                    <thead>
                        <tr>{heads.collect_view()}</tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// The figure; nothing where no snapshot is opened.
#[component]
pub(super) fn SnapshotHistory() -> impl IntoView {
    let store = use_store();
    let is_one = Memo::new(move |_| use_drawer().snapshot().is_some());
    let measured = Memo::new(move |_| measured());
    // Nobody needs the prediction while there is no measurement beside it.
    let predicted = Memo::new(move |_| {
        if is_one.get() {
            predicted(store)
        } else {
            Vec::new()
        }
    });
    view! {
        <Show when=move || is_one.get()>
            <Plotted
                id="snapshot"
                title=Word::SnapshotTitle
                class="canvas-gpus"
                plot=Arc::new(TwoRuns {
                    runs: move || {
                        let language = store.language.get();
                        [
                            (InputWord::Measured.text(language), measured.get()),
                            (InputWord::Predicted.text(language), predicted.get()),
                        ]
                    },
                    say: move |figure: &HistoryFigure| say(store, figure),
                })
                table=ViewFn::from(move || table(store, measured))
            />
        </Show>
    }
}
