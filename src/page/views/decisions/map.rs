//! The map of two numbers: a field with the capacity's line in it, a click goes to a cell.

use crate::app::{MapSearch, Store, Target, query_of_scenario, use_store, visit};
use crate::ask::Scenario;
use crate::chart::{Drawn, Look, MapFigure, MapLayout, draw_map};
use crate::codec::{value_at, values};
use crate::decide::{Axis, MapCell, MemoryMap};
use crate::text::{Scale, Word, idle_reason, map_cell, map_summary, message_text, setting_name};
use crate::units::Bytes;
use crate::views::plot::{Move, Plot, Plotted, Sheet, Spot};
use crate::views::surface::{Area, Surface};
use crate::widgets::{Choice, Choices, Place};
use leptos::prelude::*;
use std::sync::Arc;

/// The figure's source.
struct Picture {
    store: Store,
    search: MapSearch,
}

/// The cell that is nearest to a scenario.
fn nearest(map: &MemoryMap, scenario: &Scenario) -> Option<[usize; 2]> {
    let now = values(scenario);
    let place = |edge: usize| {
        let edge = &map.edges[edge];
        edge.nearest(value_at(&now, edge.key).as_u64()?)
    };
    Some([place(0)?, place(1)?])
}

impl Picture {
    fn with<R>(&self, spot: Option<Spot>, f: impl FnOnce(&MapFigure) -> R) -> Option<R> {
        let map = self.search.known()?;
        let language = self.store.language.get();
        let names = [0, 1].map(|edge: usize| setting_name(map.edges[edge].key, language));
        Some(f(&MapFigure {
            map: &map,
            titles: names,
            current: self.store.followed.with(|scenario| nearest(&map, scenario)),
            cursor: spot.map(|spot| map.place_of(spot.at)),
        }))
    }

    fn layout(&self, sheet: &Sheet) -> Option<MapLayout> {
        self.with(None, |figure| {
            MapLayout::new(figure, &sheet.theme, sheet.size)
        })
    }

    fn spot(&self, place: [usize; 2]) -> Option<Spot> {
        let map = self.search.known()?;
        let binding = match map.about(place) {
            Some(MapCell::Needs(point)) => Some(Target::Phase(point.binding)),
            Some(MapCell::Refused) | None => None,
        };
        Some(Spot {
            at: map.number_of(place),
            target: binding,
        })
    }
}

impl Plot for Picture {
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_map(figure, look, area))
            .unwrap_or(Ok(()))
    }

    fn is_there(&self) -> bool {
        self.with(None, |_| ()).is_some()
    }

    fn hit(&self, sheet: &Sheet, (x, y): Place) -> Option<Spot> {
        self.spot(self.layout(sheet)?.hit(x, y)?)
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        let layout = self.layout(sheet)?;
        let map = self.search.known()?;
        let own = || self.store.followed.with(|scenario| nearest(&map, scenario));
        let from = from.map(|spot| map.place_of(spot.at)).or_else(own)?;
        let to = match to {
            Move::Along(by) => layout.step(from, [by, 0]),
            Move::Across(by) => layout.step(from, [0, by]),
            Move::Leap(by) => layout.leap(from, by),
            Move::Start => layout.begin(from),
            Move::End => layout.end(from),
        };
        self.spot(to)
    }

    fn pick(&self, spot: Spot) {
        let scenario =
            untrack(|| self.search.known()).and_then(|map| map.scenario(map.place_of(spot.at)));
        if let Some(scenario) = scenario {
            visit(self.store, &query_of_scenario(self.store, &scenario));
        }
    }

    fn say(&self, spot: Option<Spot>) -> String {
        let (units, language) = (self.store.units.get(), self.store.language.get());
        let Some(map) = self.search.known() else {
            return String::new();
        };
        match spot {
            Some(spot) => map_cell(&map, map.place_of(spot.at), units, language),
            None => map_summary(&map, language),
        }
    }
}

