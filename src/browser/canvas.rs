//! A canvas as a plotters backend: crisp at every pixel ratio, text measured by the canvas.
//!
//! plotters-canvas knows neither pixel ratios nor `measureText` (it measures by adding styled
//! spans to the document), so this room has its own backend. It reports CSS pixels and snaps
//! what it draws to the device's pixels, so that hairlines stay sharp at ratios such as 1.25.
//! Styles are set only when they change, and strokes of one style go to the canvas together. Text
//! is measured apart, on a canvas for each font that is on no screen: setting the font of one that
//! is makes the browser compute the page's styles there and then.

use super::document::document;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};
use std::cell::RefCell;
use std::convert::Infallible;
use std::f64::consts::TAU;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// plotters' text styles give 1.24 times the CSS size of the font, as its other backends read it.
const PLOTTERS_EM: f64 = 1.24;

/// A line of text is about this many times as high as its font's size.
const LINE_HEIGHT: f64 = 4.0 / 3.0;

/// A canvas to be drawn on once; get a new one for each drawing, since sizes may have changed.
pub struct Canvas {
    context: CanvasRenderingContext2d,
    /// In CSS pixels.
    size: (u32, u32),
    /// Device pixels a CSS pixel.
    ratio: f64,
    fill: Option<Paint>,
    stroke: Option<(Paint, u32)>,
    /// Whether a path of the current stroke style waits to be drawn.
    waiting: bool,
    font: String,
}

thread_local! {
    /// A context for each font that text has been measured in: a page has a handful.
    static MEASURES: RefCell<Vec<(String, CanvasRenderingContext2d)>> = const { RefCell::new(Vec::new()) };
}

/// How wide a text is in a font, in the font's pixels; none without a 2D canvas.
fn measured(text: &str, font: &str) -> Option<f64> {
    MEASURES.with_borrow_mut(|all| {
        if let Some((_, context)) = all.iter().find(|(of, _)| of == font) {
            return Some(context.measure_text(text).ok()?.width());
        }
        let element: HtmlCanvasElement =
            document()?.create_element("canvas").ok()?.dyn_into().ok()?;
        let context = element.get_context("2d").ok()??;
        let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
        context.set_font(font);
        let width = context.measure_text(text).ok()?.width();
        all.push((font.to_owned(), context));
        Some(width)
    })
}

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// A colour, to be compared.
#[derive(Clone, Copy, PartialEq)]
struct Paint {
    rgb: (u8, u8, u8),
    alpha: f64,
}

impl Paint {
    fn of(color: BackendColor) -> Self {
        Self {
            rgb: color.rgb,
            alpha: color.alpha,
        }
    }

    fn css(self) -> String {
        let (r, g, b) = self.rgb;
        if self.alpha < 1.0 {
            format!("rgba({r},{g},{b},{})", self.alpha)
        } else {
            format!("rgb({r},{g},{b})")
        }
    }
}

/// A size in pixels; negative and broken ones are none.
fn whole(pixels: f64) -> u32 {
    // `as` saturates, and canvases are far smaller than 2^32.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = pixels.round() as u32;
    whole
}

impl Canvas {
    /// Prepares an element for a drawing: as many device pixels as it takes on the screen.
    ///
    /// None while it takes no room, or when the browser has no 2D canvas.
    pub fn prepare(element: &HtmlCanvasElement, size: Option<(u32, u32)>) -> Option<Self> {
        let ratio = web_sys::window()?.device_pixel_ratio().max(1.0);
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
        let element = document()?.create_element("canvas").ok()?;
        let element: HtmlCanvasElement = element.dyn_into().ok()?;
        Some((Self::sized(&element, size, ratio)?, element))
    }

    fn sized(element: &HtmlCanvasElement, size: (u32, u32), ratio: f64) -> Option<Self> {
        let device = |css: u32| whole(f64::from(css) * ratio);
        // Setting a size clears the canvas and its state, also when it is the old one.
        element.set_width(device(size.0));
        element.set_height(device(size.1));
        let context = element.get_context("2d").ok()??;
        Some(Self {
            context: context.dyn_into().ok()?,
            size,
            ratio,
            fill: None,
            stroke: None,
            waiting: false,
            font: String::new(),
        })
    }

