//! The drawing of the crossover.

use super::CrossoverFigure;
use super::layout::{CrossoverLayout, height};
use crate::chart::geometry::Frame;
use crate::chart::look::Look;
use crate::chart::marks::{self, Level};
use crate::chart::pen::{Drawn, Hold, Pen, Type};
use crate::report::Switch;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// The least margin in which levels can be named with their sizes, in CSS pixels.
const NAMING_MARGIN: i32 = 80;

/// Draws peaks per phase against the micro-batch size: the binding one strong, each crossing
/// marked and named, the capacity, the largest size that fits and the configured size.
///
/// # Errors
/// What the backend reports.
pub fn draw_crossover<DB: DrawingBackend>(
    figure: &CrossoverFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = CrossoverLayout::new(figure, look.theme, look.unit, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    let capacity = marks::begin(&pen, look, &layout.axis, layout.plot, figure.capacity)?;
    batch_axis(&pen, figure, look, &layout)?;
    limits(&pen, figure, look, &layout)?;
    lines(&pen, look, &layout)?;
    here(&pen, figure, &layout)?;
    switches(&pen, figure, look, &layout)?;
    names(&pen, figure, look, &layout, capacity)
}

/// Round batch sizes below, with the configured size in place of a round one that is too near to it.
fn batch_axis<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &CrossoverFigure,
    look: &Look,
    layout: &CrossoverLayout,
) -> Drawn<DB> {
    let theme = look.theme;
    let plot = layout.plot;
    let row = plot.bottom + theme.line_height() / 2 + 8;
    let plain = Type::new(theme.small(), theme.muted, Hold::Center);
    let widest = pen.width(&layout.batch.max.to_string(), plain)?;
    let here = shown(layout, figure.current).map(|size| layout.batch.x(size));
    for size in layout.batch.ticks(widest + 14) {
        let x = layout.batch.x(size);
        pen.upright(x, (plot.bottom, plot.bottom + 4), 1, theme.muted)?;
        if here.is_none_or(|here| (here - x).abs() > widest + 6) {
            pen.text(&size.to_string(), (x, row), plain)?;
        }
    }
    if let Some(x) = here {
        let kind = Type {
            color: theme.text,
            ..plain.bold()
        };
        let foot = plot.bottom + 1;
        pen.polygon(
            vec![(x, foot), (x - 5, foot + 7), (x + 5, foot + 7)],
            theme.text,
        )?;
        pen.text(&figure.current.to_string(), (x, row + 2), kind)?;
    }
    let kind = Type {
        hold: Hold::Right,
        ..plain
    };
    let text = format!("{} \u{2192}", look.words.micro_batch_size());
    pen.text(&text, (plot.right, row + theme.line_height() + 1), kind)
}

fn shown(layout: &CrossoverLayout, size: u64) -> Option<u64> {
    (layout.batch.min <= size && size <= layout.batch.max).then_some(size)
}

/// The largest batch size that fits.
fn limits<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &CrossoverFigure,
    look: &Look,
    layout: &CrossoverLayout,
) -> Drawn<DB> {
    let theme = look.theme;
    let plot = layout.plot;
    let largest = figure
        .sweep
        .largest_fitting
        .and_then(|size| shown(layout, size));
    // At the end of the swept sizes, larger ones may fit too.
    let Some(largest) = largest.filter(|&size| size < layout.batch.max) else {
        return Ok(());
    };
    let x = layout.batch.x(largest);
    let mut y = plot.top;
    while y < plot.bottom {
        pen.upright(x, (y, (y + 3).min(plot.bottom)), 1, theme.limit)?;
        y += 6;
    }
    let text = look.words.largest_fitting(largest);
    let kind = Type::new(theme.small(), theme.limit, Hold::Left);
    let wide = pen.width(&text, kind)? + 8;
    let y = plot.bottom - theme.line_height() / 2 - 2;
    if x + wide <= plot.right {
        pen.text(&text, (x + 5, y), kind)
    } else {
        pen.text(
            &text,
            (x - 4, y),
            Type {
                hold: Hold::Right,
                ..kind
            },
        )
    }
}

/// All lines thin, the binding one strong on top, what nvidia-smi shows dashed.
fn lines<DB: DrawingBackend>(pen: &Pen<DB>, look: &Look, layout: &CrossoverLayout) -> Drawn<DB> {
    let theme = look.theme;
    dashed(pen, &layout.total)?;
    let ink = |phase| {
        let ink = theme.phase(phase);
        if look.lit(phase) {
            ink.fill
        } else {
            theme.dimmed(ink).fill
        }
    };
    for line in &layout.lines {
        pen.line(line.points.clone(), 2, ink(line.phase))?;
    }
    for stretch in &layout.binding {
        pen.line(stretch.points.clone(), 4, ink(stretch.phase))?;
    }
    Ok(())
}

