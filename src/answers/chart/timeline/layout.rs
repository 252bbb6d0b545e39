//! Places of the areas: geometry for drawing, pointing and keys.

use super::TimelineFigure;
use super::program::ProgramScale;
use crate::chart::axis::Axis;
use crate::chart::geometry::{ByteScale, Frame, scale_top};
use crate::chart::marks::{far_rows, level_margin};
use crate::chart::number::Unit;
use crate::chart::theme::Theme;
use crate::report::{Timeline, TimelinePoint};
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::Bytes;

/// A stretch over which the figure shows one point of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Left edge in CSS pixels.
    pub x0: i32,
    /// Right edge in CSS pixels.
    pub x1: i32,
    /// Index in `Timeline::points`.
    pub point: usize,
    /// Step, from 0.
    pub step: u32,
}

/// The element under a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineHit {
    /// Index in `Timeline::points`.
    pub point: usize,
    /// The phase.
    pub phase: Phase,
    /// The category's area; none above the stack.
    pub category: Option<Category>,
}

/// The figure's geometry at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineLayout {
    /// The frame of the areas.
    pub plot: Frame,
    /// Top of the steps' headings.
    pub headings: i32,
    /// The phase strip below.
    pub strip: Frame,
    /// Bytes upwards.
    pub axis: Axis,
    /// Events to the right.
    pub program: ProgramScale,
    /// Stretches from left to right.
    pub runs: Vec<Run>,
    /// The categories that occur, from the bottom up.
    pub layers: Vec<Category>,
}

/// Height of the phase strip in CSS pixels.
const STRIP: i32 = 18;

impl TimelineLayout {
    /// Lays the figure out in a box of `size` CSS pixels.
    pub fn new(figure: &TimelineFigure, theme: &Theme, unit: Unit, size: (u32, u32)) -> Self {
        let timeline = figure.timeline;
        let (width, height) = (size.0.cast_signed(), size.1.cast_signed());
        let line = theme.line_height();
        // The whole run decides on the scale, so that zooming does not change it.
        let need = timeline
            .points
            .iter()
            .map(|point| point.reserved.max(point.composition.total()))
            .max()
            .unwrap_or_default();
        let headings = line * far_rows(need, figure.capacity, width);
        let scale = ByteScale {
            max: scale_top(need, figure.capacity),
            top: headings + line * 2 + 8,
            bottom: height - STRIP - line - 10,
        };
        let axis = Axis::new(scale, unit);
        let plot = Frame {
            left: axis.gutter(theme),
            top: scale.top,
            right: width - level_margin(width, theme),
            bottom: scale.bottom,
        };
        let strip = Frame {
            left: plot.left,
            top: plot.bottom + 4,
            right: plot.right,
            bottom: plot.bottom + 4 + STRIP,
        };
        let program = ProgramScale::new(&timeline.spans, figure.window, (plot.left, plot.right));
        let runs = runs(timeline, &program);
        let occurs = |&category: &Category| {
            runs.iter()
                .any(|run| timeline.points[run.point].composition.get(category).get() > 0)
        };
        let layers = Category::ALL.iter().copied().filter(occurs).collect();
        Self {
            plot,
            headings,
            strip,
            axis,
            program,
            runs,
            layers,
        }
    }

    /// Heights of a point's layers in CSS pixels: the base, then the top of each layer.
    pub fn stack(&self, point: &TimelinePoint) -> impl Iterator<Item = i32> {
        let mut sum = Bytes::ZERO;
        let tops = self.layers.iter().map(move |&category| {
            sum += point.composition.get(category);
            self.axis.scale.at(sum)
        });
        std::iter::once(self.plot.bottom).chain(tops)
    }

    /// The stretch with the highest point of those shown.
    pub fn highest(&self, timeline: &Timeline) -> Option<&Run> {
        let total = |run: &Run| timeline.points[run.point].composition.total();
        // The first of several equal ones.
        self.runs.iter().rev().max_by_key(|run| total(run))
    }

    /// The run that shows a point, or the nearest one before it.
    pub fn run_of(&self, point: usize) -> Option<&Run> {
        let after = self.runs.partition_point(|run| run.point <= point);
        self.runs.get(after.saturating_sub(1))
    }

