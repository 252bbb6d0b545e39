//! The drawing of the timeline.

use super::TimelineFigure;
use super::layout::{Run, TimelineLayout};
use super::stacks::Stacks;
use crate::chart::geometry::Frame;
use crate::chart::look::{Highlight, Look};
use crate::chart::marks::{self, Level};
use crate::chart::pen::{Drawn, Hold, Pen, Type};
use crate::report::Measure;
use crate::units::Bytes;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// How strongly phases recede that are not the highlighted one.
const VEIL: f64 = 0.72;
/// Opacity of the range that is being selected.
const BRUSHED: f64 = 0.2;
/// A tensor's life is drawn this high above the axis, in CSS pixels.
const LIFE: i32 = 8;

/// Draws memory over program order: stacked areas, the reserved bytes as a line on top, the peak
/// with its leader, the capacity, a strip of phases below, and the reader's cursor.
///
/// # Errors
/// What the backend reports.
pub fn draw_timeline<DB: DrawingBackend>(
    figure: &TimelineFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = TimelineLayout::new(figure, look.theme, look.unit, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    let capacity = marks::begin(&pen, look, &layout.axis, layout.plot, figure.capacity)?;
    beneath(&pen, figure, &layout)?;
    let stacks = Stacks::new(figure, &layout);
    stacks.draw(&pen, look)?;
    veil(&pen, look, &layout)?;
    stretches(&pen, figure, &layout)?;
    reserved(&pen, figure, &layout)?;
    strip(&pen, look, &layout)?;
    peak(&pen, figure, look, &layout)?;
    cursor(&pen, figure, &layout)?;
    names(&pen, figure, look, &layout, capacity)
}

/// Draws bytes counted beyond live tensors, as a plain area behind them.
fn beneath<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &TimelineFigure,
    layout: &TimelineLayout,
) -> Drawn<DB> {
    if figure.measure == Measure::Live {
        return Ok(());
    }
    for run in &layout.runs {
        let frame = Frame {
            left: run.x0,
            top: layout.axis.scale.at(counted(figure, run.point)),
            right: run.x1,
            bottom: layout.plot.bottom,
        };
        marks::beyond_live(pen, frame)?;
    }
    Ok(())
}

/// The bytes that a point counts as used.
fn counted(figure: &TimelineFigure, point: usize) -> Bytes {
    let point = &figure.timeline.points[point];
    let live = point.composition.total();
    figure.measure.of(live, point.allocated, point.reserved)
}

/// The stretch that is being selected, and the life of a tensor.
fn stretches<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &TimelineFigure,
    layout: &TimelineLayout,
) -> Drawn<DB> {
    let plot = layout.plot;
    let ends = |(start, end): (u32, u32)| {
        let left = layout.program.x_near(start).max(plot.left);
        let right = layout.program.x_near(end).min(plot.right).max(left + 2);
        (left, right)
    };
    if let Some((left, right)) = figure.marks.brush.map(ends) {
        let frame = Frame {
            left,
            right,
            ..plot
        };
        pen.shade(frame, pen.theme.accent, BRUSHED)?;
        pen.upright(left, (plot.top, plot.bottom), 1, pen.theme.accent)?;
        pen.upright(right, (plot.top, plot.bottom), 1, pen.theme.accent)?;
    }
    if let Some((left, right)) = figure.marks.lifetime.map(ends) {
        let y = plot.bottom - LIFE;
        pen.level((left, right), y - 1, 4, pen.theme.background)?;
        pen.level((left, right), y, 2, pen.theme.text)?;
        for x in [left, right] {
            pen.upright(x - 2, (y - 7, plot.bottom), 4, pen.theme.background)?;
            pen.upright(x - 1, (y - 6, plot.bottom), 2, pen.theme.text)?;
        }
    }
    Ok(())
}

/// Lets all phases but the highlighted one recede.
fn veil<DB: DrawingBackend>(pen: &Pen<DB>, look: &Look, layout: &TimelineLayout) -> Drawn<DB> {
    for section in &layout.program.sections {
        if !look.lit(section.span.phase) {
            let frame = Frame {
                left: section.x0,
                right: section.x1,
                ..layout.plot
            };
            pen.shade(frame, look.theme.background, VEIL)?;
        }
    }
    Ok(())
}

/// Draws the caching allocator's bytes, as a line of steps.
fn reserved<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &TimelineFigure,
    layout: &TimelineLayout,
) -> Drawn<DB> {
    let level = |run: &Run| {
        layout
            .axis
            .scale
            .at(figure.timeline.points[run.point].reserved)
    };
    for step in layout.runs.chunk_by(|a, b| a.step == b.step) {
        for stretch in step.chunk_by(|a, b| level(a) == level(b)) {
            let (first, last) = (stretch[0], stretch[stretch.len() - 1]);
            pen.level((first.x0, last.x1), level(&first), 1, pen.theme.text)?;
        }
        for pair in step.windows(2) {
            let (a, b) = (level(&pair[0]), level(&pair[1]));
            if a != b {
                pen.upright(pair[1].x0, (a.min(b), a.max(b) + 1), 1, pen.theme.text)?;
            }
        }
    }
    Ok(())
}

