//! The schedule of a pipeline: what each rank computes when, and how many micro-batches it holds.

use super::plot::{Move, Plot, Plotted, Sheet, Spot};
use super::surface::{Area, Surface};
use crate::app::{Store, use_store};
use crate::ask::Place;
use crate::chart::{Drawn, Look, ScheduleFigure, ScheduleHit, ScheduleLayout, draw_schedule};
use crate::report::{Schedule, schedule};
use crate::text::{Word, busy_share, in_flight, rank_name, schedule_summary, slot_sentence};
use crate::widgets::Place as Point;
use leptos::prelude::*;
use std::sync::Arc;

/// The figure's source.
struct Picture {
    store: Store,
    schedule: Memo<Option<Schedule>>,
}

fn spot(hit: ScheduleHit) -> Spot {
    Spot {
        at: hit.number(),
        target: None,
    }
}

fn hit(spot: Spot) -> Option<ScheduleHit> {
    ScheduleHit::from_number(spot.at)
}

impl Picture {
    fn with<R>(&self, spot: Option<Spot>, f: impl FnOnce(&ScheduleFigure) -> R) -> Option<R> {
        let rank = self
            .store
            .scenario
            .with(|scenario| scenario.parallelism.pp.rank);
        self.schedule.with(|schedule| {
            Some(f(&ScheduleFigure {
                schedule: schedule.as_ref()?,
                rank: rank.and_then(|rank| usize::try_from(rank).ok()),
                cursor: spot.and_then(hit),
            }))
        })
    }

    fn layout(&self, sheet: &Sheet) -> Option<ScheduleLayout> {
        self.with(None, |figure| {
            ScheduleLayout::new(figure, &sheet.theme, sheet.size)
        })
    }
}

impl Plot for Picture {
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_schedule(figure, look, area))
            .unwrap_or(Ok(()))
    }

    fn is_there(&self) -> bool {
        self.with(None, |_| ()).is_some()
    }

    fn hit(&self, sheet: &Sheet, (x, y): Point) -> Option<Spot> {
        self.layout(sheet)?.hit(x, y).map(spot)
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        let (layout, from) = (self.layout(sheet)?, from.and_then(hit));
        let to = match to {
            Move::Along(by) | Move::Leap(by) => layout.along(from, by),
            Move::Across(by) => layout.across(from, -by),
            Move::Start => layout.along(from, isize::MIN),
            Move::End => layout.along(from, isize::MAX),
        };
        to.map(spot)
    }

    fn pick(&self, spot: Spot) {
        let Some(hit) = hit(spot) else {
            return;
        };
        let asked = self
            .store
            .scenario
            .with_untracked(|scenario| scenario.parallelism);
        self.store.open_rank(Place {
            dp: asked.dp.rank,
            cp: asked.cp.rank,
            pp: hit.rank as u64,
        });
    }

    fn say(&self, spot: Option<Spot>) -> String {
        let language = self.store.language.get();
        let said = self.schedule.with(|schedule| {
            let schedule = schedule.as_ref()?;
            let Some(hit) = spot.and_then(hit) else {
                return Some(schedule_summary(schedule, language));
            };
            let rank = schedule.ranks.get(hit.rank)?;
            let slot = rank.slots.get(hit.slot)?;
            Some(slot_sentence(hit.rank, rank, slot, language))
        });
        said.unwrap_or_default()
    }
}

/// The panel; nothing without a pipeline.
#[component]
pub(super) fn SchedulePanel() -> impl IntoView {
    let store = use_store();
    let schedule = Memo::new(move |_| {
        store.settled.track();
        store.scenario.with_untracked(schedule)
    });
    let pipelined = Memo::new(move |_| schedule.with(Option::is_some));
    let table = move || {
        let language = store.language.get();
        schedule.with(|schedule| {
            let ranks = schedule.iter().flat_map(|schedule| {
                (0..).zip(&schedule.ranks).map(move |(rank, of)| {
                    view! {
                        <tr>
                            <th scope="row">{rank_name(rank, language)}</th>
                            <td>{in_flight(of.most_in_flight(), language)}</td>
                            <td>{busy_share(of, schedule)}</td>
                        </tr>
                    }
                })
            });
            view! { <table class="numbers"><tbody>{ranks.collect_view()}</tbody></table> }
        })
    };
    view! {
        <Show when=move || pipelined.get()>
            <Plotted
                id="schedule"
                title=Word::ScheduleTitle
                class="canvas-schedule"
                plot=Arc::new(Picture { store, schedule })
                table=ViewFn::from(table)
            />
        </Show>
    }
}
