//! Peak by batch size, with the crossing marked and named.

use super::plot::{Move, Plot, Plotted, Sheet, Spot};
use super::surface::{Area, Surface};
use crate::app::{Store, Target, use_store};
use crate::chart::{CrossoverFigure, CrossoverHit, CrossoverLayout, Drawn, Look, draw_crossover};
use crate::report::Sweep;
use crate::text::{Scale, Term, Word, crossover_summary, setting_name, sweep_point};
use crate::units::Bytes;
use crate::widgets::Place;
use leptos::prelude::*;
use std::sync::Arc;

/// The figure's source.
struct Crossover {
    store: Store,
    current: Memo<u64>,
    usable: Memo<Option<Bytes>>,
}

const NOTHING: Sweep = Sweep {
    points: Vec::new(),
    switches: Vec::new(),
    largest_fitting: None,
};

impl Crossover {
    fn with<R>(&self, spot: Option<Spot>, f: impl FnOnce(&CrossoverFigure) -> R) -> R {
        let sweep = self.store.sweep.get();
        f(&CrossoverFigure {
            sweep: sweep.as_deref().unwrap_or(&NOTHING),
            capacity: self.usable.get(),
            current: self.current.get(),
            cursor: spot.map(|spot| spot.at),
        })
    }

    fn layout<R>(&self, sheet: &Sheet, f: impl FnOnce(&CrossoverLayout, &Sweep) -> R) -> R {
        self.with(None, |figure| {
            let layout = CrossoverLayout::new(figure, &sheet.theme, sheet.unit, sheet.size);
            f(&layout, figure.sweep)
        })
    }
}

fn spot(hit: CrossoverHit) -> Spot {
    Spot {
        at: hit.micro_batch_size,
        target: hit.phase.map(Target::Phase),
    }
}

impl Plot for Crossover {
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_crossover(figure, look, area))
    }

    fn is_there(&self) -> bool {
        self.store.sweep.with(Option::is_some)
    }

    fn hit(&self, sheet: &Sheet, (x, y): Place) -> Option<Spot> {
        self.layout(sheet, |layout, _| layout.hit(x, y)).map(spot)
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        self.layout(sheet, |layout, sweep| {
            let last = sweep.points.last()?.micro_batch_size;
            let at = match (from, to) {
                (_, Move::Start) => layout.batch.min,
                (_, Move::End) => layout.batch.max.min(last),
                (None, _) => self.current.get().clamp(layout.batch.min, layout.batch.max),
                (Some(from), Move::Along(by) | Move::Leap(by)) => layout.step(sweep, from.at, by),
                (Some(from), Move::Across(_)) => from.at,
            };
            let binding = sweep.points.iter().rfind(|p| p.micro_batch_size <= at);
            let switched = sweep.switches.iter().rfind(|s| s.micro_batch_size <= at);
            let phase = switched.map(|s| s.to).or(binding.map(|p| p.binding));
            Some(Spot {
                at,
                target: phase.map(Target::Phase),
            })
        })
    }

    fn pick(&self, spot: Spot) {
        self.store.edit("micro_batch_size", |scenario| {
            scenario.micro_batch_size = spot.at;
        });
    }

    fn say(&self, spot: Option<Spot>) -> String {
        let (units, language) = (self.store.units.get(), self.store.language.get());
        self.store.sweep.with(|sweep| match (sweep, spot) {
            (None, _) => Word::Computing.text(language).to_owned(),
            (Some(sweep), Some(spot)) => sweep_point(sweep, spot.at, units, language),
            (Some(sweep), None) => crossover_summary(sweep, language),
        })
    }
}

/// The panel.
#[component]
pub(super) fn CrossoverPanel() -> impl IntoView {
    let store = use_store();
    let current = Memo::new(move |_| store.followed.with(|s| s.micro_batch_size));
    let usable = Memo::new(move |_| {
        store
            .settled
            .with(|answer| answer.as_ref().map(|e| e.report.device.usable))
    });
    let plot = Crossover {
        store,
        current,
        usable,
    };
    view! {
        <div class="recomputing" class:waiting=Signal::derive(move || store.sweeping.get())>
            <Plotted
                id="crossover"
                title=Word::CrossoverTitle
                class="canvas-crossover"
                plot=Arc::new(plot)
                table=ViewFn::from(|| view! { <CrossoverTable /> })
            />
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
                            <th scope="col">{setting_name("micro_batch_size", language)}</th>
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
