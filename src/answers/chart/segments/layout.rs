//! Places of segments and their pieces: geometry for drawing, pointing and keys.

use super::{PieceBar, SegmentsFigure};
use crate::chart::geometry::{Frame, pixel};
use crate::units::Bytes;

/// The least height of a row, in CSS pixels, and the most.
const LOWEST: i32 = 7;
const TALLEST: i32 = 64;
/// CSS pixels between rows, and between segments of a row.
const APART: i32 = 2;

/// A piece of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentsHit {
    /// The segment.
    pub segment: usize,
    /// The index of its piece.
    pub piece: usize,
}

/// More than the pieces of a segment, in a hit's number.
const PIECES: u64 = 1 << 32;

impl SegmentsHit {
    /// It as a number.
    pub const fn number(self) -> u64 {
        self.segment as u64 * PIECES + self.piece as u64
    }

    /// The hit of a number.
    pub fn from_number(number: u64) -> Option<Self> {
        Some(Self {
            segment: usize::try_from(number / PIECES).ok()?,
            piece: usize::try_from(number % PIECES).ok()?,
        })
    }
}

/// A segment's box, and those of its pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentBox {
    /// The whole segment.
    pub frame: Frame,
    /// Its pieces; those less than a pixel wide have none.
    pub pieces: Vec<Frame>,
}

/// The figure's geometry at one size: rows of segments, all to one scale.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentsLayout {
    /// Every segment, in the figure's order.
    pub segments: Vec<SegmentBox>,
    /// The largest piece that no tensor holds.
    pub largest_free: Option<SegmentsHit>,
}

fn bytes(of: Bytes) -> f64 {
    of.get() as f64
}

impl SegmentsLayout {
    /// Lays the figure out in a box of `size` CSS pixels. A row is as long as the largest segment, or longer where
    /// many segments would make too many rows; each segment is put into the first row that has room for it.
    pub fn new(figure: &SegmentsFigure, size: (u32, u32)) -> Self {
        let (width, height) = (size.0.cast_signed(), size.1.cast_signed());
        let room = height - APART;
        let most_rows = (room / (LOWEST + APART)).max(1);
        let sizes = figure.segments.iter().map(|own| bytes(own.size));
        let total: f64 = sizes.clone().sum();
        // All rows but one are more than half full.
        let row = sizes.fold(2.0 * total / f64::from(most_rows), f64::max);
        let row = row.max(1.0);
        let mut filled: Vec<f64> = Vec::new();
        let put = figure.segments.iter().map(|own| {
            let long = bytes(own.size);
            let free = filled.iter().position(|filled| filled + long <= row);
            let at = free.unwrap_or(filled.len());
            if at == filled.len() {
                filled.push(0.0);
            }
            let from = filled[at];
            filled[at] += long;
            (at, from)
        });
        let put: Vec<(usize, f64)> = put.collect();
        let count = i32::try_from(filled.len()).unwrap_or(i32::MAX).max(1);
        let high = (room / count).clamp(1, TALLEST);
        let x = |along: f64| pixel(along / row * f64::from(width.max(0)));
        let segments = figure.segments.iter().zip(put).map(|(own, (at, from))| {
            let top = APART + i32::try_from(at).unwrap_or(0) * high;
            let frame = |left, right| Frame {
                left,
                top,
                right,
                bottom: top + (high - APART).max(1),
            };
            let end = x(from + bytes(own.size));
            let end = end - APART * i32::from(end - x(from) > APART * 2);
            let mut along = from;
            let pieces = own.pieces.iter().map(|piece| {
                let left = x(along).min(end);
                along += bytes(piece.size);
                frame(left, x(along).min(end))
            });
            SegmentBox {
                pieces: pieces.collect(),
                frame: frame(x(from), end),
            }
        });
        Self {
            segments: segments.collect(),
            largest_free: largest_free(figure),
        }
    }

    /// The piece at a point, in CSS pixels from the figure's upper left corner.
    pub fn hit(&self, x: i32, y: i32) -> Option<SegmentsHit> {
        let at = |own: &SegmentBox| own.frame.contains(x, y);
        let segment = self.segments.iter().position(at)?;
        let pieces = &self.segments[segment].pieces;
        let piece = pieces.iter().position(|piece| piece.contains(x, y))?;
        Some(SegmentsHit { segment, piece })
    }

    /// So many pieces further, over the ends of segments; from nowhere the largest free one.
    pub fn along(&self, from: Option<SegmentsHit>, by: isize) -> Option<SegmentsHit> {
        let Some(from) = from else {
            return self.largest_free.or_else(|| self.place(0));
        };
        let before = self.segments.get(..from.segment)?.iter();
        let before: usize = before.map(|own| own.pieces.len()).sum();
        let all: usize = self.segments.iter().map(|own| own.pieces.len()).sum();
        let at = (before + from.piece).saturating_add_signed(by);
        self.place(at.min(all.checked_sub(1)?))
    }

    fn place(&self, mut at: usize) -> Option<SegmentsHit> {
        for (segment, own) in self.segments.iter().enumerate() {
            match at.checked_sub(own.pieces.len()) {
                Some(rest) => at = rest,
                None => return Some(SegmentsHit { segment, piece: at }),
            }
        }
        None
    }

    /// The first piece of the segment `by` further, stopping at the first and the last.
    pub fn across(&self, from: Option<SegmentsHit>, by: isize) -> Option<SegmentsHit> {
        let Some(from) = from else {
            return self.along(None, 0);
        };
        let segment = from.segment.saturating_add_signed(by);
        let segment = segment.min(self.segments.len().checked_sub(1)?);
        Some(SegmentsHit { segment, piece: 0 })
    }
}

fn largest_free(figure: &SegmentsFigure) -> Option<SegmentsHit> {
    let mut largest: Option<(&PieceBar, SegmentsHit)> = None;
    for (segment, own) in figure.segments.iter().enumerate() {
        for (piece, bar) in own.pieces.iter().enumerate() {
            let is_larger = largest.is_none_or(|(other, _)| bar.size > other.size);
            if bar.used == Bytes::ZERO && is_larger {
                largest = Some((bar, SegmentsHit { segment, piece }));
            }
        }
    }
    largest.map(|(_, hit)| hit)
}
