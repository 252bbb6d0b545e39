//! A figure on a canvas: what the panels of all three have in common.
//!
//! A [`Plot`] says how its figure is drawn, which spot is under the pointer and where keys lead; [`Plotted`] wires it
//! to the mouse, to touch, to the keyboard and to the target that is highlighted elsewhere. A figure is drawn only
//! while it can be seen.

use super::gallery::Gallery;
use super::look::{highlight, theme_for, unit, words};
use super::share;
use super::surface::{Area, Surface};
use crate::app::{Target, use_store};
use crate::browser;
use crate::chart::{Drawn, Look, Theme, Unit};
use crate::text::Word;
use crate::widgets::{Canvas, Drag, Figure, Place, Stroke};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;

/// A place in a figure: where the pointer is, or where keys have led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// The number of the bar, the point or the batch size.
    pub at: u64,
    /// The target at that place.
    pub target: Option<Target>,
}

/// The step that a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// To the right, or to the left when negative.
    Along(isize),
    /// Up, or down when negative.
    Across(isize),
    /// To the next phase, or to the one before when negative.
    Leap(isize),
    /// To the first.
    Start,
    /// To the last.
    End,
}

impl Move {
    /// As an arrow key or its like asks.
    fn of(stroke: &Stroke) -> Option<Self> {
        Some(match (stroke.key.as_str(), stroke.shift) {
            ("ArrowRight", false) => Self::Along(1),
            ("ArrowLeft", false) => Self::Along(-1),
            ("ArrowUp", _) => Self::Across(1),
            ("ArrowDown", _) => Self::Across(-1),
            ("ArrowRight", true) | ("PageDown", _) => Self::Leap(1),
            ("ArrowLeft", true) | ("PageUp", _) => Self::Leap(-1),
            ("Home", _) => Self::Start,
            ("End", _) => Self::End,
            _ => return None,
        })
    }
}

/// The values on which the geometry of a figure depends.
pub(super) struct Sheet {
    /// Colours and sizes of type.
    pub theme: Theme,
    /// GiB or GB.
    pub unit: Unit,
    /// In CSS pixels.
    pub size: (u32, u32),
}

/// A figure.
pub(super) trait Plot: Send + Sync {
    /// Draws it; what this reads draws it again when it changes.
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>>;
    /// Whether there is anything to draw yet.
    fn is_there(&self) -> bool;
    /// The spot at a place.
    fn hit(&self, sheet: &Sheet, place: Place) -> Option<Spot>;
    /// The spot that a key leads to; from no spot it leads to the most important one.
    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot>;
    /// A spot was clicked, or Enter was pressed on it.
    fn pick(&self, spot: Spot);
    /// The sentence about the figure, or about a spot of it.
    fn say(&self, spot: Option<Spot>) -> String;
    /// The pointer is being dragged across.
    fn brush(&self, _sheet: &Sheet, _drag: Drag) {}
    /// A key of the figure's own was pressed at a spot; whether it is one.
    fn key(&self, _sheet: &Sheet, _spot: Option<Spot>, _key: &str) -> bool {
        false
    }
}

/// A figure's panel: title, sentence, drawing and table.
#[component]
pub(super) fn Plotted(
    /// Prefix of the ids inside.
    id: &'static str,
    /// The title.
    title: Word,
    /// Class of the canvas.
    class: &'static str,
    /// The figure.
    plot: Arc<dyn Plot>,
    /// Whether dragging across it means something.
    #[prop(default = false)]
    brushable: bool,
    /// Its size in CSS pixels, once it has one.
    #[prop(optional)]
    size: Option<RwSignal<(u32, u32)>>,
    /// Buttons of its own in its head.
    #[prop(into, optional)]
    tools: ViewFn,
    /// Marks over it.
    #[prop(into, optional)]
    over: ViewFn,
    /// The figure's data as a table.
    table: ViewFn,
) -> impl IntoView {
    let store = use_store();
    let node = NodeRef::<html::Canvas>::new();
    let size = size.unwrap_or_else(|| RwSignal::new((0, 0)));
    let seen = RwSignal::new(false);
    let spot = RwSignal::new(None::<Spot>);
    let spoken = RwSignal::new(String::new());
    use_context::<Gallery>().inspect(|all| all.hang(id, title, Arc::clone(&plot), spot));
    let plot = StoredValue::new(plot);
    let plot = move || plot.get_value();
    Effect::new(move |_| {
        // Whoever does not see it need not wait for it.
        let printing = store.printing.get();
        if let (Some(element), true) = (node.get(), seen.get() || printing) {
            let theme = store.appearance.with(theme_for);
            let words = words(store);
            let look = Look {
                theme: &theme,
                words: &words,
                unit: unit(words.units),
                highlight: highlight(store),
            };
            let size = if printing { share::FIGURE } else { size.get() };
            if let Some(area) = Surface::screen(&element, size) {
                // A canvas reports no errors.
                let _ = plot().draw(&look, spot.get(), &area);
                let _ = area.present();
            }
        }
    });
    Effect::new(move |_| {
        if let Some(element) = node.get() {
            browser::on_seen(&element, move |now| seen.set(now));
        }
    });
    let sheet = move || Sheet {
        theme: store.appearance.with_untracked(theme_for),
        unit: unit(store.units.get_untracked()),
        size: size.get_untracked(),
    };
    let stand = move |now: Option<Spot>| {
        if spot.get_untracked() != now {
            spot.set(now);
        }
        store.focus.point(now.and_then(|spot| spot.target));
    };
    let point = move |place: Option<Place>| {
        stand(untrack(|| {
            place.and_then(|place| plot().hit(&sheet(), place))
        }));
    };
    let pick = move |place: Place| {
        if let Some(spot) = untrack(|| plot().hit(&sheet(), place)) {
            plot().pick(spot);
        }
    };
    let press = move |stroke: Stroke| {
        let now = spot.get_untracked();
        if let Some(to) = Move::of(&stroke) {
            let next = untrack(|| plot().go(&sheet(), now, to));
            stand(next);
            spoken.set(untrack(|| plot().say(next)));
            return true;
        }
        match stroke.key.as_str() {
            "Enter" | " " => {
                if let Some(now) = now {
                    plot().pick(now);
                }
                now.is_some()
            }
            key => untrack(|| plot().key(&sheet(), now, key)),
        }
    };
    let summary = Memo::new(move |_| plot().say(spot.get()));
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    view! {
        <Figure
            id
            title=word(title)
            summary
            tools
            table_label=word(Word::Table)
            table
        >
            <Canvas
                node
                label=word(title)
                role=word(Word::FigureRole)
                described=format!("{id}-summary figure-keys")
                class
                brushable
                on_size=move |now| size.set(now)
                on_point=point
                on_pick=pick
                on_drag=move |drag: Drag| untrack(|| plot().brush(&sheet(), drag))
                on_key=press
            />
            {over.run()}
            <p class="unseen" role="status">{spoken}</p>
        </Figure>
    }
}
