//! Figures: the phases side by side, memory over program order, peak against batch size, what a rank
//! needs against the number of GPUs, what fits over two numbers, a measured run beside
//! a predicted one, a pipeline's schedule, an allocator's segments.
//!
//! Pure drawing: plain data, a [`Theme`], [`Words`] and a plotters area in; marks on any
//! plotters backend out (a canvas on screen, SVG for export and tests). Each figure has a layout
//! made without drawing, which also finds the mark under a point and the mark that an arrow key leads to.
//!
//! What it deliberately does not do: no words of its own, no legends (the page has them in
//! HTML), no arithmetic on memory beyond adding up the parts that it stacks, no DOM.
//!
//! Invariants: the parts of a stack add up to the total that is printed; a category, a host part
//! and a phase each have one ink everywhere; lengths are CSS pixels; nothing panics at any size.

mod axis;
mod caption;
mod color;
mod crossover;
mod geometry;
mod gpus;
mod history;
mod look;
mod map;
mod marks;
mod number;
mod palette;
mod pen;
mod phases;
mod schedule;
mod segments;
mod svg;
mod texture;
mod theme;
mod timeline;

pub use axis::Axis;
pub use caption::{Caption, captioned};
pub use color::Rgb;
pub use crossover::{
    BatchScale, CrossoverFigure, CrossoverHit, CrossoverLayout, Line, draw_crossover,
};
pub use geometry::{ByteScale, Frame};
pub use gpus::{GpusFigure, GpusLayout, GpusLine, draw_gpus};
pub use history::{HeldAt, History, HistoryFigure, HistoryHit, HistoryLayout, draw_history};
pub use look::{Highlight, Look, Words};
pub use map::{MapFigure, MapLayout, draw_map};
pub use number::{Tick, Unit, ticks};
pub use pen::Drawn;
pub use phases::{Bar, PhasesFigure, PhasesHit, PhasesLayout, Segment, draw_phases, phases_need};
pub use schedule::{Cell, Row, ScheduleFigure, ScheduleHit, ScheduleLayout, draw_schedule};
pub use segments::{
    FullnessFigure, FullnessLayout, PieceBar, SegmentBar, SegmentBox, SegmentsFigure, SegmentsHit,
    SegmentsLayout, draw_fullness, draw_segments,
};
pub use svg::{
    Paper, SvgError, svg_crossover, svg_fullness, svg_gpus, svg_history, svg_map, svg_phases,
    svg_schedule, svg_segments, svg_timeline,
};
pub use texture::Texture;
pub use theme::{Ink, Theme};
pub use timeline::{
    ProgramScale, Run, Section, TimelineFigure, TimelineHit, TimelineLayout, TimelineMarks,
    draw_timeline,
};
