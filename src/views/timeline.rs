//! Memory over program order: the first and the steady step.

use super::look::{FigureWords, highlight, theme_for, unit};
use crate::app::{Target, use_store};
use crate::browser::draw_on;
use crate::chart::{Look, TimelineFigure, TimelineHit, TimelineLayout, draw_timeline};
use crate::report::Estimate;
use crate::text::{Scale, Term, Word, timeline_point, timeline_summary};
use crate::widgets::{Canvas, Figure, Place};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;

fn figure(estimate: &Estimate, cursor: Option<u32>) -> TimelineFigure<'_> {
    TimelineFigure {
        timeline: &estimate.timeline,
        capacity: Some(estimate.report.device.usable),
        window: None,
        cursor,
    }
}

fn target(hit: TimelineHit) -> Target {
    hit.category
        .map_or(Target::Phase(hit.phase), Target::Category)
}

/// The panel.
#[component]
pub(super) fn TimelinePanel() -> impl IntoView {
    let store = use_store();
    let node = NodeRef::<html::Canvas>::new();
    let size = RwSignal::new((0, 0));
    let cursor = RwSignal::new(None::<usize>);
    let answer = Memo::new(move |_| store.answer.get().map(OfTimeline));
    let event = move |estimate: &Estimate| {
        let point = cursor.get().and_then(|at| estimate.timeline.points.get(at));
        point.map(|point| point.event)
    };
    Effect::new(move |_| {
        size.track();
        let (Some(element), Some(OfTimeline(estimate))) = (node.get(), answer.get()) else {
            return;
        };
        let theme = store.appearance.with(theme_for);
        let words = FigureWords::of(store);
        let look = Look {
            theme: &theme,
            words: &words,
            unit: unit(words.units),
            highlight: highlight(store),
        };
        let figure = figure(&estimate, event(&estimate));
        draw_on(&element, |area| draw_timeline(&figure, &look, area));
    });
    let hit = move |(x, y): Place| {
        untrack(|| {
            let OfTimeline(estimate) = answer.get()?;
            let theme = store.appearance.with(theme_for);
            let unit = unit(store.units.get());
            TimelineLayout::new(&figure(&estimate, None), &theme, unit, size.get()).hit(
                &estimate.timeline,
                x,
                y,
            )
        })
    };
    let point = move |place: Option<Place>| {
        let hit = place.and_then(hit);
        cursor.set(hit.map(|hit| hit.point));
        store
            .focus
            .point(hit.and_then(|hit| hit.category).map(Target::Category));
    };
    let summary = Memo::new(move |_| {
        let (units, language) = (store.units.get(), store.language.get());
        let at = cursor.get();
        store.answer.with(|answer| {
            let Some(estimate) = answer else {
                return String::new();
            };
            match at {
                Some(at) => timeline_point(&estimate.timeline, at, units, language),
                None => timeline_summary(&estimate.timeline, units, language),
            }
        })
    });
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    view! {
        <Figure
            id="timeline"
            title=word(Word::TimelineTitle)
            summary
            table_label=word(Word::Table)
            table=ViewFn::from(|| view! { <TimelineTable /> })
        >
            <Canvas
                node
                label=summary
                class="canvas-timeline"
                on_size=move |now| size.set(now)
                on_point=point
                on_pick=move |place| {
                    if let Some(hit) = hit(place) {
                        store.focus.toggle(target(hit));
                    }
                }
            />
        </Figure>
    }
}

/// The figure's twin: the highest point of each phase, in program order.
#[component]
fn TimelineTable() -> impl IntoView {
    let store = use_store();
    move || {
        let (language, units) = (store.language.get(), store.units.get());
        let answer = store.answer.get()?;
        let peaks = crate::figure::phase_peaks(&answer.timeline);
        let largest = peaks.iter().map(|peak| peak.reserved).max()?;
        let scale = Scale::new(largest, units);
        let line = |peak: &crate::figure::PhasePeak| {
            view! {
                <tr>
                    <th scope="row">{peak.step_number}</th>
                    <td>{peak.micro_batch_number}</td>
                    <td>{peak.phase.term(language)}</td>
                    <td>{scale.number(peak.tensors)}</td>
                    <td>{scale.number(peak.allocated)}</td>
                    <td>{scale.number(peak.reserved)}</td>
                </tr>
            }
        };
        Some(view! {
            <div class="scroll" role="region" tabindex="0" aria-label=Word::TimelineTitle.text(language)>
                <table class="numbers">
                    <thead>
                        <tr>
                            <th scope="col">{Word::Step.text(language)}</th>
                            <th scope="col">{Word::MicroBatch.text(language)}</th>
                            <th scope="col">{Word::Phase.text(language)}</th>
                            <th scope="col">{Word::LiveTensors.text(language)} ", " {scale.unit}</th>
                            <th scope="col">{Word::Allocated.text(language)}</th>
                            <th scope="col">{Word::Reserved.text(language)}</th>
                        </tr>
                    </thead>
                    <tbody>{peaks.iter().map(line).collect_view()}</tbody>
                </table>
            </div>
        })
    }
}

/// An answer that is equal to another when this figure is.
#[derive(Clone)]
struct OfTimeline(Arc<Estimate>);

impl PartialEq for OfTimeline {
    fn eq(&self, other: &Self) -> bool {
        let usable = |of: &Self| of.0.report.device.usable;
        self.0.timeline == other.0.timeline && usable(self) == usable(other)
    }
}