/// The figure's twin: every row of cells, as far as they are known.
fn table(store: Store, search: MapSearch) -> Option<AnyView> {
    let (language, units) = (store.language.get(), store.units.get());
    let map = search.known()?;
    let [right, up] = &map.edges;
    let needs = |place| match map.cell(place) {
        Some(MapCell::Needs(point)) => Some(point),
        Some(MapCell::Refused) | None => None,
    };
    let [width, height] = map.size();
    let all = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
    let most: Bytes = all.filter_map(needs).map(|point| point.total).max()?;
    let scale = Scale::new(most, units);
    let heads = right
        .values
        .iter()
        .map(|value| view! { <th scope="col">{*value}</th> });
    let heads = heads.collect_view();
    let rows = (0..height).rev().map(|y| {
        let cells = (0..width).map(|x| {
            let point = needs([x, y]);
            let fits = point.is_none_or(|point| point.fits);
            view! { <td class:beyond=!fits>{point.map(|point| scale.number(point.total))}</td> }
        });
        view! {
            <tr>
                <th scope="row">{up.values.get(y).copied()}</th>
                {cells.collect_view()}
            </tr>
        }
    });
    let corner = format!(
        "{} / {}",
        setting_name(up.key, language),
        setting_name(right.key, language)
    );
    Some(
        view! {
            <div class="scroll" role="region" tabindex="0" aria-label=Word::Table.text(language)>
                <table class="numbers">
                    <caption>{Word::DeviceTotal.text(language)} ", " {scale.unit}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{corner}</th>
                            {heads}
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// The numbers that can vary along an edge: axes without effect are named with the reason, and cannot be chosen.
fn choices(store: Store) -> Memo<Vec<Choice>> {
    let numbers = StoredValue::new(Axis::numbers());
    let reasons = Memo::new(move |_| {
        let of_all = |scenario: &Scenario| {
            let idle = |of: &Axis| of.idle(scenario);
            numbers.with_value(|all| all.iter().map(idle).collect::<Vec<_>>())
        };
        store.followed.with(of_all)
    });
    Memo::new(move |_| {
        let language = store.language.get();
        let choice = |(of, idle): (&Axis, _)| {
            let name = setting_name(of.setting(), language);
            Choice {
                value: of.setting().to_owned(),
                label: match idle {
                    Some(idle) => format!("{name} ({})", idle_reason(idle).text(language)),
                    None => name.to_owned(),
                },
                disabled: idle.is_some(),
            }
        };
        numbers.with_value(|all| all.iter().zip(reasons.get()).map(choice).collect())
    })
}

/// The choice of the number that varies along an edge.
#[component]
fn Edge(
    id: &'static str,
    label: Word,
    choices: Memo<Vec<Choice>>,
    axis: RwSignal<&'static str>,
) -> impl IntoView {
    let store = use_store();
    view! {
        <label class="inline-choice">
            {move || label.text(store.language.get())} " "
            <Choices
                id
                framed=false
                choices
                value=Signal::derive(move || axis.get().to_owned())
                disabled=false
                on_choice=move |name: String| {
                    if let Ok(of) = Axis::named(&name) {
                        axis.set(of.setting());
                    }
                }
            />
        </label>
    }
}

/// The panel.
#[component]
pub(in crate::views) fn MapPanel() -> impl IntoView {
    let store = use_store();
    let search = MapSearch::follow(store);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let asked = Memo::new(move |_| search.map.with(Option::is_some));
    let why = move || match search.map.get() {
        Some(Err(why)) => Some(message_text(&why, store.language.get())),
        _ => None,
    };
    let is_known = Memo::new(move |_| search.map.with(|map| matches!(map, Some(Ok(_)))));
    let choices = choices(store);
    view! {
        <section class="card figure" data-testid="map-panel" aria-labelledby="map-panel-title">
            <header class="figure-head">
                <h2 id="map-panel-title">{word(Word::MapTitle)}</h2>
                <button
                    type="button"
                    class="quiet"
                    hidden=move || asked.get()
                    on:click=move |_| search.ask()
                >
                    {word(Word::GpusDraw)}
                    <span class="unseen">": " {word(Word::MapFigure)}</span>
                </button>
            </header>
            <p class="figure-summary">{word(Word::MapHelp)}</p>
            <div class="plan-options">
                <Edge id="map-x" label=Word::MapRight choices axis=search.axes[0] />
                <Edge id="map-y" label=Word::MapUp choices axis=search.axes[1] />
            </div>
            <p role="status">{why}</p>
        </section>
        <Show when=move || is_known.get()>
            <Plotted
                id="map"
                title=Word::MapFigure
                class="canvas-map"
                plot=Arc::new(Picture { store, search })
                table=ViewFn::from(move || table(store, search))
            />
        </Show>
    }
}
