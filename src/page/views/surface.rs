//! The surface that figures are drawn on: a canvas, or an SVG document. One backend for both, so that the drawing code
//! is in the page once.

use crate::browser::{Canvas, CanvasElement};
use crate::chart::Paper;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use std::io::Error;

/// A canvas or a document.
pub(super) enum Surface<'a> {
    Screen(Canvas),
    Document(Paper<'a>),
}

/// The drawing area of a figure.
pub(super) type Area<'a> = DrawingArea<Surface<'a>, Shift>;

impl<'a> Surface<'a> {
    /// A canvas of `size` CSS pixels on the screen, unless it takes no room.
    pub fn screen(element: &CanvasElement, size: (u32, u32)) -> Option<Area<'a>> {
        let canvas = Canvas::prepare(element, Some(size))?;
        Some(Self::Screen(canvas).into_drawing_area())
    }

    /// A canvas that is on no screen.
    pub fn canvas(canvas: Canvas) -> Area<'a> {
        Self::Screen(canvas).into_drawing_area()
    }

    /// A document of `size` CSS pixels, written into a text.
    pub fn document(text: &'a mut String, size: (u32, u32)) -> Area<'a> {
        Self::Document(Paper::new(text, size)).into_drawing_area()
    }
}

type Done<T = ()> = Result<T, DrawingErrorKind<Error>>;

/// Turns the error of a canvas into the kind of error that a document reports.
fn on_canvas<T>(
    done: Result<T, DrawingErrorKind<<Canvas as DrawingBackend>::ErrorType>>,
) -> Done<T> {
    done.map_err(|error| match error {
        DrawingErrorKind::DrawingError(error) => {
            DrawingErrorKind::DrawingError(Error::other(error))
        }
        DrawingErrorKind::FontError(error) => DrawingErrorKind::FontError(error),
    })
}

/// Hands a call on to whichever it is.
macro_rules! on {
    ($surface:expr, $call:ident($($argument:expr),*)) => {
        match $surface {
            Surface::Screen(canvas) => on_canvas(canvas.$call($($argument),*)),
            Surface::Document(paper) => paper.$call($($argument),*),
        }
    };
}

impl DrawingBackend for Surface<'_> {
    type ErrorType = Error;

    fn get_size(&self) -> (u32, u32) {
        match self {
            Self::Screen(canvas) => canvas.get_size(),
            Self::Document(paper) => paper.get_size(),
        }
    }

    fn ensure_prepared(&mut self) -> Done {
        on!(self, ensure_prepared())
    }

    fn present(&mut self) -> Done {
        on!(self, present())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Done {
        on!(self, draw_pixel(point, color))
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        on!(self, draw_line(from, to, style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        on!(self, draw_rect(upper_left, bottom_right, style, fill))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        on!(self, draw_path(path, style))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        on!(self, draw_circle(center, radius, style, fill))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Done {
        on!(self, fill_polygon(points, style))
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        on!(self, draw_text(text, style, at))
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> Done<(u32, u32)> {
        on!(self, estimate_text_size(text, style))
    }
}
