//! The byte axis that every figure has at its left.

use super::geometry::{ByteScale, Frame, pixel};
use super::number::{Tick, Unit, ticks};
use super::pen::{Drawn, Hold, Pen, Type};
use super::theme::Theme;
use crate::units::Bytes;
use plotters::prelude::DrawingBackend;

/// A scale with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Bytes upwards.
    pub scale: ByteScale,
    /// Round sizes on it.
    pub ticks: Vec<Tick>,
}

/// CSS pixels between two ticks, about.
const TICK_DISTANCE: i32 = 40;
/// Width of a digit as a share of the font size, generously.
const DIGIT: f64 = 0.62;
/// Room between a tick's label and the plot, in CSS pixels.
const GAP: i32 = 8;

impl Axis {
    pub(super) fn new(scale: ByteScale, unit: Unit) -> Self {
        let wanted = ((scale.bottom - scale.top) / TICK_DISTANCE)
            .clamp(3, 6)
            .unsigned_abs();
        // The top of a scale is a few per cent above a whole number of bytes.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let max = Bytes(scale.max as u64);
        Self {
            scale,
            ticks: ticks(max, wanted, unit),
        }
    }

    /// Width left of the plot, in CSS pixels: the widest label and a gap.
    pub(super) fn gutter(&self, theme: &Theme) -> i32 {
        let letters = self
            .ticks
            .iter()
            .map(|tick| tick.label.chars().count())
            .max();
        let widest = letters.unwrap_or(0) as f64 * f64::from(theme.small()) * DIGIT;
        pixel(widest) + GAP
    }

    /// Grid lines and labels.
    pub(super) fn draw<DB: DrawingBackend>(&self, pen: &Pen<DB>, plot: Frame) -> Drawn<DB> {
        let theme = pen.theme;
        for tick in &self.ticks {
            let y = self.scale.y(tick.bytes);
            let color = if tick.bytes > 0.0 {
                theme.grid
            } else {
                theme.muted
            };
            pen.level((plot.left, plot.right), y, 1, color)?;
            let kind = Type::new(theme.small(), theme.muted, Hold::Right);
            pen.text(&tick.label, (plot.left - GAP, y), kind)?;
        }
        Ok(())
    }
}
