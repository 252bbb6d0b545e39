//! Peak by batch size, with the crossing marked and named.

use super::look::{FigureWords, highlight, theme_for, unit};
use crate::app::{Store, Target, use_store};
use crate::browser::draw_on;
use crate::chart::{CrossoverFigure, CrossoverHit, CrossoverLayout, Look, draw_crossover};
use crate::report::Sweep;
use crate::text::{Scale, Term, Word, crossover_summary, sweep_point};
use crate::units::Bytes;
use crate::widgets::{Canvas, Figure, Place};
use leptos::html;
use leptos::prelude::*;

fn figure(
    sweep: &Sweep,
    current: u64,
    cursor: Option<u64>,
    usable: Option<Bytes>,
) -> CrossoverFigure<'_> {
    CrossoverFigure {
        sweep,
        capacity: usable,
        current,
        cursor,
    }
}

fn usable(store: Store) -> Option<Bytes> {
    store
        .answer
        .with(|answer| answer.as_ref().map(|e| e.report.device.usable))
}

/// The panel.
#[component]
pub(super) fn CrossoverPanel() -> impl IntoView {
    let store = use_store();
    let node = NodeRef::<html::Canvas>::new();
    let size = RwSignal::new((0, 0));
    let cursor = RwSignal::new(None::<u64>);
    let current = Memo::new(move |_| store.scenario.with(|s| s.micro_batch_size));
    let usable = Memo::new(move |_| usable(store));
    let empty = Sweep {
        points: Vec::new(),
        switches: Vec::new(),
        largest_fitting: None,
    };
    Effect::new(move |_| {
        size.track();
        let Some(element) = node.get() else {
            return;
        };
        let sweep = store.sweep.get();
        let theme = store.appearance.with(theme_for);
        let words = FigureWords::of(store);
        let look = Look {
            theme: &theme,
            words: &words,
            unit: unit(words.units),
            highlight: highlight(store),
        };
        let sweep = sweep.as_deref().unwrap_or(&empty);
        let figure = figure(sweep, current.get(), cursor.get(), usable.get());
        draw_on(&element, |area| draw_crossover(&figure, &look, area));
    });
    let hit = move |(x, y): Place| -> Option<CrossoverHit> {
        untrack(|| {
            let sweep = store.sweep.get()?;
            let theme = store.appearance.with(theme_for);
            let unit = unit(store.units.get());
            let figure = figure(&sweep, current.get(), None, usable.get());
            CrossoverLayout::new(&figure, &theme, unit, size.get()).hit(x, y)
        })
    };
    let point = move |place: Option<Place>| {
        let hit = place.and_then(hit);
        cursor.set(hit.map(|hit| hit.micro_batch_size));
        store
            .focus
            .point(hit.and_then(|hit| hit.phase).map(Target::Phase));
    };
    let pick = move |place| {
        if let Some(hit) = hit(place) {
            store.edit("micro_batch_size", |s| {
                s.micro_batch_size = hit.micro_batch_size;
            });
        }
    };
    let summary = Memo::new(move |_| {
        let (units, language) = (store.units.get(), store.language.get());
        store.sweep.with(|sweep| match (sweep, cursor.get()) {
            (None, _) => Word::Computing.text(language).to_owned(),
            (Some(sweep), Some(at)) => sweep_point(sweep, at, units, language),
            (Some(sweep), None) => crossover_summary(sweep, language),
        })
    });
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    view! {
        <div class="recomputing" class:waiting=Signal::derive(move || store.sweeping.get())>
            <Figure
                id="crossover"
                title=word(Word::CrossoverTitle)
                summary
                table_label=word(Word::Table)
                table=ViewFn::from(|| view! { <CrossoverTable /> })
            >
                <Canvas
                    node
                    label=summary
                    class="canvas-crossover"
                    on_size=move |now| size.set(now)
                    on_point=point
                    on_pick=pick
                />
            </Figure>
        </div>
    }
}

/// The figure's twin.
#[component]
fn CrossoverTable() -> impl IntoView {
    let store = use_store();
    move || {
        let (language, units) = (store.language.get(), store.units.get());
        let sweep = store.sweep.get()?;
        let largest = sweep.points.iter().map(|point| point.total).max()?;
        let scale = Scale::new(largest, units);
        let phases = sweep.points.first()?.phases.iter().map(|(phase, _)| *phase);
        let heads = phases.map(|phase| view! { <th scope="col">{phase.term(language)}</th> });
        let line = |point: &crate::report::SweepPoint| {
            let binding = point.binding;
            let cells = point.phases.iter().map(|&(phase, bytes)| {
                view! { <td class:binds=phase == binding>{scale.number(bytes)}</td> }
            });
            let fits = if point.fits {
                Word::Fits
            } else {
                Word::FitsNot
            };
            view! {
                <tr>
                    <th scope="row">{point.micro_batch_size}</th>
                    {cells.collect_view()}
                    <td>{scale.number(point.total)}</td>
                    <td>{fits.text(language)}</td>
                </tr>
            }
        };
        Some(view! {
            <div class="scroll" role="region" tabindex="0" aria-label=Word::CrossoverTitle.text(language)>
                <table class="numbers">
                    <thead>
                        <tr>
                            <th scope="col">{Word::MicroBatchSize.text(language)}</th>
                            {heads.collect_view()}
                            <th scope="col">{Word::DeviceTotal.text(language)} ", " {scale.unit}</th>
                            <td></td>
                        </tr>
                    </thead>
                    <tbody>{sweep.points.iter().map(line).collect_view()}</tbody>
                </table>
            </div>
        })
    }
}
