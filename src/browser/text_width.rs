//! How wide texts are, measured on canvases that are on no screen: the font of one that is on a screen is not
//! touched, and neither is the document.

use super::document::{context, off_screen};
use std::cell::RefCell;
use web_sys::CanvasRenderingContext2d;

/// A font as CSS names it.
#[derive(Clone, Copy)]
pub(super) struct Font<'a> {
    pub(super) style: &'a str,
    /// In pixels.
    pub(super) size: f64,
    pub(super) family: &'a str,
}

/// What measures text in a font.
struct Measure {
    style: String,
    size: f64,
    family: String,
    context: CanvasRenderingContext2d,
    /// Texts in their order, with their widths in the font's pixels.
    widths: Vec<(String, f64)>,
}

/// Texts whose widths are kept at once: those of some figures. A slider that is dragged brings new ones without end.
const WIDTHS: usize = 1000;

thread_local! {
    /// One for each font that text has been measured in: a page has a handful.
    static MEASURES: RefCell<Vec<Measure>> = const { RefCell::new(Vec::new()) };
}

impl Measure {
    fn new(font: Font) -> Option<Self> {
        let Font {
            style,
            size,
            family,
        } = font;
        let context = context(&off_screen()?)?;
        context.set_font(&format!("{style} {size}px {family}"));
        Some(Self {
            style: style.to_owned(),
            size,
            family: family.to_owned(),
            context,
            widths: Vec::new(),
        })
    }

    fn is_of(&self, font: Font) -> bool {
        self.size.to_bits() == font.size.to_bits()
            && self.style == font.style
            && self.family == font.family
    }

    fn width(&mut self, text: &str) -> Option<f64> {
        let known = &self.widths;
        let place = known.binary_search_by(|(of, _)| of.as_str().cmp(text));
        let place = match place {
            Ok(place) => return known.get(place).map(|(_, width)| *width),
            Err(place) => place,
        };
        let width = self.context.measure_text(text).ok()?.width();
        if known.len() < WIDTHS {
            self.widths.insert(place, (text.to_owned(), width));
        } else {
            self.widths = vec![(text.to_owned(), width)];
        }
        Some(width)
    }
}

/// How wide a text is in a font, in the font's pixels; none without a 2D canvas.
pub(super) fn text_width(text: &str, font: Font) -> Option<f64> {
    MEASURES.with_borrow_mut(|all| {
        if let Some(measure) = all.iter_mut().find(|measure| measure.is_of(font)) {
            return measure.width(text);
        }
        let mut measure = Measure::new(font)?;
        let width = measure.width(text);
        all.push(measure);
        width
    })
}
