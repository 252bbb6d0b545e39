//! What one rank needs against the number of GPUs: a line for each sharding, and what does not shrink.

mod draw;
mod layout;

pub use draw::draw_gpus;
pub use layout::{GpusLayout, GpusLine};

use crate::decide::{GpusCurve, Sharding};

/// What the figure shows.
#[derive(Clone, Copy, Debug)]
pub struct GpusFigure<'a> {
    /// What a rank needs under each sharding.
    pub curves: &'a [GpusCurve],
    /// The sharding whose line is strong and whose floor is drawn.
    pub sharding: Option<Sharding>,
    /// The number of GPUs that is configured.
    pub current: u64,
    /// The number that the reader points at.
    pub cursor: Option<u64>,
}
