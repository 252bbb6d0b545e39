//! The drawing of the phases.

use super::PhasesFigure;
use super::layout::{Bar, PhasesLayout, Segment};
use crate::chart::geometry::Frame;
use crate::chart::look::{Highlight, Look};
use crate::chart::marks::{self, Level};
use crate::chart::pen::{Drawn, Hold, Pen, Type};
use crate::sim::Phase;
use crate::units::Bytes;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// Room at both sides of a text in a box, in CSS pixels.
const PAD: i32 = 5;
/// How far the ghost tick reaches beyond its bar, in CSS pixels.
const GHOST_REACH: i32 = 7;

/// Draws the phases of a step: stacked bars in program order, the binding one marked, the high-water line through its
/// top, the reserved bytes, the capacity, and a ghost of the last peak.
///
/// # Errors
/// What the backend reports.
pub fn draw_phases<DB: DrawingBackend>(
    figure: &PhasesFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = PhasesLayout::new(figure, look.theme, look.unit, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    let capacity = marks::begin(&pen, look, &layout.axis, layout.plot, figure.capacity)?;
    for bar in &layout.bars {
        // Bytes counted beyond live tensors, as a plain bar behind them.
        let frame = Frame {
            top: layout.axis.scale.at(bar.counted),
            ..bar.frame
        };
        marks::beyond_live(&pen, frame)?;
        for (i, segment) in bar.segments.iter().enumerate() {
            pen.area(
                visible(segment, i),
                look.ink(segment.category, Some(bar.phase)),
            )?;
        }
    }
    reserved_line(&pen, &layout)?;
    if let Some(bar) = layout.binding() {
        high_water(&pen, &layout, bar)?;
    }
    ghost(&pen, figure, &layout)?;
    let roomy = pen.right() - layout.plot.right >= marks::NAMING_MARGIN;
    if roomy {
        levels(&pen, look, &layout, capacity)?;
    } else if let Some(capacity) = capacity {
        capacity_label(&pen, look, &layout, &capacity)?;
    }
    for bar in &layout.bars {
        part_labels(&pen, look, bar)?;
        labels(&pen, figure, look, bar, &layout, roomy)?;
    }
    cursor(&pen, figure, &layout)
}

/// An outline around where the reader is: a part, or a whole bar.
fn cursor<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &PhasesFigure,
    layout: &PhasesLayout,
) -> Drawn<DB> {
    let Some(at) = figure.cursor else {
        return Ok(());
    };
    let Some(bar) = layout.bars.iter().find(|bar| bar.phase == at.phase) else {
        return Ok(());
    };
    let of_part = |segment: &&Segment| Some(segment.category) == at.category;
    let part = bar.segments.iter().find(of_part);
    pen.outline(part.map_or(bar.frame, |part| part.frame))
}

/// A part's box, less a line of background below it where it is high enough to spare one.
fn visible(segment: &Segment, place: usize) -> Frame {
    let gap = i32::from(place > 0 && segment.frame.height() > 3);
    Frame {
        bottom: segment.frame.bottom - gap,
        ..segment.frame
    }
}

/// Names and sizes in the parts of a bar, as much as fits: both in the binding bar, sizes in the
/// others.
fn part_labels<DB: DrawingBackend>(pen: &Pen<DB>, look: &Look, bar: &Bar) -> Drawn<DB> {
    let line = look.theme.line_height();
    let whole = look.words.amount(bar.total);
    for (i, segment) in bar.segments.iter().enumerate() {
        let frame = visible(segment, i);
        if frame.height() < line + 2 {
            continue;
        }
        let fill = look.ink(segment.category, Some(bar.phase)).fill;
        let kind = Type::new(look.theme.small(), fill.text_on(), Hold::Center);
        let middle = i32::midpoint(frame.left, frame.right);
        let y = i32::midpoint(frame.top, frame.bottom);
        let name = look.words.category(segment.category);
        // Each with its own three digits, so that equal sizes look equal in all bars.
        let mut values = vec![look.words.amount(segment.bytes)];
        if symbol(&values[0]) == symbol(&whole) {
            values.push(look.words.number(segment.bytes));
        }
        let value = marks::first_fitting(pen, &values, kind, frame.width() - 2 * PAD)?;
        let fits = |text: &str, kind| Ok(pen.width(text, kind)? + 2 * PAD <= frame.width());
        let named = bar.binding || look.highlight == Highlight::Category(segment.category);
        if named && fits(name, kind)? {
            if frame.height() >= 2 * line + 4 {
                pen.text_on(name, (middle, y - line / 2), kind, fill)?;
                pen.text_on(value, (middle, y + line / 2), kind.bold(), fill)?;
                continue;
            }
            let mut texts: Vec<String> = values.iter().map(|v| format!("{name} {v}")).collect();
            texts.push(name.to_owned());
            let text = marks::first_fitting(pen, &texts, kind, frame.width() - 2 * PAD)?;
            pen.text_on(text, (middle, y), kind, fill)?;
        } else if fits(value, kind)? {
            pen.text_on(value, (middle, y), kind, fill)?;
        }
    }
    Ok(())
}

/// The unit of a size as it is written.
fn symbol(amount: &str) -> Option<&str> {
    amount.rsplit('\u{a0}').next()
}

/// Draws the caching allocator's bytes at each phase's peak, as one line over the bars.
fn reserved_line<DB: DrawingBackend>(pen: &Pen<DB>, layout: &PhasesLayout) -> Drawn<DB> {
    let mut before: Option<i32> = None;
    for bar in &layout.bars {
        let y = layout.axis.scale.at(bar.reserved);
        pen.level(bar.slot, y, 1, pen.theme.muted)?;
        if let Some(before) = before.filter(|&before| before != y) {
            let between = (before.min(y), before.max(y) + 1);
            pen.upright(bar.slot.0, between, 1, pen.theme.muted)?;
        }
        before = Some(y);
    }
    Ok(())
}

