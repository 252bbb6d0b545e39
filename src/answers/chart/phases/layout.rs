//! Places of the bars: geometry for drawing, pointing and keys.

use super::PhasesFigure;
use crate::chart::axis::Axis;
use crate::chart::geometry::{ByteScale, Frame, pixel, scale_top, with_ghost};
use crate::chart::marks::{far_rows, level_margin};
use crate::chart::number::Unit;
use crate::chart::theme::Theme;
use crate::report::StepReport;
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::Bytes;

/// A category's part of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The category.
    pub category: Category,
    /// Its size.
    pub bytes: Bytes,
    /// Its box.
    pub frame: Frame,
}

/// A phase's bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The phase.
    pub phase: Phase,
    /// Whether it is the phase that needs most.
    pub binding: bool,
    /// Its parts from the bottom up.
    pub segments: Vec<Segment>,
    /// Sum of the parts.
    pub total: Bytes,
    /// The counted bytes: the sum of the parts, or what the allocator gives or holds for them.
    pub counted: Bytes,
    /// `peak_reserved` of the phase.
    pub reserved: Bytes,
    /// The bar's box.
    pub frame: Frame,
    /// The bar's share of the figure's width, with half the gaps beside it.
    pub slot: (i32, i32),
}

/// The element under a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasesHit {
    /// The phase.
    pub phase: Phase,
    /// The part of its bar; none beside or above the bar.
    pub category: Option<Category>,
}

/// The figure's geometry at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct PhasesLayout {
    /// The frame of the bars.
    pub plot: Frame,
    /// Bytes upwards.
    pub axis: Axis,
    /// The bars in program order.
    pub bars: Vec<Bar>,
}

/// Of a slot, the share that its bar takes.
const BAR_SHARE: f64 = 0.72;
/// Room at both sides of the mark around the binding bar, in CSS pixels.
const CROWN_GAP: i32 = 2;
/// The widest bar in CSS pixels; wider ones look like areas.
const WIDEST: i32 = 168;

/// The most that the scale of a step's phases shows, with the `former` peak where that is near enough.
pub fn phases_need(step: &StepReport, former: Option<Bytes>) -> Bytes {
    let needs = step
        .phases
        .iter()
        .map(|phase| phase.peak_reserved.max(phase.composition.total()));
    with_ghost(needs.max().unwrap_or_default(), former)
}

impl PhasesLayout {
    /// Lays the figure out in a box of `size` CSS pixels.
    pub fn new(figure: &PhasesFigure, theme: &Theme, unit: Unit, size: (u32, u32)) -> Self {
        let phases = &figure.step.phases;
        let former = figure.previous.map(|(_, bytes)| bytes);
        let need = phases_need(figure.step, former).max(figure.held.unwrap_or_default());
        let (width, height) = (size.0.cast_signed(), size.1.cast_signed());
        let line = theme.line_height();
        let scale = ByteScale {
            max: scale_top(need, figure.capacity),
            top: line * (2 + far_rows(need, figure.capacity, width)) + 4,
            bottom: height - line * 2 - 8,
        };
        let axis = Axis::new(scale, unit);
        let plot = Frame {
            left: axis.gutter(theme),
            top: scale.top,
            right: width - level_margin(width, theme),
            bottom: scale.bottom,
        };
        let count = i32::try_from(phases.len()).unwrap_or(1).max(1);
        let bars = phases.iter().zip(0..).map(|(phase, i)| {
            let slot = (
                plot.left + plot.width() * i / count,
                plot.left + plot.width() * (i + 1) / count,
            );
            let wide = slot.1 - slot.0;
            let bar = pixel(f64::from(wide) * BAR_SHARE).min(WIDEST);
            let left = slot.0 + (wide - bar) / 2;
            let mut sum = Bytes::ZERO;
            let segments: Vec<Segment> = phase
                .composition
                .parts()
                .map(|(category, bytes)| {
                    let bottom = scale.at(sum);
                    sum += bytes;
                    let frame = Frame {
                        left,
                        top: scale.at(sum),
                        right: left + bar,
                        bottom,
                    };
                    Segment {
                        category,
                        bytes,
                        frame,
                    }
                })
                .collect();
            Bar {
                phase: phase.phase,
                binding: phase.phase == figure.step.peak.phase,
                segments,
                total: sum,
                counted: figure
                    .measure
                    .of(sum, phase.peak_allocated, phase.peak_reserved),
                reserved: phase.peak_reserved,
                frame: Frame {
                    left,
                    top: scale.at(sum),
                    right: left + bar,
                    bottom: plot.bottom,
                },
                slot,
            }
        });
        Self {
            plot,
            bars: bars.collect(),
            axis,
        }
    }

    /// Whether a size lies above what the scale shows.
    pub fn is_far(&self, bytes: Bytes) -> bool {
        bytes.get() as f64 > self.axis.scale.max
    }

    /// The bar of the phase that binds.
    pub fn binding(&self) -> Option<&Bar> {
        self.bars.iter().find(|bar| bar.binding)
    }

    /// The box of the mark around the binding bar, with its name and its numbers, in a figure of this `height`.
    pub fn crown(&self, height: u32) -> Option<Frame> {
        let slot = self.binding()?.slot;
        Some(Frame {
            left: slot.0 + CROWN_GAP,
            top: 0,
            right: slot.1 - CROWN_GAP,
            bottom: height.cast_signed(),
        })
    }

    /// The element under a point, in CSS pixels from the figure's upper left corner.
    pub fn hit(&self, x: i32, y: i32) -> Option<PhasesHit> {
        let bar = self
            .bars
            .iter()
            .find(|bar| bar.slot.0 <= x && x < bar.slot.1)?;
        let part = bar
            .segments
            .iter()
            .find(|segment| segment.frame.contains(x, y));
        Some(PhasesHit {
            phase: bar.phase,
            category: part.map(|segment| segment.category),
        })
    }

    /// The phase that is `by` bars to the right (to the left when negative), stopping at the
    /// ends; without a phase to start from, the binding one.
    pub fn step(&self, from: Option<Phase>, by: isize) -> Option<Phase> {
        let Some(at) = from.and_then(|from| self.bars.iter().position(|bar| bar.phase == from))
        else {
            return self.binding().map(|bar| bar.phase);
        };
        let to = at.saturating_add_signed(by).min(self.bars.len() - 1);
        Some(self.bars[to].phase)
    }

    /// The next part up (`by` 1) or down (`by` -1) within a phase's bar, stopping at the ends;
    /// without a part to start from, the lowest.
    pub fn step_part(&self, phase: Phase, from: Option<Category>, by: isize) -> Option<Category> {
        let bar = self.bars.iter().find(|bar| bar.phase == phase)?;
        let at = from.and_then(|from| bar.segments.iter().position(|s| s.category == from));
        let to = at.map_or(0, |at| {
            at.saturating_add_signed(by).min(bar.segments.len() - 1)
        });
        bar.segments.get(to).map(|segment| segment.category)
    }
}
