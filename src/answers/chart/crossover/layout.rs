//! Places of the lines: geometry for drawing, pointing and keys.

use super::CrossoverFigure;
use super::batch::BatchScale;
use super::shown::shown;
use crate::chart::axis::Axis;
use crate::chart::geometry::{ByteScale, Frame, pixel, scale_top};
use crate::chart::marks::{far_rows, level_margin};
use crate::chart::number::Unit;
use crate::chart::theme::Theme;
use crate::report::{Sweep, SweepPoint};
use crate::sim::Phase;

/// A phase's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The phase.
    pub phase: Phase,
    /// Its points from left to right, in CSS pixels.
    pub points: Vec<(i32, i32)>,
}

/// The element under a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossoverHit {
    /// The nearest batch size.
    pub micro_batch_size: u64,
    /// The nearest line, when there is one within reach.
    pub phase: Option<Phase>,
}

/// The figure's geometry at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossoverLayout {
    /// The frame of the lines.
    pub plot: Frame,
    /// Bytes upwards.
    pub axis: Axis,
    /// Batch sizes to the right.
    pub batch: BatchScale,
    /// One line a phase.
    pub lines: Vec<Line>,
    /// Bytes that nvidia-smi would show.
    pub total: Vec<(i32, i32)>,
    /// The highest line: stretches between batch sizes with the phase that binds there.
    pub binding: Vec<Line>,
}

/// The axis is logarithmic when the first crossing would lie within this share of a linear one.
const SQUEEZED: f64 = 0.08;
/// Without a crossing it is logarithmic from this largest size on.
const MANY: u64 = 128;
/// A line is under a point within this many CSS pixels.
const REACH: i32 = 12;
/// Room for phases' short names where there is no margin, in label sizes.
const SHORT_LETTERS: i32 = 4;

impl CrossoverLayout {
    /// Lays the figure out in a box of `size` CSS pixels.
    pub fn new(figure: &CrossoverFigure, theme: &Theme, unit: Unit, size: (u32, u32)) -> Self {
        let points = shown(figure);
        let (width, height) = (size.0.cast_signed(), size.1.cast_signed());
        let line = theme.line_height();
        let need = points
            .iter()
            .map(|point| point.total.max(highest(point)))
            .max();
        let need = need.unwrap_or_default();
        let names = level_margin(width, theme).max(theme.small().cast_signed() * SHORT_LETTERS);
        let scale = ByteScale {
            max: scale_top(need, figure.capacity),
            top: line * (2 + far_rows(need, figure.capacity, width)) + 4,
            bottom: height - line * 2 - 10,
        };
        let axis = Axis::new(scale, unit);
        let plot = Frame {
            left: axis.gutter(theme),
            top: scale.top,
            right: width - names,
            bottom: scale.bottom,
        };
        let max = points.last().map_or(1, |point| point.micro_batch_size);
        let batch = BatchScale {
            min: points.first().map_or(1, |point| point.micro_batch_size),
            max,
            logarithmic: logarithmic(figure.sweep, max),
            left: plot.left + 8,
            right: plot.right - 8,
        };
        let at = |size: u64, bytes: f64| (batch.x(size), scale.y(bytes));
        let lines = phases(figure.sweep).map(|phase| Line {
            phase,
            points: points
                .iter()
                .filter_map(|point| Some(at(point.micro_batch_size, peak(point, phase)?)))
                .collect(),
        });
        let total = points
            .iter()
            .map(|p| at(p.micro_batch_size, p.total.get() as f64))
            .collect();
        let lines: Vec<Line> = lines.collect();
        let binding = binding(figure.sweep, &points, &batch, &lines);
        Self {
            plot,
            axis,
            batch,
            lines,
            total,
            binding,
        }
    }

    /// The place of a phase's line at a batch size, in CSS pixels.
    pub fn y(&self, phase: Phase, size: u64) -> Option<i32> {
        let line = self.lines.iter().find(|line| line.phase == phase)?;
        height(&line.points, self.batch.x(size))
    }

    /// The element under a point, in CSS pixels from the figure's upper left corner.
    pub fn hit(&self, x: i32, y: i32) -> Option<CrossoverHit> {
        if self.lines.is_empty() || x < self.plot.left || x >= self.plot.right {
            return None;
        }
        let away = |line: &Line| Some((height(&line.points, x)? - y).abs());
        let near = self
            .lines
            .iter()
            .filter_map(|line| Some((away(line)?, line.phase)));
        let nearest = near
            .min_by_key(|&(away, _)| away)
            .filter(|&(away, _)| away <= REACH);
        Some(CrossoverHit {
            micro_batch_size: self.batch.size_at(x),
            phase: nearest.map(|(_, phase)| phase),
        })
    }

