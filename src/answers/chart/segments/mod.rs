//! An allocator's segments: their pieces drawn to one scale, and how full each was over time.

mod draw;
mod fullness;
mod layout;

pub use draw::draw_segments;
pub use fullness::{FullnessFigure, FullnessLayout, draw_fullness};
pub use layout::{SegmentBox, SegmentsHit, SegmentsLayout};

use crate::tape::Category;
use crate::units::Bytes;

/// A part of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceBar {
    /// Its size.
    pub size: Bytes,
    /// Bytes of it that tensors hold.
    pub used: Bytes,
    /// The category that gives its color, where its purpose is guessed.
    pub category: Option<Category>,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentBar {
    /// Its size.
    pub size: Bytes,
    /// Its pieces by address.
    pub pieces: Vec<PieceBar>,
    /// The most that tensors held of it in each stretch of time.
    pub over_time: Vec<Bytes>,
}

/// The content of the figure of pieces.
#[derive(Clone, Copy, Debug)]
pub struct SegmentsFigure<'a> {
    /// The segments, the largest first.
    pub segments: &'a [SegmentBar],
    /// The piece that the reader points at.
    pub cursor: Option<SegmentsHit>,
}
