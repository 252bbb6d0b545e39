//! The phases side by side, the binding one marked.

use super::breakdown::BreakdownTable;
use super::look::{FigureWords, highlight, theme_for, unit};
use crate::app::{Store, Target, use_store};
use crate::browser::draw_on;
use crate::chart::{Look, PhasesFigure, PhasesHit, PhasesLayout, draw_phases};
use crate::figure::binding_step;
use crate::report::Estimate;
use crate::text::{Word, phases_summary};
use crate::widgets::{Canvas, Figure, Place};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;

fn figure(estimate: &Estimate, store: Store) -> PhasesFigure<'_> {
    let device = &estimate.report.device;
    PhasesFigure {
        step: binding_step(device),
        capacity: Some(device.usable),
        previous: store.ghost.get().map(|ghost| ghost.tensors),
    }
}

fn target(hit: PhasesHit) -> Target {
    hit.category
        .map_or(Target::Phase(hit.phase), Target::Category)
}

/// The panel.
#[component]
pub(super) fn PhasesPanel() -> impl IntoView {
    let store = use_store();
    let node = NodeRef::<html::Canvas>::new();
    let size = RwSignal::new((0, 0));
    let answer = Memo::new(move |_| store.answer.get().map(OfDevice));
    Effect::new(move |_| {
        size.track();
        let (Some(element), Some(OfDevice(estimate))) = (node.get(), answer.get()) else {
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
        let figure = figure(&estimate, store);
        draw_on(&element, |area| draw_phases(&figure, &look, area));
    });
    let hit = move |(x, y): Place| {
        untrack(|| {
            let OfDevice(estimate) = answer.get()?;
            let theme = store.appearance.with(theme_for);
            let unit = unit(store.units.get());
            PhasesLayout::new(&figure(&estimate, store), &theme, unit, size.get()).hit(x, y)
        })
    };
    let point = move |place: Option<Place>| store.focus.point(place.and_then(hit).map(target));
    let summary = Memo::new(move |_| {
        let (units, language) = (store.units.get(), store.language.get());
        store.answer.with(|answer| {
            answer.as_ref().map_or_else(String::new, |e| {
                phases_summary(binding_step(&e.report.device), units, language)
            })
        })
    });
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    view! {
        <Figure
            id="phases"
            title=word(Word::PhasesTitle)
            summary
            table_label=word(Word::Table)
            table=ViewFn::from(|| view! { <BreakdownTable /> })
        >
            <Canvas
                node
                label=summary
                class="canvas-phases"
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

/// An answer that is equal to another when this figure is: what only the host's side changes does
/// not draw it again.
#[derive(Clone)]
struct OfDevice(Arc<Estimate>);

impl PartialEq for OfDevice {
    fn eq(&self, other: &Self) -> bool {
        self.0.report.device == other.0.report.device
    }
}
