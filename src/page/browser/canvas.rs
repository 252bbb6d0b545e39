//! A canvas as a plotters backend: plotters-canvas, made crisp at every pixel ratio.
//!
//! plotters-canvas draws polygons and discs. This module adds what it cannot do:
//!
//! - It knows no pixel ratio: it takes the canvas's own pixels for those of the figure. Here sizes
//!   and places are CSS pixels, and the canvas is given a transform.
//! - It takes whole numbers only, so that nothing could be snapped to the device's pixels under a
//!   transform by a ratio such as 1.25, and hairlines would blur. Its unit is the CSS pixel where that
//!   is a whole number of device pixels, and the device pixel elsewhere (see [`Canvas::grid`]), where
//!   discs have whole radii therefore.
//! - It strokes each path by itself, in a width that is a whole number. Textures are hundreds of lines,
//!   which took a fifth to a third of a redraw's time on top; here lines of one style go to the canvas
//!   together, in their exact width, with round corners. Its lines are moved by half a pixel where
//!   they are level or upright; here they are paths of two points.
//! - Its pixels are not CSS pixels: here they are rectangles.
//! - It names the colour anew for each rectangle and the colour, the font and the alignment for each text:
//!   strings that the browser reads, which took a quarter of a redraw. Here what follows each other in the
//!   same colour, font or alignment is drawn after it was named once.
//! - It measures no text: plotters adds a styled span to the document for each label, which lays out
//!   the page there and then and which a strict style policy forbids. Here `measureText` does, on a
//!   canvas for each font that is on no screen: setting the font of one that is makes the browser
//!   compute the page's styles. What was measured is known when the same text is drawn again.
//! - It takes plotters' size of a font for its CSS size: see [`PLOTTERS_EM`].

use super::document::{context, off_screen};
use super::text_width::text_width;
use gloo_utils::window;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use plotters_canvas::CanvasBackend;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// plotters' text styles give 1.24 times the CSS size of the font, as its other backends read it.
const PLOTTERS_EM: f64 = 1.24;

/// A line of text is about this many times as high as its font's size.
const LINE_HEIGHT: f64 = 4.0 / 3.0;

/// A canvas to be drawn on once; get a new one for each drawing, since sizes may have changed.
pub struct Canvas {
    backend: CanvasBackend,
    context: CanvasRenderingContext2d,
    /// The colour and width of the paths that wait to be stroked together.
    waiting: Option<(Paint, u32)>,
    /// The colour that the canvas fills with; none where plotters-canvas may have named another.
    filling: Option<Paint>,
    /// The font that the canvas writes in, and the anchor of a text.
    writing: Option<Writing>,
    /// In CSS pixels.
    size: (u32, u32),
    /// Units of the backend in a CSS pixel: one where a CSS pixel is a whole number of device pixels, so
    /// that all that is drawn at whole numbers is snapped to them; the pixel ratio elsewhere, so that a
    /// unit is a device pixel. The transform makes up for the rest of the ratio.
    grid: f64,
}

type CanvasError = <CanvasBackend as DrawingBackend>::ErrorType;
type Done<T = ()> = Result<T, DrawingErrorKind<CanvasError>>;

/// A size in pixels; negative and broken ones are none.
fn whole(pixels: f64) -> u32 {
    // `as` saturates, and canvases are far smaller than 2^32.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = pixels.round() as u32;
    whole
}

/// A colour as numbers that can be compared.
#[derive(Clone, Copy, PartialEq)]
struct Paint {
    rgb: (u8, u8, u8),
    alpha: f64,
}

impl Paint {
    fn of(color: BackendColor) -> Self {
        let BackendColor { rgb, alpha } = color;
        Self { rgb, alpha }
    }

    fn css(self) -> String {
        let (r, g, b) = self.rgb;
        format!("rgba({r},{g},{b},{})", self.alpha)
    }
}

/// How text is written: a font as CSS names it, and the anchor of the text.
struct Writing {
    font: String,
    baseline: &'static str,
    align: &'static str,
}

impl Canvas {
    /// Prepares an element for a drawing: as many device pixels as it takes on the screen.
    ///
    /// None while it takes no room, or when the browser has no 2D canvas.
    pub fn prepare(element: &HtmlCanvasElement, size: Option<(u32, u32)>) -> Option<Self> {
        let ratio = window().device_pixel_ratio().max(1.0);
        let size = size.unwrap_or_else(|| {
            let shown = element.get_bounding_client_rect();
            (whole(shown.width()), whole(shown.height()))
        });
        if size.0 == 0 || size.1 == 0 {
            return None;
        }
        Self::sized(element, size, ratio)
    }

    /// A canvas that is on no screen, and the element that holds it.
    ///
    /// None when the browser has no 2D canvas.
    pub fn apart(size: (u32, u32), ratio: f64) -> Option<(Self, HtmlCanvasElement)> {
        let element = off_screen()?;
        Some((Self::sized(&element, size, ratio)?, element))
    }

    fn sized(element: &HtmlCanvasElement, size: (u32, u32), ratio: f64) -> Option<Self> {
        let device = |css: u32| whole(f64::from(css) * ratio);
        // Setting a size clears the canvas and its state, also when it is the old one.
        element.set_width(device(size.0));
        element.set_height(device(size.1));
        let grid = if ratio.fract() == 0.0 { 1.0 } else { ratio };
        let context = context(element)?;
        context.scale(ratio / grid, ratio / grid).ok()?;
        context.set_line_join("round");
        Some(Self {
            backend: CanvasBackend::with_canvas_object(element.clone())?,
            context,
            waiting: None,
            filling: None,
            writing: None,
            size,
            grid,
        })
    }