/// The line through the highest bar's top.
fn high_water<DB: DrawingBackend>(pen: &Pen<DB>, layout: &PhasesLayout, bar: &Bar) -> Drawn<DB> {
    let theme = pen.theme;
    let (plot, top) = (layout.plot, bar.frame.top);
    pen.dashes((plot.left, bar.frame.left), top, 4, 3, theme.accent)?;
    pen.dashes((bar.frame.right, plot.right), top, 4, 3, theme.accent)?;
    pen.level((bar.frame.left, bar.frame.right), top - 1, 2, theme.accent)
}

/// The last peak, unless it is the same.
fn former(figure: &PhasesFigure, layout: &PhasesLayout) -> Option<(Phase, Bytes)> {
    let peak = layout.binding().map(|bar| (bar.phase, bar.total));
    figure.previous.filter(|&previous| Some(previous) != peak)
}

/// The ghost of the last peak: on the bar of the phase that bound then.
fn ghost<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &PhasesFigure,
    layout: &PhasesLayout,
) -> Drawn<DB> {
    let Some((phase, bytes)) = former(figure, layout).filter(|&(_, bytes)| !layout.is_far(bytes))
    else {
        return Ok(());
    };
    let Some(bar) = layout.bars.iter().find(|bar| bar.phase == phase) else {
        return Ok(());
    };
    let y = layout.axis.scale.at(bytes);
    let reach = (bar.frame.left - GHOST_REACH, bar.frame.right + GHOST_REACH);
    pen.level(reach, y - 1, 3, pen.theme.background)?;
    pen.dashes(reach, y, 3, 2, pen.theme.text)
}

/// The names of the peak, the reserved bytes and the capacity, in the margin.
fn levels<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    layout: &PhasesLayout,
    capacity: Option<Level>,
) -> Drawn<DB> {
    let theme = look.theme;
    let mut levels = marks::capacity_levels(look, layout.plot, capacity);
    if let Some(bar) = layout.bars.last() {
        let y = layout.axis.scale.at(bar.reserved);
        let name = marks::reserved_name(look, bar.reserved);
        levels.push(Level::new(y, name, theme.muted));
    }
    if let Some(bar) = layout.binding() {
        let text = format!("{} {}", look.words.peak(), look.words.amount(bar.total));
        levels.push(Level::new(bar.frame.top, text, theme.accent).bold(true));
    }
    marks::name_levels(pen, layout.plot, levels)
}

/// The capacity's name above its line, on the side where the binding bar is not.
fn capacity_label<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    layout: &PhasesLayout,
    capacity: &Level,
) -> Drawn<DB> {
    let plot = layout.plot;
    let middle = i32::midpoint(plot.left, plot.right);
    let at_left = layout.binding().is_none_or(|bar| bar.frame.left >= middle);
    let (hold, x) = if at_left {
        (Hold::Left, plot.left + 4)
    } else {
        (Hold::Right, plot.right)
    };
    let kind = Type::new(look.theme.small(), capacity.color, hold);
    let y = capacity.y - look.theme.line_height() / 2 - 2;
    pen.text_on(&capacity.text, (x, y), kind, look.theme.background)
}

/// A bar's total above it, with the change since the last peak, and its phase's name below.
fn labels<DB: DrawingBackend>(
    pen: &Pen<DB>,
    figure: &PhasesFigure,
    look: &Look,
    bar: &Bar,
    layout: &PhasesLayout,
    roomy: bool,
) -> Drawn<DB> {
    let theme = look.theme;
    let line = theme.line_height();
    let middle = i32::midpoint(bar.frame.left, bar.frame.right);
    let room = bar.slot.1 - bar.slot.0;
    let color = if look.lit(bar.phase) {
        theme.text
    } else {
        theme.muted
    };
    let plain = Type::new(theme.small(), color, Hold::Center);
    let kind = if bar.binding {
        Type {
            size: theme.font_size,
            color: theme.accent,
            ..plain.bold()
        }
    } else {
        plain
    };
    let mut y = layout.axis.scale.at(bar.counted) - line / 2 - 3;
    let full = look.words.amount(bar.counted);
    let short = look.words.number(bar.counted);
    let mut texts = vec![full, short];
    if bar.binding && !roomy {
        texts.insert(0, format!("{} {}", look.words.peak(), texts[0]));
    }
    let text = marks::first_fitting(pen, &texts, kind, room)?;
    pen.text_on(text, (middle, y), kind, theme.background)?;
    let note = former(figure, layout).and_then(|(phase, bytes)| {
        if layout.is_far(bytes) && phase == bar.phase {
            Some(format!("\u{2191} {}", look.words.amount(bytes)))
        } else {
            (bar.binding && bytes != bar.total).then(|| look.words.change(bytes, bar.total))
        }
    });
    if let Some(note) = note {
        y -= line;
        pen.text_on(&note, (middle, y), plain, theme.background)?;
    }
    let kind = if bar.binding { plain.bold() } else { plain };
    let names = [
        look.words.phase(bar.phase),
        look.words.phase_short(bar.phase),
    ];
    let below = (middle, layout.plot.bottom + line / 2 + 6);
    marks::name_below(pen, &names, below, kind, room - 4)?;
    if bar.binding {
        pen.level(
            (bar.frame.left, bar.frame.right),
            layout.plot.bottom + 1,
            3,
            theme.accent,
        )?;
    }
    Ok(())
}
