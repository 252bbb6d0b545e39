//! The phases side by side, the binding one marked.

use super::breakdown::BreakdownTable;
use super::look::{theme_for, unit};
use super::peak::{Crown, held};
use super::plot::{Move, Plot, Plotted, Sheet, Spot};
use super::seen::when_whole;
use super::surface::{Area, Surface};
use crate::app::{Store, Target, use_store};
use crate::chart::{Drawn, Look, PhasesFigure, PhasesHit, PhasesLayout, draw_phases, phases_need};
use crate::figure::binding_step;
use crate::report::{Estimate, Measure};
use crate::sim::Phase;
use crate::tape::Category;
use crate::text::{Word, phase_part, phases_summary};
use crate::units::Bytes;
use crate::widgets::Place;
use leptos::prelude::*;
use std::sync::Arc;

/// The figure's source.
struct Phases {
    store: Store,
    answer: Memo<Option<OfDevice>>,
    /// The least need that its scale shows.
    held: Memo<Option<Bytes>>,
}

fn spot(hit: PhasesHit) -> Spot {
    Spot {
        at: hit.phase as u64,
        target: Some(
            hit.category
                .map_or(Target::Phase(hit.phase), Target::Category),
        ),
    }
}

/// The phase and the part of its bar at a spot.
fn hit(spot: Spot) -> Option<PhasesHit> {
    let phase = Phase::ALL
        .iter()
        .find(|&&phase| phase as u64 == spot.at)
        .copied()?;
    let category = match spot.target {
        Some(Target::Category(category)) => Some(category),
        _ => None,
    };
    Some(PhasesHit { phase, category })
}

impl Phases {
    fn with<R>(&self, spot: Option<Spot>, f: impl FnOnce(&PhasesFigure) -> R) -> Option<R> {
        let OfDevice(estimate) = self.answer.get()?;
        let device = &estimate.report.device;
        Some(f(&PhasesFigure {
            step: binding_step(device),
            capacity: Some(device.usable),
            previous: self.store.ghost.get().map(|ghost| ghost.peak),
            held: self.held.get(),
            measure: self.store.measure.get(),
            cursor: spot.and_then(hit),
        }))
    }

    fn layout<R>(&self, sheet: &Sheet, f: impl FnOnce(PhasesLayout) -> Option<R>) -> Option<R> {
        self.with(None, |figure| {
            f(PhasesLayout::new(
                figure,
                &sheet.theme,
                sheet.unit,
                sheet.size,
            ))
        })?
    }
}

impl Plot for Phases {
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_phases(figure, look, area))
            .unwrap_or(Ok(()))
    }

    fn is_there(&self) -> bool {
        self.with(None, |_| ()).is_some()
    }

    fn hit(&self, sheet: &Sheet, (x, y): Place) -> Option<Spot> {
        self.layout(sheet, |layout| layout.hit(x, y)).map(spot)
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        let from = from.and_then(hit);
        self.layout(sheet, |layout| {
            let all = isize::try_from(layout.bars.len()).unwrap_or(isize::MAX);
            let (phase, category) = (from.map(|from| from.phase), from.and_then(|f| f.category));
            let along = |by| {
                let phase = layout.step(phase, by)?;
                let bar = layout.bars.iter().find(|bar| bar.phase == phase)?;
                let there = |of: &Category| bar.segments.iter().any(|part| part.category == *of);
                let category = category.filter(there);
                Some(PhasesHit { phase, category })
            };
            match to {
                Move::Along(by) | Move::Leap(by) => along(by),
                Move::Start => along(-all),
                Move::End => along(all),
                Move::Across(by) => {
                    let phase = phase.or_else(|| layout.step(None, 0))?;
                    let category = layout.step_part(phase, category, by);
                    Some(PhasesHit { phase, category })
                }
            }
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
        let (hit, measure) = (spot.and_then(hit), self.store.measure.get());
        self.store.answer.with(|answer| {
            let Some(step) = answer.as_ref().map(|e| binding_step(&e.report.device)) else {
                return String::new();
            };
            match hit {
                Some(hit) => phase_part(step, (hit.phase, hit.category), measure, units, language),
                None => phases_summary(step, measure, units, language),
            }
        })
    }
}

/// The panel.
#[component]
pub(super) fn PhasesPanel() -> impl IntoView {
    let store = use_store();
    let answer = Memo::new(move |_| store.answer.get().map(OfDevice));
    let size = RwSignal::new((0, 0));
    let held = held(store, |store, estimate| {
        let former = store.ghost.get().map(|ghost| ghost.peak.1);
        phases_need(binding_step(&estimate.report.device), former)
    });
    let plot = Arc::new(Phases {
        store,
        answer,
        held,
    });
    let crowned = Arc::clone(&plot);
    view! {
        <Plotted
            id="phases"
            title=Word::PhasesTitle
            class="canvas-phases"
            plot
            size
            tools=ViewFn::from(|| view! { <MeasureSwitch /> })
            over=ViewFn::from(move || crown(store, size, Arc::clone(&crowned)))
            table=ViewFn::from(|| view! { <BreakdownTable /> })
        />
    }
}

/// The mark at the phase that binds, which comes with the rest of the program.
fn crown(store: Store, size: RwSignal<(u32, u32)>, plot: Arc<Phases>) -> AnyView {
    when_whole(move || {
        let plot = Arc::clone(&plot);
        let frame = Memo::new(move |_| {
            let size = size.get();
            let sheet = Sheet {
                theme: store.appearance.with(theme_for),
                unit: unit(store.units.get()),
                size,
            };
            let seen = plot.layout(&sheet, |layout| layout.crown(size.1));
            seen.filter(|_| size.0 > 0)
        });
        view! { <Crown frame /> }.into_any()
    })
}

/// The choice of the bytes that count as used.
#[component]
fn MeasureSwitch() -> impl IntoView {
    let store = use_store();
    let choice = move |&measure: &Measure| {
        let word = match measure {
            Measure::Live => Word::LiveTensors,
            Measure::Allocated => Word::Allocated,
            Measure::Reserved => Word::Reserved,
        };
        view! {
            <button
                type="button"
                aria-pressed=Signal::derive(move || (store.measure.get() == measure).to_string())
                on:click=move |_| store.measure.set(measure)
            >
                {Signal::derive(move || word.text(store.language.get()))}
            </button>
        }
    };
    view! {
        <div
            class="toggle"
            role="group"
            aria-label=Signal::derive(move || Word::Measure.text(store.language.get()))
        >
            {Measure::ALL.iter().map(choice).collect_view()}
        </div>
    }
}

/// An answer that is equal to another when this figure is: what only the host's side changes does
/// not draw it again.
#[derive(Clone)]
struct OfDevice(Arc<Estimate>);

impl PartialEq for OfDevice {
    fn eq(&self, other: &Self) -> bool {
        self.0.report.device == other.0.report.device
    }
}