    /// The next batch size to the right (`by` 1) or left (-1), over the sizes that were
    /// estimated and those at which something happens, stopping at the ends.
    pub fn step(&self, sweep: &Sweep, from: u64, by: isize) -> u64 {
        let mut sizes: Vec<u64> = sweep
            .points
            .iter()
            .map(|point| point.micro_batch_size)
            .collect();
        sizes.extend(sweep.switches.iter().map(|switch| switch.micro_batch_size));
        sizes.extend(sweep.largest_fitting);
        sizes.retain(|&size| self.batch.min <= size && size <= self.batch.max && size != from);
        sizes.push(from);
        sizes.sort_unstable();
        sizes.dedup();
        let at = sizes.partition_point(|&size| size < from);
        sizes[at.saturating_add_signed(by).min(sizes.len() - 1)]
    }
}

/// A phase's peak at one of the sizes that were estimated, in bytes.
fn peak(point: &SweepPoint, phase: Phase) -> Option<f64> {
    let found = point.phases.iter().find(|(of, _)| *of == phase);
    found.map(|(_, bytes)| bytes.get() as f64)
}

fn highest(point: &SweepPoint) -> crate::units::Bytes {
    point
        .phases
        .iter()
        .map(|&(_, bytes)| bytes)
        .max()
        .unwrap_or_default()
}

/// Whether a linear axis up to `max` would squeeze the first crossing.
fn logarithmic(sweep: &Sweep, max: u64) -> bool {
    match sweep.switches.first() {
        Some(switch) => (switch.micro_batch_size as f64) < max as f64 * SQUEEZED,
        None => max >= MANY,
    }
}

/// The phases worth a line: phases that compute, and any that binds somewhere.
fn phases(sweep: &Sweep) -> impl Iterator<Item = Phase> {
    Phase::ALL.iter().copied().filter(|&phase| {
        let computes = match phase {
            Phase::Generation
            | Phase::Forward
            | Phase::ReferenceForward
            | Phase::Backward
            | Phase::OptimizerStep
            | Phase::Evaluation => true,
            Phase::Loading | Phase::Saving | Phase::Data | Phase::Clip | Phase::ZeroGrad => false,
        };
        let occurs = sweep
            .points
            .iter()
            .any(|point| peak(point, phase).is_some());
        occurs && (computes || sweep.points.iter().any(|point| point.binding == phase))
    })
}

/// The height of a line at `x`, between its points.
pub(super) fn height(points: &[(i32, i32)], x: i32) -> Option<i32> {
    let after = points.partition_point(|point| point.0 < x);
    let &(x1, y1) = points.get(after).or(points.last())?;
    let &(x0, y0) = points.get(after.saturating_sub(1))?;
    if x1 <= x0 {
        return Some(y1);
    }
    let along = f64::from(x.clamp(x0, x1) - x0) / f64::from(x1 - x0);
    Some(y0 + pixel(along * f64::from(y1 - y0)))
}

/// The stretches of the highest line, cut where the binding phase changes.
fn binding(sweep: &Sweep, points: &[SweepPoint], batch: &BatchScale, lines: &[Line]) -> Vec<Line> {
    let mut cuts: Vec<i32> = points
        .iter()
        .map(|point| batch.x(point.micro_batch_size))
        .collect();
    let changes = sweep.switches.iter().map(|switch| switch.micro_batch_size);
    let inside = changes.filter(|&size| batch.min <= size && size <= batch.max);
    cuts.extend(inside.map(|size| batch.x(size)));
    cuts.sort_unstable();
    cuts.dedup();
    let mut stretches: Vec<Line> = Vec::new();
    for pair in cuts.windows(2) {
        let middle = i32::midpoint(pair[0], pair[1]);
        let tops = lines
            .iter()
            .filter_map(|line| Some((height(&line.points, middle)?, line)));
        let Some((_, line)) = tops.min_by_key(|&(y, _)| y) else {
            continue;
        };
        let ends = pair
            .iter()
            .filter_map(|&x| Some((x, height(&line.points, x)?)));
        match stretches.last_mut().filter(|last| last.phase == line.phase) {
            Some(last) => last.points.extend(ends.skip(1)),
            None => stretches.push(Line {
                phase: line.phase,
                points: ends.collect(),
            }),
        }
    }
    stretches
}
