//! Places of the cells: geometry for drawing, pointing and keys.

use super::MapFigure;
use crate::chart::geometry::Frame;
use crate::chart::theme::Theme;

/// Letters of the widest value upwards, in label sizes.
const LETTERS: i32 = 4;

/// The figure's geometry at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapLayout {
    /// The frame of the cells.
    pub plot: Frame,
    /// How many there are, to the right and upwards.
    pub count: [usize; 2],
}

impl MapLayout {
    /// Lays the figure out in a box of `size` CSS pixels.
    pub fn new(figure: &MapFigure, theme: &Theme, size: (u32, u32)) -> Self {
        let (width, height) = (size.0.cast_signed(), size.1.cast_signed());
        let line = theme.line_height();
        Self {
            plot: Frame {
                left: theme.small().cast_signed() * LETTERS,
                top: line + 6,
                right: width - 4,
                bottom: height - line * 2 - 10,
            },
            count: figure.map.size(),
        }
    }

    /// The edge before a column or, from the bottom, a row; the last edge is that after all of them.
    fn edge(&self, axis: usize, place: usize) -> i32 {
        let whole = |place: usize| i64::try_from(place).unwrap_or(0);
        let count = whole(self.count[axis]).max(1);
        let long = [self.plot.width(), self.plot.height()][axis];
        let along = i64::from(long) * whole(place) / count;
        let along = i32::try_from(along).unwrap_or(0);
        if axis == 0 {
            self.plot.left + along
        } else {
            self.plot.bottom - along
        }
    }

    /// The box of a cell.
    pub fn cell(&self, [x, y]: [usize; 2]) -> Frame {
        Frame {
            left: self.edge(0, x),
            top: self.edge(1, y + 1),
            right: self.edge(0, x + 1),
            bottom: self.edge(1, y),
        }
    }

    /// The cell at a point, in CSS pixels from the figure's upper left corner.
    pub fn hit(&self, x: i32, y: i32) -> Option<[usize; 2]> {
        if !self.plot.contains(x, y) {
            return None;
        }
        let column = (0..self.count[0]).find(|&at| x < self.edge(0, at + 1))?;
        let row = (0..self.count[1]).find(|&at| y >= self.edge(1, at + 1))?;
        Some([column, row])
    }

    /// The cell some places to the right (`by` 1) or left (-1).
    pub fn leap(&self, from: [usize; 2], by: isize) -> [usize; 2] {
        const LEAP: isize = 4;
        self.step(from, [by.saturating_mul(LEAP), 0])
    }

    /// The first cell of a row.
    pub fn begin(&self, [_, y]: [usize; 2]) -> [usize; 2] {
        [0, y]
    }

    /// The last cell of a row.
    pub fn end(&self, [_, y]: [usize; 2]) -> [usize; 2] {
        [self.count[0].saturating_sub(1), y]
    }

    /// The cell `by` places to the right and upwards, stopping at the edges.
    pub fn step(&self, from: [usize; 2], by: [isize; 2]) -> [usize; 2] {
        [0, 1].map(|axis| {
            let last = self.count[axis].saturating_sub(1);
            from[axis].saturating_add_signed(by[axis]).min(last)
        })
    }
}
