//! The need of a run over two numbers of its scenario: a field of cells, colored by the phase that binds, with a line
//! along the capacity.

mod draw;
mod layout;

pub use draw::draw_map;
pub use layout::MapLayout;

use crate::decide::MemoryMap;

/// The content of the figure.
#[derive(Clone, Copy, Debug)]
pub struct MapFigure<'a> {
    /// The field.
    pub map: &'a MemoryMap,
    /// The numbers that vary to the right, and upwards.
    pub titles: [&'a str; 2],
    /// The cell nearest to the configuration.
    pub current: Option<[usize; 2]>,
    /// The cell that the reader points at.
    pub cursor: Option<[usize; 2]>,
}