    /// The element under a point, in CSS pixels from the figure's upper left corner.
    pub fn hit(&self, timeline: &Timeline, x: i32, y: i32) -> Option<TimelineHit> {
        if x < self.plot.left || x >= self.plot.right {
            return None;
        }
        let at = self
            .runs
            .partition_point(|run| run.x1 <= x)
            .min(self.runs.len().checked_sub(1)?);
        let point = self.runs[at].point;
        let phase = self.program.section_at(x)?.span.phase;
        let tops = self.stack(&timeline.points[point]).skip(1);
        let mut stack = self.layers.iter().zip(tops);
        let category = stack
            .find(|&(_, top)| top <= y)
            .map(|(&category, _)| category);
        let category = category.filter(|_| y < self.plot.bottom);
        Some(TimelineHit {
            point,
            phase,
            category,
        })
    }

    /// The point that is `by` stretches to the right (to the left when negative), stopping at
    /// the ends; without a point to start from, the highest one shown.
    pub fn step(&self, timeline: &Timeline, from: Option<usize>, by: isize) -> Option<usize> {
        let last = self.runs.len().checked_sub(1)?;
        let Some(from) = from else {
            return self.highest(timeline).map(|run| run.point);
        };
        let at = self
            .runs
            .partition_point(|run| run.point <= from)
            .saturating_sub(1);
        Some(self.runs[at.saturating_add_signed(by).min(last)].point)
    }

    /// The next part up (`by` 1) or down (`by` -1) in a point's stack, stopping at the ends; with
    /// `by` 0 the same part where it is there. Without a part to start from, the lowest.
    pub fn step_layer(
        &self,
        timeline: &Timeline,
        point: usize,
        from: Option<Category>,
        by: isize,
    ) -> Option<Category> {
        let composition = timeline.points.get(point)?.composition;
        let parts: Vec<Category> = composition.parts().map(|(category, _)| category).collect();
        let Some(at) = from.and_then(|from| parts.iter().position(|&part| part == from)) else {
            return parts.first().copied().filter(|_| by != 0);
        };
        let last = parts.len().checked_sub(1)?;
        Some(parts[at.saturating_add_signed(by).min(last)])
    }

    /// The first point of the phase that is `by` phases further on, stopping at the ends.
    pub fn step_phase(&self, timeline: &Timeline, from: usize, by: isize) -> Option<usize> {
        let event = timeline.points.get(from)?.event;
        let sections = &self.program.sections;
        let last = sections.len().checked_sub(1)?;
        let at = sections
            .partition_point(|section| section.span.end <= event)
            .min(last);
        let to = sections[at.saturating_add_signed(by).min(last)];
        let run = self.runs.iter().find(|run| run.x1 > to.x0)?;
        Some(run.point)
    }
}

/// The stretches that show the timeline's points. Where several points fall on one pixel the
/// highest is shown, so that no peak is lost.
fn runs(timeline: &Timeline, program: &ProgramScale) -> Vec<Run> {
    let points = &timeline.points;
    let total = |point: usize| points[point].composition.total();
    let mut runs: Vec<Run> = Vec::new();
    for section in program
        .sections
        .iter()
        .filter(|section| section.x0 < section.x1)
    {
        let span = section.span;
        let first = points.partition_point(|point| point.event < span.start);
        let last = points.partition_point(|point| point.event < span.end);
        let begin = runs.len();
        // Until its first point a phase shows the memory before it.
        let before = if points
            .get(first)
            .is_some_and(|point| point.event == span.start)
        {
            first
        } else {
            first.saturating_sub(1)
        };
        for (point, of) in (before..).zip(&points[before.min(last)..last]) {
            let at = program.x(of.event).unwrap_or(section.x0);
            let x0 = at.min(section.x1 - 1).max(section.x0);
            let here = runs[begin..].last_mut().filter(|run| run.x0 == x0);
            match here {
                Some(run) if total(point) > total(run.point) => run.point = point,
                Some(_) => {}
                None => runs.push(Run {
                    x0,
                    x1: section.x1,
                    point,
                    step: span.step,
                }),
            }
        }
        for i in begin..runs.len() {
            runs[i].x1 = runs.get(i + 1).map_or(section.x1, |next| next.x0);
        }
    }
    runs
}
