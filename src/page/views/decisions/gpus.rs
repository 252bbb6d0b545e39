//! The need of one rank against the number of GPUs, under each sharding.

use crate::app::{Fits, Store, query_of_scenario, use_store, visit};
use crate::chart::{Drawn, GpusFigure, GpusLayout, Look, draw_gpus};
use crate::decide::{GpusCurve, Sharding, gpus_of, with_gpus};
use crate::text::{Scale, Word, curve_summary, gpus_sentence, sharding_name};
use crate::views::plot::{Move, Plot, Plotted, Sheet, Spot};
use crate::views::surface::{Area, Surface};
use crate::widgets::Place;
use leptos::prelude::*;
use std::sync::Arc;

/// The figure's source.
struct Picture {
    store: Store,
    fits: Fits,
}

/// The sharding that is looked at: the scenario's own, or else the last of those there are.
fn own(store: Store, curves: &[GpusCurve]) -> Option<&GpusCurve> {
    let asked = store.followed.with(Sharding::of);
    let found = curves.iter().find(|curve| Some(curve.sharding) == asked);
    found.or(curves.last())
}

impl Picture {
    fn with<R>(&self, spot: Option<Spot>, f: impl FnOnce(&GpusFigure) -> R) -> R {
        let curves = self.fits.known_curves();
        let curves = curves.as_deref().map_or(&[][..], Vec::as_slice);
        f(&GpusFigure {
            curves,
            sharding: own(self.store, curves).map(|curve| curve.sharding),
            current: self.store.followed.with(gpus_of),
            cursor: spot.map(|spot| spot.at),
        })
    }

    fn layout(&self, sheet: &Sheet) -> GpusLayout {
        self.with(None, |figure| {
            GpusLayout::new(figure, &sheet.theme, sheet.unit, sheet.size)
        })
    }
}

fn spot(gpus: u64) -> Spot {
    Spot {
        at: gpus,
        target: None,
    }
}

impl Plot for Picture {
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_gpus(figure, look, area))
    }

    fn is_there(&self) -> bool {
        self.fits.known_curves().is_some()
    }

    fn hit(&self, sheet: &Sheet, (x, _): Place) -> Option<Spot> {
        self.layout(sheet).hit(x).map(spot)
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        let layout = self.layout(sheet);
        let from = from.map_or_else(|| self.store.followed.with(gpus_of), |spot| spot.at);
        let to = match to {
            Move::Along(by) | Move::Leap(by) => layout.step(from, by),
            Move::Across(_) => Some(from),
            Move::Start => layout.counts.first().copied(),
            Move::End => layout.counts.last().copied(),
        };
        to.map(spot)
    }

    fn pick(&self, spot: Spot) {
        let scenario = self
            .store
            .scenario
            .with_untracked(|scenario| with_gpus(scenario, spot.at));
        visit(self.store, &query_of_scenario(self.store, &scenario));
    }

    fn say(&self, spot: Option<Spot>) -> String {
        let (units, language) = (self.store.units.get(), self.store.language.get());
        let curves = self.fits.known_curves();
        let curves = curves.as_deref().map_or(&[][..], Vec::as_slice);
        match spot {
            Some(spot) => gpus_sentence(curves, spot.at, units, language),
            None => own(self.store, curves)
                .map(|curve| curve_summary(curve, units, language))
                .unwrap_or_default(),
        }
    }
}

/// The figure's twin.
fn table(store: Store, fits: Fits) -> Option<AnyView> {
    let (language, units) = (store.language.get(), store.units.get());
    let curves = fits.known_curves()?;
    let own = own(store, &curves)?;
    let points = curves.iter().flat_map(|curve| &curve.points);
    let scale = Scale::new(points.map(|point| point.device.needed).max()?, units);
    let ram = Scale::new(
        own.points.iter().map(|point| point.host.needed).max()?,
        units,
    );
    let heads = curves.iter().map(
        |curve| view! { <th scope="col">{sharding_name(curve.sharding)} ", " {scale.unit}</th> },
    );
    let row = |point: &crate::decide::GpusPoint| {
        let cells = curves.iter().map(|curve| {
            let at = curve.points.iter().find(|of| of.gpus == point.gpus);
            view! { <td>{at.map(|at| scale.number(at.device.needed))}</td> }
        });
        view! {
            <tr>
                <th scope="row">{point.gpus}</th>
                {cells.collect_view()}
                <td>{ram.number(point.host.needed)}</td>
            </tr>
        }
    };
    let floors = curves
        .iter()
        .map(|curve| view! { <td>{scale.number(curve.floor.total())}</td> });
    Some(
        view! {
            <div class="scroll" role="region" tabindex="0" aria-label=Word::GpusAxis.text(language)>
                <table class="numbers">
                    <thead>
                        <tr>
                            <th scope="col">{Word::GpusAxis.text(language)}</th>
                            {heads.collect_view()}
                            <th scope="col">{Word::GpusRam.text(language)} ", " {ram.unit}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {own.points.iter().map(row).collect_view()}
                        <tr>
                            <th scope="row">{Word::GpusFloor.text(language)}</th>
                            {floors.collect_view()}
                            <td></td>
                        </tr>
                    </tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// The panel; nothing before it is asked for.
#[component]
pub(super) fn GpusPanel(
    /// The searches, with the curves that are known.
    fits: Fits,
) -> impl IntoView {
    let store = use_store();
    let is_known = move || fits.known_curves().is_some_and(|all| !all.is_empty());
    view! {
        <Show when=is_known>
            <Plotted
                id="gpus"
                title=Word::GpusTitle
                class="canvas-gpus"
                plot=Arc::new(Picture { store, fits })
                table=ViewFn::from(move || table(store, fits))
            />
        </Show>
    }
}
