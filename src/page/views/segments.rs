//! The allocator's segments in a snapshot: what lies in them at the peak, and how full each was over time.

use super::plot::{Move, Plot, Plotted, Sheet, Spot};
use super::surface::{Area, Surface};
use crate::app::{Store, use_drawer, use_store};
use crate::chart::{
    Drawn, FullnessFigure, FullnessLayout, Look, PieceBar, SegmentBar, SegmentsFigure, SegmentsHit,
    SegmentsLayout, draw_fullness, draw_segments,
};
use crate::figure::purpose_color;
use crate::inputs::{AllocatorState, Overview, Piece, SegmentState};
use crate::text::{
    InputWord, Scale, Word, fullness_moment, fullness_summary, owner_name, piece_sentence,
    state_summary,
};
use crate::units::Bytes;
use crate::widgets::Place;
use leptos::prelude::*;
use std::sync::Arc;

/// The segments of a snapshot as they are drawn.
#[derive(Clone, PartialEq)]
struct Segments {
    overview: Arc<Overview>,
    bars: Vec<SegmentBar>,
}

impl Segments {
    /// The segments of the device that held most; `None` where it has none.
    fn of(overview: Arc<Overview>) -> Option<Self> {
        let state = &overview.fullest()?.state;
        let bars: Vec<_> = state.segments.iter().map(bar).collect();
        (!bars.is_empty()).then_some(Self { overview, bars })
    }

    fn state(&self) -> Option<&AllocatorState> {
        Some(&self.overview.fullest()?.state)
    }
}

fn bar(segment: &SegmentState) -> SegmentBar {
    let piece = |piece: &Piece| PieceBar {
        size: Bytes(piece.size),
        used: Bytes(piece.used),
        category: piece.purpose.map(purpose_color),
    };
    SegmentBar {
        size: Bytes(segment.size),
        pieces: segment.pieces.iter().map(piece).collect(),
        over_time: segment.over_time.iter().copied().map(Bytes).collect(),
    }
}

/// The segments that are shown.
type Shown = Memo<Option<Segments>>;

/// The blocks in segments: a figure's source.
struct Pieces {
    store: Store,
    shown: Shown,
}

fn spot(at: u64) -> Spot {
    Spot { at, target: None }
}

fn piece(spot: Spot) -> Option<SegmentsHit> {
    SegmentsHit::from_number(spot.at)
}

impl Pieces {
    fn with<R>(&self, spot: Option<Spot>, f: impl FnOnce(&SegmentsFigure) -> R) -> Option<R> {
        self.shown.with(|shown| {
            Some(f(&SegmentsFigure {
                segments: &shown.as_ref()?.bars,
                cursor: spot.and_then(piece),
            }))
        })
    }

    fn layout(&self, sheet: &Sheet) -> Option<SegmentsLayout> {
        self.with(None, |figure| SegmentsLayout::new(figure, sheet.size))
    }
}

impl Plot for Pieces {
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_segments(figure, look, area))
            .unwrap_or(Ok(()))
    }

    fn is_there(&self) -> bool {
        self.with(None, |_| ()).is_some()
    }

    fn hit(&self, sheet: &Sheet, (x, y): Place) -> Option<Spot> {
        let hit = self.layout(sheet)?.hit(x, y)?;
        Some(spot(hit.number()))
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        let (layout, from) = (self.layout(sheet)?, from.and_then(piece));
        let to = match to {
            Move::Along(by) => layout.along(from, by),
            Move::Across(by) => layout.across(from, -by),
            Move::Leap(by) => layout.across(from, by),
            Move::Start => layout.across(from, isize::MIN),
            Move::End => layout.across(from, isize::MAX),
        };
        to.map(|hit| spot(hit.number()))
    }

    fn pick(&self, _spot: Spot) {}

    fn say(&self, spot: Option<Spot>) -> String {
        let (units, language) = (self.store.units.get(), self.store.language.get());
        let said = self.shown.with(|shown| {
            let state = shown.as_ref()?.state()?;
            let Some(hit) = spot.and_then(piece) else {
                return Some(state_summary(state, units, language));
            };
            piece_sentence(state, [hit.segment, hit.piece], units, language)
        });
        said.unwrap_or_default()
    }
}

/// How full segments were: a figure's source.
struct Fullness {
    store: Store,
    shown: Shown,
}

