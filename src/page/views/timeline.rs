//! Memory over program order: the first and the steady step, or what the reader zooms into.

use super::plot::{Move, Plot, Plotted, Sheet, Spot};
use super::surface::{Area, Surface};
use crate::app::{Store, Target, use_store};
use crate::chart::{
    Drawn, Look, TimelineFigure, TimelineHit, TimelineLayout, TimelineMarks, draw_timeline,
};
use crate::figure::{phase_peaks, zoomed};
use crate::report::{Estimate, Timeline};
use crate::text::{Scale, Term, Word, timeline_point, timeline_summary};
use crate::widgets::{Drag, Place, Stage};
use leptos::prelude::*;
use std::sync::Arc;

/// The figure's source.
#[derive(Clone, Copy)]
struct OverTime {
    store: Store,
    answer: Memo<Option<OfTimeline>>,
    /// The events being brushed over.
    brush: RwSignal<Option<(u32, u32)>>,
}

fn spot(hit: TimelineHit) -> Spot {
    Spot {
        at: hit.point as u64,
        target: Some(
            hit.category
                .map_or(Target::Phase(hit.phase), Target::Category),
        ),
    }
}

fn index(spot: Spot) -> usize {
    usize::try_from(spot.at).unwrap_or(usize::MAX)
}

impl OverTime {
    fn with<R>(&self, spot: Option<Spot>, f: impl FnOnce(&TimelineFigure) -> R) -> Option<R> {
        let OfTimeline(estimate) = self.answer.get()?;
        let closer = self.store.closer.get();
        let timeline = closer.as_deref().unwrap_or(&estimate.timeline);
        let at = spot.and_then(|spot| timeline.points.get(index(spot)));
        let lifetime = match self.store.focus.current() {
            Some(Target::Tensor(tensor)) => Some((tensor.born, tensor.freed)),
            _ => None,
        };
        Some(f(&TimelineFigure {
            timeline,
            capacity: Some(estimate.report.device.usable),
            window: self.store.window.get(),
            cursor: at.map(|point| point.event),
            measure: self.store.measure.get(),
            marks: TimelineMarks {
                brush: self.brush.get(),
                lifetime,
            },
        }))
    }

    fn layout<R>(
        &self,
        sheet: &Sheet,
        f: impl FnOnce(&TimelineLayout, &Timeline) -> Option<R>,
    ) -> Option<R> {
        self.with(None, |figure| {
            let layout = TimelineLayout::new(figure, &sheet.theme, sheet.unit, sheet.size);
            f(&layout, figure.timeline)
        })?
    }

    /// Shows about `share` of the events that are shown now, around a spot.
    fn zoom(&self, spot: Option<Spot>, share: f64) {
        let next = untrack(|| {
            self.with(spot, |figure| {
                let around = figure.cursor.or_else(|| {
                    let peak = figure.timeline.points.get(figure.timeline.peak)?;
                    Some(peak.event)
                })?;
                zoomed(figure.timeline, figure.window, around, share)
            })?
        });
        self.store.window.set(next);
    }
}

impl Plot for OverTime {
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_timeline(figure, look, area))
            .unwrap_or(Ok(()))
    }

    fn is_there(&self) -> bool {
        self.with(None, |_| ()).is_some()
    }

    fn hit(&self, sheet: &Sheet, (x, y): Place) -> Option<Spot> {
        self.layout(sheet, |layout, timeline| layout.hit(timeline, x, y))
            .map(spot)
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        let category = match from.and_then(|from| from.target) {
            Some(Target::Category(category)) => Some(category),
            _ => None,
        };
        let at = from.map(index);
        self.layout(sheet, |layout, timeline| {
            let all = isize::try_from(layout.runs.len()).unwrap_or(isize::MAX);
            let (point, by) = match to {
                Move::Along(by) => (layout.step(timeline, at, by)?, 0),
                Move::Leap(by) => match at {
                    Some(at) => (layout.step_phase(timeline, at, by)?, 0),
                    None => (layout.step(timeline, None, 0)?, 0),
                },
                Move::Start => (layout.step(timeline, at.or(Some(0)), -all)?, 0),
                Move::End => (layout.step(timeline, at.or(Some(0)), all)?, 0),
                Move::Across(by) => (at.or_else(|| layout.step(timeline, None, 0))?, by),
            };
            let run = layout.run_of(point)?;
            let phase = layout.program.section_at(run.x0)?.span.phase;
            let category = layout.step_layer(timeline, point, category, by);
            Some(TimelineHit {
                point,
                phase,
                category,
            })
        })
        .map(spot)
    }

    fn pick(&self, spot: Spot) {
        if let Some(target) = spot.target {
            self.store.focus.toggle(target);
        }
    }

    fn say(&self, spot: Option<Spot>) -> String {
        let (units, language) = (self.store.units.get(), self.store.language.get());
        self.with(None, |figure| match spot {
            Some(spot) => timeline_point(figure.timeline, index(spot), units, language),
            None => timeline_summary(figure.timeline, figure.measure, units, language),
        })
        .unwrap_or_default()
    }

    fn brush(&self, sheet: &Sheet, drag: Drag) {
        let brushed = self.layout(sheet, |layout, _| {
            layout.program.between(drag.from.0, drag.to.0)
        });
        self.brush
            .set(brushed.filter(|_| drag.stage == Stage::Going));
        if let (Stage::Done, Some(window)) = (drag.stage, brushed) {
            self.store.window.set(Some(window));
        }
    }

    fn key(&self, _sheet: &Sheet, spot: Option<Spot>, key: &str) -> bool {
        match key {
            "+" | "=" => self.zoom(spot, CLOSER),
            "-" => self.zoom(spot, FARTHER),
            "0" => self.store.window.set(None),
            _ => return false,
        }
        true
    }
}

/// Share of the shown events that one step closer shows.
const CLOSER: f64 = 0.5;
/// One step back shows this many times as much.
const FARTHER: f64 = 2.0;

/// The panel.
#[component]
pub(super) fn TimelinePanel() -> impl IntoView {
    let store = use_store();
    let answer = Memo::new(move |_| store.settled.get().map(OfTimeline));
    let plot = OverTime {
        store,
        answer,
        brush: RwSignal::new(None),
    };
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let whole = Signal::derive(move || store.window.get().is_none());
    let tools = move || {
        view! {
            <button
                type="button"
                class="quiet square"
                aria-label=word(Word::ZoomIn)
                title=word(Word::ZoomHelp)
                on:click=move |_| plot.zoom(None, CLOSER)
            >
                "+"
            </button>
            <button
                type="button"
                class="quiet square"
                aria-label=word(Word::ZoomOut)
                disabled=whole
                on:click=move |_| plot.zoom(None, FARTHER)
            >
                "\u{2212}"
            </button>
            <button
                type="button"
                class="quiet"
                disabled=whole
                on:click=move |_| store.window.set(None)
            >
                {word(Word::ZoomReset)}
            </button>
        }
    };
    view! {
        <Plotted
            id="timeline"
            title=Word::TimelineTitle
            class="canvas-timeline"
            plot=Arc::new(plot)
            brushable=true
            tools=ViewFn::from(tools)
            table=ViewFn::from(|| view! { <TimelineTable /> })
        />
    }
}

/// The figure's twin: the highest point of each phase, in program order.
#[component]
fn TimelineTable() -> impl IntoView {
    let store = use_store();
    move || {
        let (language, units) = (store.language.get(), store.units.get());
        let answer = store.settled.get()?;
        let peaks = phase_peaks(&answer.timeline);
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
