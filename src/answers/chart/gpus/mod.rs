//! The need of one rank against the number of GPUs: a line for each sharding, and the bytes that do not shrink.

mod draw;
mod layout;

pub use draw::draw_gpus;
pub use layout::{GpusLayout, GpusLine};

use crate::decide::{GpusCurve, Sharding};

/// The content of the figure.
#[derive(Clone, Copy, Debug)]
pub struct GpusFigure<'a> {
    /// The need of a rank under each sharding.
    pub curves: &'a [GpusCurve],
    /// The sharding whose line is strong and whose floor is drawn.
    pub sharding: Option<Sharding>,
    /// The number of GPUs that is configured.
    pub current: u64,
    /// The number that the reader points at.
    pub cursor: Option<u64>,
}
