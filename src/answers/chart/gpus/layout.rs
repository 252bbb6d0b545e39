//! Places of the lines: geometry for drawing, pointing and keys.

use super::GpusFigure;
use crate::chart::axis::Axis;
use crate::chart::crossover::BatchScale;
use crate::chart::geometry::{ByteScale, Frame, scale_top};
use crate::chart::marks::far_rows;
use crate::chart::number::Unit;
use crate::chart::theme::Theme;
use crate::decide::{GpusPoint, Sharding};
use crate::units::Bytes;

/// Room for the shardings' names at the right, in label sizes: "ZeRO-3".
const NAME_LETTERS: i32 = 5;

/// A sharding's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpusLine {
    /// The sharding.
    pub sharding: Sharding,
    /// Its points from left to right, in CSS pixels.
    pub points: Vec<(i32, i32)>,
}

/// The figure's geometry at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct GpusLayout {
    /// The frame of the lines.
    pub plot: Frame,
    /// Bytes upwards.
    pub axis: Axis,
    /// Numbers of GPUs to the right.
    pub gpus: BatchScale,
    /// One line a sharding.
    pub lines: Vec<GpusLine>,
    /// Bytes that do not shrink under the highlighted sharding.
    pub floor: Option<Bytes>,
    /// Bytes of a GPU that programs can use.
    pub capacity: Option<Bytes>,
    /// All numbers of GPUs that were looked at.
    pub counts: Vec<u64>,
}

impl GpusLayout {
    /// Lays the figure out in a box of `size` CSS pixels.
    pub fn new(figure: &GpusFigure, theme: &Theme, unit: Unit, size: (u32, u32)) -> Self {
        let (width, height) = (size.0.cast_signed(), size.1.cast_signed());
        let points = || figure.curves.iter().flat_map(|curve| &curve.points);
        let capacity = points().next().map(|point| point.device.capacity);
        let need = points().map(needed).max().unwrap_or_default();
        let mut counts: Vec<u64> = points().map(|point| point.gpus).collect();
        counts.sort_unstable();
        counts.dedup();
        let line = theme.line_height();
        let scale = ByteScale {
            max: scale_top(need, capacity),
            top: line * (1 + far_rows(need, capacity, width)) + 4,
            bottom: height - line * 2 - 10,
        };
        let axis = Axis::new(scale, unit);
        let plot = Frame {
            left: axis.gutter(theme),
            top: scale.top,
            right: width - theme.small().cast_signed() * NAME_LETTERS,
            bottom: scale.bottom,
        };
        let gpus = BatchScale {
            min: counts.first().copied().unwrap_or(1),
            max: counts.last().copied().unwrap_or(1),
            logarithmic: true,
            left: plot.left + 8,
            right: plot.right - 8,
        };
        let lines = figure.curves.iter().map(|curve| GpusLine {
            sharding: curve.sharding,
            points: curve
                .points
                .iter()
                .map(|point| (gpus.x(point.gpus), scale.at(needed(point))))
                .collect(),
        });
        let own = |sharding| {
            figure
                .curves
                .iter()
                .find(|curve| curve.sharding == sharding)
        };
        Self {
            lines: lines.collect(),
            floor: figure
                .sharding
                .and_then(own)
                .map(|curve| curve.floor.total()),
            plot,
            axis,
            gpus,
            capacity,
            counts,
        }
    }

    /// The number of GPUs nearest to a point, in CSS pixels from the figure's upper left corner.
    pub fn hit(&self, x: i32) -> Option<u64> {
        if x < self.plot.left || x >= self.plot.right {
            return None;
        }
        let away = |gpus: &&u64| (self.gpus.x(**gpus) - x).abs();
        self.counts.iter().min_by_key(away).copied()
    }

    /// The next number to the right (`by` 1) or left (-1), stopping at the ends.
    pub fn step(&self, from: u64, by: isize) -> Option<u64> {
        let last = self.counts.len().checked_sub(1)?;
        let at = self.counts.partition_point(|&gpus| gpus < from);
        Some(self.counts[at.saturating_add_signed(by).min(last)])
    }
}

fn needed(point: &GpusPoint) -> Bytes {
    point.device.needed
}
