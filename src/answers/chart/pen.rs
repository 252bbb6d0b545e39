//! Drawing primitives on a plotters area: crisp hairlines, textures, aligned text.

use super::color::Rgb;
use super::geometry::Frame;
use super::texture::{Column, Mark};
use super::theme::{Ink, Theme};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, PathElement, Polygon, Rectangle};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, RGBAColor, RGBColor, ShapeStyle, TextStyle,
};

/// The result of drawing: nothing, or the backend's error.
pub type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// plotters' backends divide a font's size by this to get CSS pixels per em.
pub(crate) const PLOTTERS_EM: f64 = 1.24;

/// The point at which a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Left,
    Center,
    Right,
}

/// How a text is written; its vertical middle is at the given point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type {
    pub size: u32,
    pub color: Rgb,
    pub bold: bool,
    pub hold: Hold,
}

impl Type {
    pub fn new(size: u32, color: Rgb, hold: Hold) -> Self {
        Self {
            size,
            color,
            bold: false,
            hold,
        }
    }

    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }
}

/// A plotters area with the theme it is drawn in.
pub(super) struct Pen<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    pub theme: &'a Theme,
}

impl<'a, DB: DrawingBackend> Pen<'a, DB> {
    pub fn new(area: &'a DrawingArea<DB, Shift>, theme: &'a Theme) -> Self {
        Self { area, theme }
    }

    /// Fills the area with the background.
    pub fn clear(&self) -> Drawn<DB> {
        self.area.fill(&RGBColor::from(self.theme.background))
    }

    /// The area's width in CSS pixels.
    pub fn right(&self) -> i32 {
        self.area.dim_in_pixel().0.cast_signed()
    }

    pub fn block(&self, frame: Frame, color: Rgb) -> Drawn<DB> {
        self.shade(frame, color, 1.0)
    }

    pub fn shade(&self, frame: Frame, color: Rgb, alpha: f64) -> Drawn<DB> {
        if frame.width() <= 0 || frame.height() <= 0 {
            return Ok(());
        }
        let corners = [(frame.left, frame.top), (frame.right, frame.bottom)];
        self.area
            .draw(&Rectangle::new(corners, rgba(color, alpha).filled()))
    }

    /// A hairline of whole pixels, `thick` high, hanging down from `y`.
    pub fn level(&self, (x0, x1): (i32, i32), y: i32, thick: i32, color: Rgb) -> Drawn<DB> {
        self.block(
            Frame {
                left: x0,
                top: y,
                right: x1,
                bottom: y + thick,
            },
            color,
        )
    }

    /// A hairline of whole pixels, `thick` wide, to the right of `x`.
    pub fn upright(&self, x: i32, (y0, y1): (i32, i32), thick: i32, color: Rgb) -> Drawn<DB> {
        self.block(
            Frame {
                left: x,
                top: y0,
                right: x + thick,
                bottom: y1,
            },
            color,
        )
    }

    /// A level line of dashes.
    pub fn dashes(&self, (x0, x1): (i32, i32), y: i32, on: i32, off: i32, color: Rgb) -> Drawn<DB> {
        let mut x = x0;
        while x < x1 {
            self.level((x, (x + on).min(x1)), y, 1, color)?;
            x += on + off;
        }
        Ok(())
    }

    pub fn line(&self, points: Vec<(i32, i32)>, width: u32, color: Rgb) -> Drawn<DB> {
        let style = ShapeStyle::from(RGBColor::from(color)).stroke_width(width);
        self.area.draw(&PathElement::new(points, style))
    }

    pub fn polygon(&self, points: Vec<(i32, i32)>, color: Rgb) -> Drawn<DB> {
        self.area
            .draw(&Polygon::new(points, RGBColor::from(color).filled()))
    }

    pub fn disc(&self, center: (i32, i32), radius: i32, color: Rgb) -> Drawn<DB> {
        self.area
            .draw(&Circle::new(center, radius, RGBColor::from(color).filled()))
    }

    /// A ring: a disc with the background in it.
    pub fn ring(&self, center: (i32, i32), radius: i32, color: Rgb) -> Drawn<DB> {
        self.disc(center, radius, color)?;
        self.disc(center, radius - 2, self.theme.background)
    }

