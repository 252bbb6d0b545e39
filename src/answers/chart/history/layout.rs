//! Places of the moments: geometry for drawing, pointing and keys.

use super::{HeldAt, HistoryFigure};
use crate::chart::axis::Axis;
use crate::chart::geometry::{ByteScale, Frame, scale_top};
use crate::chart::number::Unit;
use crate::chart::theme::Theme;
use crate::units::Bytes;

/// CSS pixels between the two runs.
const APART: i32 = 16;

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryHit {
    /// The run: 0 the measured one, 1 the predicted one.
    pub run: usize,
    /// The place among its moments.
    pub place: usize,
}

/// The figure's geometry at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryLayout {
    /// Both runs together.
    pub plot: Frame,
    /// The frame of each run.
    pub runs: [Frame; 2],
    /// Bytes upwards.
    pub axis: Axis,
    /// How many moments each run has.
    pub counts: [usize; 2],
}

impl HistoryHit {
    /// The run beside its own.
    pub fn other_run(self) -> usize {
        1 - self.run.min(1)
    }
}

impl HistoryLayout {
    /// A moment as a number: the two runs take turns.
    pub fn number(run: usize, place: usize) -> u64 {
        (place * 2 + run) as u64
    }

    /// The moment with a number.
    pub fn hit_of(number: u64) -> HistoryHit {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        HistoryHit {
            run: number % 2,
            place: number / 2,
        }
    }

    /// Lays the figure out in a box of `size` CSS pixels.
    pub fn new(figure: &HistoryFigure, theme: &Theme, unit: Unit, size: (u32, u32)) -> Self {
        let (width, height) = (size.0.cast_signed(), size.1.cast_signed());
        let moments = figure.runs.iter().flat_map(|run| run.moments);
        let need = moments.map(|moment| moment.reserved.max(moment.allocated));
        let need: Bytes = need.max().unwrap_or_default();
        let line = theme.line_height();
        let scale = ByteScale {
            max: scale_top(need, None),
            top: line + 6,
            bottom: height - 6,
        };
        let axis = Axis::new(scale, unit);
        let plot = Frame {
            left: axis.gutter(theme),
            top: scale.top,
            right: width - 4,
            bottom: scale.bottom,
        };
        let middle = plot.left + plot.width() / 2;
        let half = |left, right| Frame {
            left,
            right,
            ..plot
        };
        Self {
            runs: [
                half(plot.left, middle - APART / 2),
                half(middle + APART / 2, plot.right),
            ],
            plot,
            axis,
            counts: figure.runs.map(|run| run.moments.len()),
        }
    }

    /// The beginning and the end of a moment, in CSS pixels from the left.
    pub(super) fn columns(&self, run: usize, place: usize) -> [i32; 2] {
        let frame = self.runs[run];
        let count = i64::try_from(self.counts[run]).unwrap_or(1).max(1);
        [place, place + 1].map(|place| {
            let place = i64::try_from(place).unwrap_or(0);
            let along = i64::from(frame.width()) * place / count;
            frame.left + i32::try_from(along).unwrap_or(0)
        })
    }

    /// The moment at a point, in CSS pixels from the figure's left edge.
    pub fn hit(&self, x: i32) -> Option<HistoryHit> {
        let run = (0..2).find(|&run| self.runs[run].left <= x && x < self.runs[run].right)?;
        let of = |place: &usize| x < self.columns(run, *place)[1];
        let place = (0..self.counts[run]).find(of)?;
        Some(HistoryHit { run, place })
    }

    /// The moment some places to the right or left, stopping at the ends of its run.
    pub fn step(&self, from: HistoryHit, by: isize) -> HistoryHit {
        let last = self.counts[from.run].saturating_sub(1);
        let place = from.place.saturating_add_signed(by).min(last);
        HistoryHit { place, ..from }
    }

    /// The moment of a run at which tensors hold most.
    pub fn peak(run: usize, moments: &[HeldAt]) -> Option<HistoryHit> {
        let places = 0..moments.len();
        let place = places.max_by_key(|&place| (moments[place].allocated, usize::MAX - place))?;
        Some(HistoryHit { run, place })
    }
}