    /// A place in units of the backend.
    fn at(&self, (x, y): BackendCoord) -> BackendCoord {
        // Places on a canvas are far within 2^31.
        #[allow(clippy::cast_possible_truncation)]
        let unit = |css: i32| (f64::from(css) * self.grid).round() as i32;
        (unit(x), unit(y))
    }

    /// Strokes the paths that wait.
    fn flush(&mut self) {
        if self.waiting.take().is_some() {
            self.context.stroke();
        }
    }

    /// Goes on with the path that waits, or begins one of another style.
    fn stroke_with<S: BackendStyle>(&mut self, style: &S) {
        let wanted = (Paint::of(style.color()), style.stroke_width());
        if self.waiting != Some(wanted) {
            self.flush();
            self.context.set_stroke_style_str(&wanted.0.css());
            self.context.set_line_width(f64::from(wanted.1) * self.grid);
            self.context.begin_path();
            self.waiting = Some(wanted);
        }
    }

    /// Fills with a colour from here on, once earlier drawings are on the canvas.
    fn fill_with(&mut self, color: BackendColor) {
        self.flush();
        let wanted = Paint::of(color);
        if self.filling != Some(wanted) {
            self.context.set_fill_style_str(&wanted.css());
            self.filling = Some(wanted);
        }
    }

    /// plotters-canvas, once earlier drawings are on the canvas.
    fn backend(&mut self) -> &mut CanvasBackend {
        self.flush();
        self.filling = None;
        &mut self.backend
    }

    /// The font of a style as CSS names it, its size in units of the backend, to hundredths.
    fn font<S: BackendTextStyle>(&self, style: &S) -> String {
        let size = (style.size() / PLOTTERS_EM * self.grid * 100.0).round() / 100.0;
        let (name, family) = (style.style(), style.family());
        format!("{} {size}px {}", name.as_str(), family.as_str())
    }

    /// Writes as a style says from here on.
    fn write_with<S: BackendTextStyle>(&mut self, style: &S) {
        let anchor = style.anchor();
        let wanted = Writing {
            font: self.font(style),
            baseline: match anchor.v_pos {
                VPos::Top => "top",
                VPos::Center => "middle",
                VPos::Bottom => "bottom",
            },
            align: match anchor.h_pos {
                HPos::Left => "start",
                HPos::Center => "center",
                HPos::Right => "end",
            },
        };
        let named = self.writing.as_ref();
        if named.is_none_or(|named| named.font != wanted.font) {
            self.context.set_font(&wanted.font);
        }
        if named.is_none_or(|named| named.baseline != wanted.baseline) {
            self.context.set_text_baseline(wanted.baseline);
        }
        if named.is_none_or(|named| named.align != wanted.align) {
            self.context.set_text_align(wanted.align);
        }
        self.writing = Some(wanted);
    }
}

impl DrawingBackend for Canvas {
    type ErrorType = CanvasError;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Done {
        self.backend.ensure_prepared()
    }

    fn present(&mut self) -> Done {
        self.backend().present()
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Done {
        self.draw_rect((x, y), (x + 1, y + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        if !fill {
            let corners = [from, (to.0, from.1), to, (from.0, to.1), from];
            return self.draw_path(corners, style);
        }
        self.fill_with(style.color());
        let [from, to] = [from, to].map(|corner| self.at(corner));
        let [x, width] = [from.0, to.0 - from.0].map(f64::from);
        let [y, height] = [from.1, to.1 - from.1].map(f64::from);
        self.context.fill_rect(x, y, width, height);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        self.stroke_with(style);
        for (i, point) in path.into_iter().enumerate() {
            let (x, y) = self.at(point);
            let (x, y) = (f64::from(x), f64::from(y));
            if i == 0 {
                self.context.move_to(x, y);
            } else {
                self.context.line_to(x, y);
            }
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Done {
        let points: Vec<BackendCoord> = points.into_iter().map(|point| self.at(point)).collect();
        self.backend().fill_polygon(points, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        let (x, y) = self.at(center);
        let radius = f64::from(radius) * self.grid;
        if fill {
            let radius = whole(radius);
            return self.backend().draw_circle((x, y), radius, style, true);
        }
        self.stroke_with(style);
        let (x, y) = (f64::from(x), f64::from(y));
        self.context.move_to(x + radius, y);
        // It fails for a negative radius only.
        let _ = self.context.arc(x, y, radius, 0.0, TAU);
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        self.fill_with(style.color());
        self.write_with(style);
        let (x, y) = self.at(at);
        let (x, y) = (f64::from(x), f64::from(y));
        let turn = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => FRAC_PI_2,
            FontTransform::Rotate180 => PI,
            FontTransform::Rotate270 => -FRAC_PI_2,
        };
        // None of the following fails: all numbers are finite.
        if turn == 0.0 {
            let _ = self.context.fill_text(text, x, y);
        } else {
            self.context.save();
            let _ = self.context.translate(x, y);
            let _ = self.context.rotate(turn);
            let _ = self.context.fill_text(text, 0.0, 0.0);
            self.context.restore();
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> Done<(u32, u32)> {
        let width = text_width(text, &self.font(style)).unwrap_or(0.0) / self.grid;
        let height = style.size() / PLOTTERS_EM * LINE_HEIGHT;
        Ok((whole(width.ceil()), whole(height)))
    }
}
