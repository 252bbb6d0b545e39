//! The drawing of what a rank needs against the number of GPUs.

use super::GpusFigure;
use super::layout::GpusLayout;
use crate::chart::look::Look;
use crate::chart::marks::{self, Level};
use crate::chart::pen::{Drawn, Hold, Pen, Type};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// Draws a line for each sharding, the selected one strong and with its floor, the capacity, and the
/// number of GPUs that is configured.
///
/// # Errors
/// What the backend reports.
pub fn draw_gpus<DB: DrawingBackend>(
    figure: &GpusFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = GpusLayout::new(figure, look.theme, look.unit, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    let capacity = marks::begin(&pen, look, &layout.axis, layout.plot, layout.capacity)?;
    gpus_axis(&pen, figure, look, &layout)?;
    floor(&pen, look, &layout)?;
    let theme = look.theme;
    let mut levels = Vec::new();
    for line in &layout.lines {
        let own = figure.sharding == Some(line.sharding);
        let color = if own { theme.accent } else { theme.muted };
        pen.line(line.points.clone(), if own { 4 } else { 2 }, color)?;
        if let Some(&(_, y)) = line.points.last() {
            let name = look.words.sharding(line.sharding).to_owned();
            levels.push(Level::new(y, name, color).bold(own));
        }
    }
    for gpus in [Some(figure.current), figure.cursor].into_iter().flatten() {
        here(&pen, figure, &layout, gpus)?;
    }
    marks::name_levels(&pen, layout.plot, levels)?;
    capacity.map_or(Ok(()), |capacity| {
        let kind = Type::new(theme.small(), capacity.color, Hold::Right);
        let at = (layout.plot.right, beside(&layout, look, capacity.y));
        pen.text_on(&capacity.text, at, kind, theme.background)
    })
}

/// Above a line, or below it where there is no room.
fn beside(layout: &GpusLayout, look: &Look, y: i32) -> i32 {
    let row = look.theme.line_height() / 2 + 2;
    if y - 2 * row >= layout.plot.top {
        y - row
    } else {
        y + row
    }
}

/// Numbers of GPUs below, the configured one marked.
fn gpus_axis<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &GpusFigure,
    look: &Look,
    layout: &GpusLayout,
) -> Drawn<DB> {
    let (theme, plot) = (look.theme, layout.plot);
    let row = plot.bottom + theme.line_height() / 2 + 8;
    let plain = Type::new(theme.small(), theme.muted, Hold::Center);
    let widest = pen.width(&layout.gpus.max.to_string(), plain)?;
    for gpus in layout.gpus.ticks(widest + 14) {
        let (x, own) = (layout.gpus.x(gpus), gpus == figure.current);
        pen.upright(x, (plot.bottom, plot.bottom + 4), 1, theme.muted)?;
        let kind = Type {
            color: if own { theme.text } else { theme.muted },
            bold: own,
            ..plain
        };
        pen.text(&gpus.to_string(), (x, row), kind)?;
    }
    let kind = Type {
        hold: Hold::Right,
        ..plain
    };
    let text = format!("{} \u{2192}", look.words.gpus());
    pen.text(&text, (plot.right, row + theme.line_height() + 1), kind)
}

/// Draws the bytes that do not shrink, dashed and named.
fn floor<DB: DrawingBackend>(pen: &Pen<DB>, look: &Look, layout: &GpusLayout) -> Drawn<DB> {
    let Some(bytes) = layout.floor else {
        return Ok(());
    };
    let (theme, plot) = (look.theme, layout.plot);
    let y = layout.axis.scale.at(bytes);
    pen.dashes((plot.left, plot.right), y, 5, 4, theme.accent)?;
    let kind = Type::new(theme.small(), theme.accent, Hold::Left);
    let at = (plot.left + 4, beside(layout, look, y));
    pen.text(&look.words.floor(bytes), at, kind)
}

/// A number of GPUs, on every line.
fn here<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &GpusFigure,
    layout: &GpusLayout,
    gpus: u64,
) -> Drawn<DB> {
    if !layout.counts.contains(&gpus) {
        return Ok(());
    }
    let (theme, x) = (pen.theme, layout.gpus.x(gpus));
    pen.upright(x, (layout.plot.top, layout.plot.bottom), 1, theme.grid)?;
    for line in &layout.lines {
        let at = line.points.iter().filter(|point| point.0 == x);
        let own = figure.sharding == Some(line.sharding);
        for &point in at {
            pen.disc(point, 5, theme.background)?;
            pen.disc(point, 4, if own { theme.accent } else { theme.muted })?;
        }
    }
    Ok(())
}