    /// A place in device pixels.
    fn at(&self, (x, y): BackendCoord) -> (f64, f64) {
        let device = |css: i32| (f64::from(css) * self.ratio).round();
        (device(x), device(y))
    }

    /// Draws the strokes that wait.
    fn flush(&mut self) {
        if self.waiting {
            self.context.stroke();
            self.waiting = false;
        }
    }

    fn fill_with(&mut self, color: BackendColor) {
        self.flush();
        let paint = Paint::of(color);
        if self.fill != Some(paint) {
            self.context.set_fill_style_str(&paint.css());
            self.fill = Some(paint);
        }
    }

    fn stroke_with<S: BackendStyle>(&mut self, style: &S) {
        let wanted = (Paint::of(style.color()), style.stroke_width());
        if self.stroke != Some(wanted) {
            self.flush();
            self.context.set_stroke_style_str(&wanted.0.css());
            self.context
                .set_line_width(f64::from(wanted.1) * self.ratio);
            self.context.set_line_join("round");
            self.stroke = Some(wanted);
        }
        if !self.waiting {
            self.context.begin_path();
            self.waiting = true;
        }
    }

    fn trace(&self, points: impl IntoIterator<Item = BackendCoord>) {
        for (i, point) in points.into_iter().enumerate() {
            let (x, y) = self.at(point);
            if i == 0 {
                self.context.move_to(x, y);
            } else {
                self.context.line_to(x, y);
            }
        }
    }

    /// A font, in device pixels.
    fn font<S: BackendTextStyle>(&self, style: &S) -> String {
        let size = style.size() / PLOTTERS_EM * self.ratio;
        let weight = match style.style() {
            FontStyle::Bold => "bold",
            FontStyle::Normal | FontStyle::Italic | FontStyle::Oblique => "normal",
        };
        format!("{weight} {size:.2}px {}", style.family().as_str())
    }
}

impl DrawingBackend for Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        self.flush();
        Ok(())
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
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        let ((x0, y0), (x1, y1)) = (self.at(upper_left), self.at(bottom_right));
        if fill {
            self.fill_with(style.color());
            self.context.fill_rect(x0, y0, x1 - x0, y1 - y0);
        } else {
            self.stroke_with(style);
            self.context.rect(x0, y0, x1 - x0, y1 - y0);
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        self.stroke_with(style);
        self.trace(path);
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Done {
        self.fill_with(style.color());
        self.context.begin_path();
        self.trace(points);
        self.context.fill();
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        let (x, y) = self.at(center);
        let radius = f64::from(radius) * self.ratio;
        if fill {
            self.fill_with(style.color());
            self.context.begin_path();
        } else {
            self.stroke_with(style);
            self.context.move_to(x + radius, y);
        }
        // It fails for a negative radius only.
        let _ = self.context.arc(x, y, radius, 0.0, TAU);
        if fill {
            self.context.fill();
        }
        Ok(())
    }

    /// Horizontal text only: no figure has any other.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        self.fill_with(style.color());
        let font = self.font(style);
        if self.font != font {
            self.context.set_font(&font);
            self.font = font;
        }
        self.context.set_text_align(match style.anchor().h_pos {
            HPos::Left => "left",
            HPos::Center => "center",
            HPos::Right => "right",
        });
        self.context.set_text_baseline(match style.anchor().v_pos {
            VPos::Top => "top",
            VPos::Center => "middle",
            VPos::Bottom => "bottom",
        });
        let (x, y) = self.at(at);
        // It fails for places that are no numbers only.
        let _ = self.context.fill_text(text, x, y);
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let width = measured(text, &self.font(style)).unwrap_or(0.0);
        let height = style.size() / PLOTTERS_EM * LINE_HEIGHT;
        Ok((whole((width / self.ratio).ceil()), whole(height)))
    }
}
