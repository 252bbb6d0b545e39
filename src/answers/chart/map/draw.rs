//! The drawing of a field over two numbers.

use super::MapFigure;
use super::layout::MapLayout;
use crate::chart::color::Rgb;
use crate::chart::geometry::Frame;
use crate::chart::look::{Highlight, Look};
use crate::chart::pen::{Drawn, Hold, Pen, Type};
use crate::decide::MapCell;
use crate::report::SweepPoint;
use crate::sim::Phase;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// How strongly a cell that needs nothing is filled, one that just fits, and one that does not fit.
const LEAST: f64 = 0.12;
const MOST: f64 = 0.75;
const BEYOND: f64 = 0.1;

/// How thick the line along the capacity is, in CSS pixels.
const CAPACITY: i32 = 3;

/// Values are named this far apart, in CSS pixels.
const APART: i32 = 56;

/// Draws the cells, the line along the capacity, the configured cell and the cell under the pointer.
///
/// # Errors
/// What the backend reports.
pub fn draw_map<DB: DrawingBackend>(
    figure: &MapFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = MapLayout::new(figure, look.theme, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    pen.clear()?;
    cells(&pen, figure, look, &layout)?;
    let binding = |place| needs(figure, place).map(|point| point.binding);
    border(&pen, &layout, 1, look.theme.muted, binding)?;
    let fits = |place| needs(figure, place).map(|point| point.fits);
    border(&pen, &layout, CAPACITY, look.theme.limit, fits)?;
    names(&pen, figure, look, &layout)?;
    axes(&pen, figure, look, &layout)?;
    let marked = [figure.current, figure.cursor];
    for place in marked.into_iter().flatten() {
        pen.outline(layout.cell(place))?;
    }
    Ok(())
}

fn needs<'a>(figure: &MapFigure<'a>, place: [usize; 2]) -> Option<&'a SweepPoint> {
    match figure.map.about(place)? {
        MapCell::Needs(point) => Some(point),
        MapCell::Refused => None,
    }
}

fn places(layout: &MapLayout) -> impl Iterator<Item = [usize; 2]> + use<> {
    let [width, height] = layout.count;
    (0..height).flat_map(move |y| (0..width).map(move |x| [x, y]))
}

fn cells<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &MapFigure,
    look: &Look,
    layout: &MapLayout,
) -> Drawn<DB> {
    for place in places(layout) {
        let frame = layout.cell(place);
        let Some(point) = needs(figure, place) else {
            continue;
        };
        let color = look.theme.phase(point.binding).fill;
        let share = point.total.get() as f64 / point.usable.get().max(1) as f64;
        let dimmed = matches!(look.highlight, Highlight::Phase(phase) if phase != point.binding);
        let alpha = match point.fits {
            _ if dimmed => BEYOND,
            true => LEAST + (MOST - LEAST) * share.min(1.0),
            false => BEYOND,
        };
        pen.shade(frame, color, alpha)?;
    }
    Ok(())
}

/// A line along the edges between cells that differ in something.
fn border<DB: DrawingBackend, T: PartialEq>(
    pen: &Pen<DB>,
    layout: &MapLayout,
    thick: i32,
    color: Rgb,
    of: impl Fn([usize; 2]) -> Option<T>,
) -> Drawn<DB> {
    let parts = |one: [usize; 2], other: [usize; 2]| {
        let inside = other[0] < layout.count[0] && other[1] < layout.count[1];
        inside
            && of(one)
                .zip(of(other))
                .is_some_and(|(one, other)| one != other)
    };
    for [x, y] in places(layout) {
        let frame = layout.cell([x, y]);
        if parts([x, y], [x + 1, y]) {
            let long = (frame.top, frame.bottom + thick / 2);
            pen.upright(frame.right - thick / 2, long, thick, color)?;
        }
        if parts([x, y], [x, y + 1]) {
            let long = (frame.left, frame.right + thick / 2);
            pen.level(long, frame.top - thick / 2, thick, color)?;
        }
    }
    Ok(())
}

/// Names phases within the cells in which they bind, where there are enough of them.
fn names<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &MapFigure,
    look: &Look,
    layout: &MapLayout,
) -> Drawn<DB> {
    /// A phase is named that binds in at least one of `ENOUGH` cells.
    const ENOUGH: usize = 16;
    let binding = |place: &[usize; 2]| needs(figure, *place).map(|point| point.binding);
    for &phase in Phase::ALL {
        let bound = places(layout).filter(|place| binding(place) == Some(phase));
        let bound: Vec<[usize; 2]> = bound.collect();
        if bound.len() * ENOUGH < layout.count[0] * layout.count[1] {
            continue;
        }
        let mean = [0, 1].map(|edge: usize| {
            let sum: usize = bound.iter().map(|place| place[edge]).sum();
            sum / bound.len().max(1)
        });
        let away = |place: &&[usize; 2]| place[0].abs_diff(mean[0]) + place[1].abs_diff(mean[1]);
        let Some(&[x, y]) = bound.iter().min_by_key(away) else {
            continue;
        };
        let at = (middle(layout, 0, x), middle(layout, 1, y));
        let kind = Type::new(look.theme.small(), look.theme.text, Hold::Center).bold();
        pen.text(look.words.phase(phase), at, kind)?;
    }
    Ok(())
}

/// Values along both edges, and what they are of.
fn axes<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &MapFigure,
    look: &Look,
    layout: &MapLayout,
) -> Drawn<DB> {
    let theme = look.theme;
    let plot: Frame = layout.plot;
    let kind = |hold, own: bool| Type {
        bold: own,
        ..Type::new(
            theme.small(),
            if own { theme.text } else { theme.muted },
            hold,
        )
    };
    let row = plot.bottom + theme.line_height() / 2 + 4;
    for (edge, hold) in [(0, Hold::Center), (1, Hold::Right)] {
        let values = &figure.map.edges[edge].values;
        let own = figure.current.map(|place| place[edge]);
        let mut last: Option<i32> = None;
        // The configured value first, then the values that have room.
        let all = own.into_iter().chain(0..values.len());
        let own_at = own.map(|place| middle(layout, edge, place));
        for place in all {
            let at = middle(layout, edge, place);
            let is_own = Some(place) == own;
            let apart = if edge == 0 {
                APART
            } else {
                theme.line_height() * 2
            };
            let near = |other: Option<i32>| other.is_some_and(|other| (other - at).abs() < apart);
            if !is_own && (near(last) || near(own_at)) {
                continue;
            }
            if !is_own {
                last = Some(at);
            }
            let position = if edge == 0 {
                (at, row)
            } else {
                (plot.left - 4, at)
            };
            pen.text(&values[place].to_string(), position, kind(hold, is_own))?;
        }
    }
    let below = format!("{} \u{2192}", figure.titles[0]);
    let at = (plot.right, row + theme.line_height() + 1);
    pen.text(&below, at, kind(Hold::Right, false))?;
    let above = format!("\u{2191} {}", figure.titles[1]);
    let at = (2, theme.line_height() / 2 + 1);
    pen.text(&above, at, kind(Hold::Left, false))
}

/// The middle of a column or a row.
fn middle(layout: &MapLayout, edge: usize, place: usize) -> i32 {
    if edge == 0 {
        let frame = layout.cell([place, 0]);
        frame.left + frame.width() / 2
    } else {
        let frame = layout.cell([0, place]);
        frame.top + frame.height() / 2
    }
}
