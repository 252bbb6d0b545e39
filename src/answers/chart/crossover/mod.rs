//! Peak per phase against micro-batch size: where the binding phase changes, and what still fits.

mod batch;
mod draw;
mod layout;
mod shown;

pub use batch::BatchScale;
pub use draw::draw_crossover;
pub use layout::{CrossoverHit, CrossoverLayout, Line};

use crate::report::Sweep;
use crate::units::Bytes;

/// The content of the figure.
#[derive(Clone, Copy, Debug)]
pub struct CrossoverFigure<'a> {
    /// Peaks by batch size.
    pub sweep: &'a Sweep,
    /// Bytes of the device that programs can use; none when no device is chosen.
    pub capacity: Option<Bytes>,
    /// The batch size that is configured.
    pub current: u64,
    /// The batch size that the reader points at.
    pub cursor: Option<u64>,
}
