//! Marks that several figures share: named levels, the capacity, names below something.

use super::axis::Axis;
use super::color::Rgb;
use super::geometry::{ByteScale, Frame, scale_top, spread};
use super::look::Look;
use super::pen::{Drawn, Hold, Pen, Type};
use super::theme::Theme;
use crate::units::{Bytes, sort_short};
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::DrawingBackend;

/// Opacity of bytes counted beyond live tensors.
const BEYOND_LIVE: f64 = 0.3;
/// The least margin in which a level can be named, in CSS pixels.
pub(super) const NAMING_MARGIN: i32 = 40;
/// How strongly what lies beyond the capacity is tinted.
const BEYOND: f64 = 0.08;
/// From this width on, levels are named in a margin at the right, in CSS pixels.
const ROOMY: i32 = 460;
/// Width of that margin in label sizes: "reserved 30.2 GiB".
const MARGIN_LETTERS: i32 = 11;

/// Width of the margin in which levels are named; none in narrow figures.
pub(super) fn level_margin(width: i32, theme: &Theme) -> i32 {
    if width < ROOMY {
        4
    } else {
        theme.small().cast_signed() * MARGIN_LETTERS
    }
}

/// A level that is named in the margin.
pub(super) struct Level {
    pub y: i32,
    pub text: String,
    pub color: Rgb,
    pub bold: bool,
}

impl Level {
    pub fn new(y: i32, text: String, color: Rgb) -> Self {
        Self {
            y,
            text,
            color,
            bold: false,
        }
    }

    pub fn bold(self, bold: bool) -> Self {
        Self { bold, ..self }
    }
}

/// Draws the beginning of every figure: the ground, the axis and the capacity.
///
/// Gives the capacity's line when there is one that still needs its name.
pub(super) fn begin<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    axis: &Axis,
    plot: Frame,
    capacity: Option<Bytes>,
) -> Result<Option<Level>, DrawingAreaErrorKind<DB::ErrorType>> {
    pen.clear()?;
    axis.draw(pen, plot)?;
    match capacity {
        Some(bytes) => self::capacity(pen, look, &axis.scale, plot, bytes),
        None => Ok(None),
    }
}

/// Draws bytes counted beyond live tensors, plain behind them.
pub(super) fn beyond_live<DB: DrawingBackend>(pen: &Pen<DB>, frame: Frame) -> Drawn<DB> {
    pen.shade(frame, pen.theme.muted, BEYOND_LIVE)
}

/// The name of the reserved bytes: "reserved 30.2 GiB"
pub(super) fn reserved_name(look: &Look, reserved: Bytes) -> String {
    format!("{} {}", look.words.reserved(), look.words.amount(reserved))
}

/// Names levels at the right of the plot, moved apart where they would overlap.
pub(super) fn name_levels<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Frame,
    mut levels: Vec<Level>,
) -> Drawn<DB> {
    sort_short(&mut levels, |level| level.y);
    let mut middles: Vec<i32> = levels.iter().map(|level| level.y).collect();
    spread(&mut middles, pen.theme.line_height(), 0, plot.bottom);
    for (level, y) in levels.iter().zip(middles) {
        let kind = Type::new(pen.theme.small(), level.color, Hold::Left);
        let kind = if level.bold { kind.bold() } else { kind };
        if y != level.y {
            let elbow = vec![(plot.right, level.y), (plot.right + 5, y)];
            pen.line(elbow, 1, level.color)?;
        }
        pen.text(&level.text, (plot.right + 8, y), kind)?;
    }
    Ok(())
}

/// "usable 79.2 GiB"
fn capacity_name(look: &Look, capacity: Bytes) -> String {
    format!("{} {}", look.words.capacity(), look.words.amount(capacity))
}

/// The capacity and what lies above it, to be named in the margin.
pub(super) fn capacity_levels(look: &Look, plot: Frame, capacity: Option<Level>) -> Vec<Level> {
    let zone = capacity.as_ref().map(|line| {
        let middle = i32::midpoint(plot.top, line.y);
        Level::new(middle, look.words.beyond().to_owned(), look.theme.limit)
    });
    capacity.into_iter().chain(zone).collect()
}

/// Rows of text above a plot for a capacity that is out of range, where there is no margin.
pub(super) fn far_rows(need: Bytes, capacity: Option<Bytes>, width: i32) -> i32 {
    i32::from(
        width < ROOMY
            && capacity.is_some_and(|bytes| out_of_range(bytes, scale_top(need, capacity))),
    )
}

fn out_of_range(capacity: Bytes, top: f64) -> bool {
    capacity.get() as f64 > top
}

/// The capacity as a line, with what lies beyond it tinted; its name when it is out of range.
fn capacity<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    scale: &ByteScale,
    plot: Frame,
    capacity: Bytes,
) -> Result<Option<Level>, DrawingAreaErrorKind<DB::ErrorType>> {
    let theme = look.theme;
    let name = capacity_name(look, capacity);
    if out_of_range(capacity, scale.max) {
        let kind = Type::new(theme.small(), theme.muted, Hold::Right);
        let text = format!("\u{2191} {name}");
        pen.text(&text, (pen.right() - 4, theme.line_height() / 2), kind)?;
        return Ok(None);
    }
    let y = scale.at(capacity);
    pen.shade(Frame { bottom: y, ..plot }, theme.limit, BEYOND)?;
    pen.level((plot.left, plot.right), y - 1, 2, theme.limit)?;
    Ok(Some(Level::new(y, name, theme.limit)))
}

/// The first of several texts that fits in `room` CSS pixels; the last one when none does.
pub(super) fn first_fitting<'t, DB: DrawingBackend, T: AsRef<str>>(
    pen: &Pen<DB>,
    texts: &'t [T],
    kind: Type,
    room: i32,
) -> Result<&'t str, DrawingAreaErrorKind<DB::ErrorType>> {
    let mut fitting = "";
    for text in texts {
        fitting = text.as_ref();
        if pen.width(fitting, kind)? <= room {
            break;
        }
    }
    Ok(fitting)
}

/// A name under something: on one line, else on two, else its short form.
pub(super) fn name_below<DB: DrawingBackend>(
    pen: &Pen<DB>,
    names: &[&str],
    (x, y): (i32, i32),
    kind: Type,
    room: i32,
) -> Drawn<DB> {
    for (i, name) in names.iter().enumerate() {
        if pen.width(name, kind)? <= room {
            return pen.text(name, (x, y), kind);
        }
        let last = i + 1 == names.len();
        if let Some((first, second)) = name.split_once(' ') {
            let wide = pen.width(first, kind)?.max(pen.width(second, kind)?);
            if wide <= room || last {
                pen.text(first, (x, y), kind)?;
                return pen.text(second, (x, y + pen.theme.line_height()), kind);
            }
        } else if last {
            return pen.text(name, (x, y), kind);
        }
    }
    Ok(())
}