impl Fullness {
    fn with<R>(&self, spot: Option<Spot>, f: impl FnOnce(&FullnessFigure) -> R) -> Option<R> {
        self.shown.with(|shown| {
            let shown = shown.as_ref()?;
            Some(f(&FullnessFigure {
                segments: &shown.bars,
                marked: shown.state()?.stretch(),
                cursor: spot.map(|spot| FullnessLayout::place_of(spot.at)),
            }))
        })
    }

    fn layout(&self, sheet: &Sheet) -> Option<FullnessLayout> {
        self.with(None, |figure| FullnessLayout::new(figure, sheet.size))
    }
}

impl Plot for Fullness {
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_fullness(figure, look, area))
            .unwrap_or(Ok(()))
    }

    fn is_there(&self) -> bool {
        self.with(None, |_| ()).is_some()
    }

    fn hit(&self, sheet: &Sheet, (x, y): Place) -> Option<Spot> {
        let hit = self.layout(sheet)?.hit(x, y)?;
        Some(spot(FullnessLayout::number(hit)))
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        let layout = self.layout(sheet)?;
        let marked = self.with(None, |figure| figure.marked)?;
        let from = from.map_or([marked, 0], |spot| FullnessLayout::place_of(spot.at));
        let to = layout.step(
            from,
            match to {
                Move::Along(by) | Move::Leap(by) => [by, 0],
                Move::Across(by) => [0, -by],
                Move::Start => [isize::MIN, 0],
                Move::End => [isize::MAX, 0],
            },
        )?;
        Some(spot(FullnessLayout::number(to)))
    }

    fn pick(&self, _spot: Spot) {}

    fn say(&self, spot: Option<Spot>) -> String {
        let (units, language) = (self.store.units.get(), self.store.language.get());
        let said = self.shown.with(|shown| {
            let state = shown.as_ref()?.state()?;
            let Some(spot) = spot else {
                return Some(fullness_summary(state, language));
            };
            fullness_moment(state, FullnessLayout::place_of(spot.at), units, language)
        });
        said.unwrap_or_default()
    }
}

/// The figures' twin: a line for each segment.
fn table(store: Store, shown: Shown, title: Word) -> Option<AnyView> {
    let (language, units) = (store.language.get(), store.units.get());
    let shown = shown.get()?;
    let segments = &shown.state()?.segments;
    let scale = Scale::new(Bytes(segments.first()?.size), units);
    let number = |bytes| scale.number(Bytes(bytes));
    let row = |own: &SegmentState| {
        view! {
            <tr>
                <th scope="row">{number(own.size)}</th>
                <td>{number(own.free.bytes)}</td>
                <td>{own.free.pieces}</td>
                <td>{number(own.free.largest)}</td>
                <td>{owner_name(own.owner, language)}</td>
            </tr>
        }
    };
    let heads = [
        InputWord::SegmentSize,
        InputWord::FreeBytes,
        InputWord::FreePieces,
        InputWord::LargestPiece,
        InputWord::SegmentPool,
    ];
    let heads = heads.map(|head| view! { <th scope="col">{head.text(language)}</th> });
    let label = format!("{}: {}", Word::Table.text(language), title.text(language));
    Some(
        view! {
            <div class="scroll" role="region" tabindex="0" aria-label=label>
                <table class="numbers">
                    <caption>{scale.unit}</caption>
                    <thead>
                        <tr>{heads.collect_view()}</tr>
                    </thead>
                    <tbody>{segments.iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// The figures; nothing where no snapshot with segments is opened.
#[component]
pub(super) fn SnapshotSegments() -> impl IntoView {
    let store = use_store();
    let shown = Memo::new(move |_| use_drawer().snapshot().and_then(Segments::of));
    let is_any = Memo::new(move |_| shown.with(Option::is_some));
    let twin = move |title| ViewFn::from(move || table(store, shown, title));
    view! {
        <Show when=move || is_any.get()>
            <Plotted
                id="segments"
                title=Word::SegmentsTitle
                class="canvas-segments"
                plot=Arc::new(Pieces { store, shown })
                table=twin(Word::SegmentsTitle)
            />
            <Plotted
                id="fullness"
                title=Word::FullnessTitle
                class="canvas-segments"
                plot=Arc::new(Fullness { store, shown })
                table=twin(Word::FullnessTitle)
            />
        </Show>
    }
}