/// A line of dashes along points.
fn dashed<DB: DrawingBackend>(pen: &Pen<DB>, points: &[(i32, i32)]) -> Drawn<DB> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Ok(());
    };
    let mut x = first.0;
    while x < last.0 {
        let end = (x + 5).min(last.0);
        if let (Some(a), Some(b)) = (height(points, x), height(points, end)) {
            pen.line(vec![(x, a), (end, b)], 1, pen.theme.muted)?;
        }
        x += 9;
    }
    Ok(())
}

/// The configured batch size, and the batch size that the reader points at, on every line.
fn here<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &CrossoverFigure,
    layout: &CrossoverLayout,
) -> Drawn<DB> {
    let theme = pen.theme;
    for size in [Some(figure.current), figure.cursor].into_iter().flatten() {
        let Some(size) = shown(layout, size) else {
            continue;
        };
        let x = layout.batch.x(size);
        let heights = layout
            .lines
            .iter()
            .filter_map(|line| height(&line.points, x));
        if let Some(top) = heights.min() {
            pen.upright(x, (top, layout.plot.bottom), 1, theme.muted)?;
        }
        for line in &layout.lines {
            if let Some(y) = height(&line.points, x) {
                pen.disc((x, y), 5, theme.background)?;
                pen.disc((x, y), 4, theme.phase(line.phase).fill)?;
            }
        }
    }
    Ok(())
}

/// The names of lines and levels at their right ends.
fn names<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &CrossoverFigure,
    look: &Look,
    layout: &CrossoverLayout,
    capacity: Option<Level>,
) -> Drawn<DB> {
    let theme = look.theme;
    let plot = layout.plot;
    let roomy = pen.right() - plot.right >= NAMING_MARGIN;
    let mut levels: Vec<Level> = Vec::new();
    let binding = layout.binding.last().map(|stretch| stretch.phase);
    for line in &layout.lines {
        let Some(&(_, y)) = line.points.last() else {
            continue;
        };
        let (name, short) = (
            look.words.phase(line.phase),
            look.words.phase_short(line.phase),
        );
        let text = if roomy { name } else { short }.to_owned();
        let color = theme.phase(line.phase).fill;
        levels.push(Level::new(y, text, color).bold(binding == Some(line.phase)));
    }
    if roomy && let Some(&(_, y)) = layout.total.last() {
        let text = look.words.device_total().to_owned();
        levels.push(Level::new(y, text, theme.muted));
    }
    if let Some(capacity) = capacity {
        if roomy {
            levels.extend(marks::capacity_levels(look, plot, Some(capacity)));
        } else {
            let Level { y, text, color, .. } = capacity;
            let kind = Type::new(theme.small(), color, Hold::Left);
            // On the side where no crossing's leader runs through it.
            let end = plot.left + 4 + pen.width(&text, kind)?;
            let leader = |switch: &Switch| layout.batch.x(switch.micro_batch_size);
            let (hold, x) = if figure.sweep.switches.iter().all(|s| leader(s) > end) {
                (Hold::Left, plot.left + 4)
            } else {
                (Hold::Right, plot.right)
            };
            // Above its line, unless the names of crossings stand there.
            let row = theme.line_height() / 2 + 2;
            let above = y - 2 * row >= plot.top || figure.sweep.switches.is_empty();
            let at = (x, if above { y - row } else { y + row });
            pen.text_on(&text, at, Type { hold, ..kind }, theme.background)?;
        }
    }
    marks::name_levels(pen, plot, levels)
}

/// Each crossing: a ring where it is and what it means above the plot, with a leader.
fn switches<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &CrossoverFigure,
    look: &Look,
    layout: &CrossoverLayout,
) -> Drawn<DB> {
    let theme = look.theme;
    let inside = |switch: &&Switch| shown(layout, switch.micro_batch_size).is_some();
    // From the right, so that of two names that would overlap the earlier takes the upper row.
    let mut taken: Vec<Frame> = Vec::new();
    for switch in figure.sweep.switches.iter().rev().filter(inside) {
        let x = layout.batch.x(switch.micro_batch_size);
        let Some(y) = layout.y(switch.to, switch.micro_batch_size) else {
            continue;
        };
        let color = theme.phase(switch.to).fill;
        let text = look.words.switch(switch);
        let kind = Type::new(theme.small(), color, Hold::Left).bold();
        let wide = pen.width(&text, kind)?;
        let (hold, at) = if x + wide <= pen.right() {
            (Hold::Left, x - 4)
        } else if x >= wide {
            (Hold::Right, x + 4)
        } else {
            (Hold::Center, pen.right() / 2)
        };
        let kind = Type { hold, ..kind };
        let mut row = layout.plot.top - theme.line_height() / 2 - 4;
        let mut frame = pen.text_frame(&text, (at, row), kind)?;
        if taken.iter().any(|other| other.overlaps(&frame)) {
            row -= theme.line_height();
            frame = pen.text_frame(&text, (at, row), kind)?;
        }
        pen.upright(x, (row + theme.line_height() / 2, y), 1, color)?;
        pen.ring((x, y), 7, color)?;
        if !taken.iter().any(|other| other.overlaps(&frame)) {
            pen.text_on(&text, (at, row), kind, theme.background)?;
            taken.push(frame);
        }
    }
    Ok(())
}