    /// An ink's texture over columns that are filled already.
    pub fn texture(&self, ink: Ink, columns: &[Column]) -> Drawn<DB> {
        let mut result = Ok(());
        ink.texture.marks(columns, |mark| {
            if result.is_ok() {
                result = match mark {
                    Mark::Line(a, b) => self.line(vec![a, b], 1, ink.mark),
                    Mark::Block((left, top), (right, bottom)) => self.block(
                        Frame {
                            left,
                            top,
                            right,
                            bottom,
                        },
                        ink.mark,
                    ),
                };
            }
        });
        result
    }

    /// A filled and textured box, outlined where the theme asks for it.
    pub fn area(&self, frame: Frame, ink: Ink) -> Drawn<DB> {
        self.block(frame, ink.fill)?;
        let Frame {
            left,
            top,
            right,
            bottom,
        } = frame;
        self.texture(
            ink,
            &[Column {
                x0: left,
                x1: right,
                top,
                bottom,
            }],
        )?;
        if self.theme.outlined && frame.height() > 1 {
            self.level((left, right), top, 1, ink.mark)?;
            self.level((left, right), bottom - 1, 1, ink.mark)?;
            self.upright(left, (top, bottom), 1, ink.mark)?;
            self.upright(right - 1, (top, bottom), 1, ink.mark)?;
        }
        Ok(())
    }

    /// A frame around a box, with the background within and without so that it shows on any fill.
    pub fn outline(&self, frame: Frame) -> Drawn<DB> {
        for (out, thick, color) in [
            (3, 1, self.theme.background),
            (2, 2, self.theme.text),
            (0, 1, self.theme.background),
        ] {
            let (left, right) = (frame.left - out, frame.right + out);
            let (top, bottom) = (frame.top - out, frame.bottom + out);
            self.level((left, right), top, thick, color)?;
            self.level((left, right), bottom - thick, thick, color)?;
            self.upright(left, (top, bottom), thick, color)?;
            self.upright(right - thick, (top, bottom), thick, color)?;
        }
        Ok(())
    }

    pub fn text(&self, text: &str, at: (i32, i32), kind: Type) -> Drawn<DB> {
        self.area.draw_text(text, &self.style(kind), at)
    }

    /// Text with something plain behind it, so that lines and textures do not cut through.
    pub fn text_on(&self, text: &str, at: (i32, i32), kind: Type, behind: Rgb) -> Drawn<DB> {
        let frame = self.text_frame(text, at, kind)?;
        self.block(
            Frame {
                left: frame.left - 3,
                right: frame.right + 3,
                ..frame
            },
            behind,
        )?;
        self.text(text, at, kind)
    }

    /// Width of a text in CSS pixels.
    pub fn width(
        &self,
        text: &str,
        kind: Type,
    ) -> Result<i32, DrawingAreaErrorKind<DB::ErrorType>> {
        let (width, _) = self.area.estimate_text_size(text, &self.style(kind))?;
        Ok(width.cast_signed())
    }

    /// The box that a text takes.
    pub fn text_frame(
        &self,
        text: &str,
        (x, y): (i32, i32),
        kind: Type,
    ) -> Result<Frame, DrawingAreaErrorKind<DB::ErrorType>> {
        let width = self.width(text, kind)?;
        let left = match kind.hold {
            Hold::Left => x,
            Hold::Center => x - width / 2,
            Hold::Right => x - width,
        };
        let half = (kind.size * 2 / 3).cast_signed();
        Ok(Frame {
            left,
            top: y - half,
            right: left + width,
            bottom: y + half,
        })
    }

    fn style(&self, kind: Type) -> TextStyle<'_> {
        let weight = if kind.bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let size = f64::from(kind.size) * PLOTTERS_EM;
        let font = FontDesc::new(FontFamily::Name(&self.theme.font_family), size, weight);
        let hold = match kind.hold {
            Hold::Left => HPos::Left,
            Hold::Center => HPos::Center,
            Hold::Right => HPos::Right,
        };
        TextStyle {
            font,
            color: RGBColor::from(kind.color).to_backend_color(),
            pos: Pos::new(hold, VPos::Center),
        }
    }
}

fn rgba(color: Rgb, alpha: f64) -> RGBAColor {
    RGBColor::from(color).mix(alpha)
}