/// The phases below the areas, and the steps' headings above them.
fn strip<DB: DrawingBackend>(pen: &Pen<DB>, look: &Look, layout: &TimelineLayout) -> Drawn<DB> {
    let theme = look.theme;
    let middle = i32::midpoint(layout.strip.top, layout.strip.bottom);
    for section in &layout.program.sections {
        let phase = section.span.phase;
        let ink = theme.phase(phase);
        let ink = if look.lit(phase) {
            ink
        } else {
            theme.dimmed(ink)
        };
        let frame = Frame {
            left: section.x0,
            right: section.x1 - 1,
            ..layout.strip
        };
        pen.block(frame, ink.fill)?;
        let kind = Type::new(theme.small(), ink.fill.text_on(), Hold::Center);
        for name in [look.words.phase(phase), look.words.phase_short(phase)] {
            if pen.width(name, kind)? + 6 <= frame.width() {
                pen.text(name, (i32::midpoint(frame.left, frame.right), middle), kind)?;
                break;
            }
        }
    }
    let heading = Type::new(theme.small(), theme.text, Hold::Left).bold();
    for step in layout
        .program
        .sections
        .chunk_by(|a, b| a.span.step == b.span.step)
    {
        let (first, last) = (step[0], step[step.len() - 1]);
        let text = look.words.step(first.span.step == 0);
        if pen.width(text, heading)? <= last.x1 - first.x0 {
            pen.text(
                text,
                (first.x0, layout.headings + theme.line_height() / 2),
                heading,
            )?;
        }
    }
    let kind = Type::new(theme.small(), theme.muted, Hold::Right);
    let text = format!("{} \u{2192}", look.words.program_order());
    let y = layout.strip.bottom + theme.line_height() / 2 + 3;
    pen.text(&text, (layout.strip.right, y), kind)
}

/// The peak: a line at its level, a dot at its moment, and its name above with a leader.
fn peak<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &TimelineFigure,
    look: &Look,
    layout: &TimelineLayout,
) -> Drawn<DB> {
    let theme = look.theme;
    let timeline = figure.timeline;
    let Some(point) = timeline.points.get(timeline.peak) else {
        return Ok(());
    };
    let total = point.composition.total();
    let y = layout.axis.scale.at(total);
    pen.dashes((layout.plot.left, layout.plot.right), y, 4, 3, theme.accent)?;
    // Zoomed elsewhere, the level stays and the moment is out of sight. The same peak may come
    // in several steps, of which not all are shown.
    let shown = layout.highest(timeline).filter(|run| {
        figure.window.is_none() || timeline.points[run.point].composition.total() == total
    });
    let Some(run) = shown else {
        return Ok(());
    };
    let x = run.x0;
    let phase = layout
        .program
        .section_at(x)
        .map(|section| section.span.phase);
    let size = look.words.amount(total);
    let short = format!("{} {size}", look.words.peak());
    let long = phase.map(|phase| format!("{short} \u{b7} {}", look.words.phase(phase)));
    let kind = Type::new(theme.font_size, theme.accent, Hold::Center).bold();
    let texts = [long.unwrap_or_default(), short];
    let text = marks::first_fitting(pen, &texts, kind, layout.plot.width())?;
    let half = pen.width(text, kind)? / 2;
    let (low, high) = (layout.plot.left + half, layout.plot.right - half);
    let middle = x.min(high).max(low);
    let row = layout.headings + theme.line_height() * 3 / 2 + 2;
    pen.upright(x, (row + theme.line_height() / 2, y), 1, theme.accent)?;
    pen.disc((x, y), 5, theme.background)?;
    pen.disc((x, y), 4, theme.accent)?;
    pen.text_on(text, (middle, row), kind, theme.background)
}

/// Draws the reader's cursor.
fn cursor<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &TimelineFigure,
    layout: &TimelineLayout,
) -> Drawn<DB> {
    let points = &figure.timeline.points;
    let Some(event) = figure.cursor else {
        return Ok(());
    };
    let Some(x) = layout.program.x(event) else {
        return Ok(());
    };
    pen.upright(x, (layout.plot.top, layout.strip.bottom), 1, pen.theme.text)?;
    let after = points.partition_point(|point| point.event <= event);
    let Some(point) = points.get(after.saturating_sub(1)) else {
        return Ok(());
    };
    let y = layout.axis.scale.at(point.composition.total());
    pen.ring((x, y), 5, pen.theme.text)
}

/// The names of the reserved bytes and of the capacity, in the margin.
fn names<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &TimelineFigure,
    look: &Look,
    layout: &TimelineLayout,
    capacity: Option<Level>,
) -> Drawn<DB> {
    let theme = look.theme;
    let plot = layout.plot;
    if pen.right() - plot.right < marks::NAMING_MARGIN {
        let Some(capacity) = capacity else {
            return Ok(());
        };
        let kind = Type::new(theme.small(), capacity.color, Hold::Left);
        let at = (plot.left + 4, capacity.y + theme.line_height() / 2 + 2);
        return pen.text_on(&capacity.text, at, kind, theme.background);
    }
    let mut levels = marks::capacity_levels(look, plot, capacity);
    if let Some(run) = layout.runs.last() {
        if figure.measure == Measure::Allocated {
            let bytes = counted(figure, run.point);
            let name = format!("{} {}", look.words.allocated(), look.words.amount(bytes));
            levels.push(Level::new(layout.axis.scale.at(bytes), name, theme.muted));
        }
        let bytes = figure.timeline.points[run.point].reserved;
        let y = layout.axis.scale.at(bytes);
        levels.push(Level::new(y, marks::reserved_name(look, bytes), theme.text));
    }
    if let (Highlight::Category(category), Some(run)) = (look.highlight, layout.runs.last()) {
        let tops = layout.stack(&figure.timeline.points[run.point]);
        let mut layers = layout.layers.iter().zip(tops.skip(1));
        if let Some((_, y)) = layers.find(|&(&layer, _)| layer == category) {
            let text = look.words.category(category).to_owned();
            levels.push(Level::new(y, text, theme.text).bold(true));
        }
    }
    marks::name_levels(pen, plot, levels)
}
