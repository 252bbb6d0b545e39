//! How wide texts are, measured on canvases that are on no screen: the font of one that is on a screen is not
//! touched, and neither is the document.

use super::document::{context, off_screen};
use std::cell::RefCell;
use web_sys::CanvasRenderingContext2d;

/// A canvas that measures text in a font.
struct Measure {
    /// As CSS names it.
    font: String,
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
    fn new(font: &str) -> Option<Self> {
        let context = context(&off_screen()?)?;
        context.set_font(font);
        Some(Self {
            font: font.to_owned(),
            context,
            widths: Vec::new(),
        })
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

/// How wide a text is in a font that is named as in CSS, in the font's pixels; none without a 2D canvas.
pub(super) fn text_width(text: &str, font: &str) -> Option<f64> {
    MEASURES.with_borrow_mut(|all| {
        if let Some(measure) = all.iter_mut().find(|measure| measure.font == font) {
            return measure.width(text);
        }
        let mut measure = Measure::new(font)?;
        let width = measure.width(text);
        all.push(measure);
        width
    })
}
