//! The figures on a canvas, in a browser: crisp at its pixel ratio, and fast enough to be drawn
//! while a slider is dragged.
#![cfg(all(target_arch = "wasm32", feature = "web"))]

#[path = "figures/data.rs"]
#[allow(dead_code, reason = "shared with the tests of the figures")]
mod data;
#[path = "figures/drawing.rs"]
#[allow(dead_code, reason = "shared with the tests of the figures")]
mod drawing;

use drawing::{English, look};
use highwater::browser::Canvas;
use highwater::chart::{
    CrossoverFigure, PhasesFigure, Theme, TimelineFigure, TimelineMarks, draw_crossover,
    draw_phases, draw_timeline,
};
use highwater::report::Measure;
use highwater::sim::Phase;
use highwater::units::Bytes;
use js_sys::Date;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::{BLACK, Color, FontTransform, IntoFont, IntoTextStyle};
use plotters_backend::DrawingBackend;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, window};

wasm_bindgen_test_configure!(run_in_browser);

/// Drawings a measurement takes together, since the clock ticks in milliseconds.
const DRAWINGS: u32 = 100;
/// Measurements: a browser compiles hot code again, so that the first are slower.
const ROUNDS: usize = 15;
/// Ten times the budget of 3 ms: the machine may be busy, and the build is not optimized; a
/// change of order is not noise.
const LIMIT_MS: f64 = 30.0;

fn area(element: &HtmlCanvasElement) -> DrawingArea<Canvas, Shift> {
    let canvas = Canvas::prepare(element, None).expect("an element with a size");
    canvas.into_drawing_area()
}

fn canvas() -> HtmlCanvasElement {
    let document = window()
        .and_then(|window| window.document())
        .expect("a page");
    let element = document
        .create_element("canvas")
        .expect("canvases are known");
    let element: HtmlCanvasElement = element.unchecked_into();
    element
        .set_attribute("style", "width:1200px;height:400px")
        .expect("a style");
    document
        .body()
        .expect("a body")
        .append_child(&element)
        .expect("a place");
    element
}

fn time(name: &str, draw: impl Fn(&HtmlCanvasElement)) {
    let element = canvas();
    draw(&element);
    let mut rounds = [(); ROUNDS].map(|()| {
        let start = Date::now();
        for _ in 0..DRAWINGS {
            draw(&element);
        }
        (Date::now() - start) / f64::from(DRAWINGS)
    });
    rounds.sort_by(f64::total_cmp);
    let (each, best) = (rounds[ROUNDS / 2], rounds[0]);
    console_log!("{name}: {each:.2} ms, at best {best:.2}");
    assert!(each < LIMIT_MS, "{name} takes {each:.1} ms");
    let ratio = window().expect("a window").device_pixel_ratio();
    assert!((f64::from(element.width()) - 1200.0 * ratio).abs() < 1.0);
}

#[wasm_bindgen_test]
fn each_figure_is_drawn_well_within_a_frame() {
    let theme = Theme::light();
    let look = look(&theme, &English);
    let run = data::run(16, 1);
    let step = &run.report.device.steady_step;
    let capacity = Some(Bytes::gib(56));
    let phases = PhasesFigure {
        step,
        capacity,
        previous: Some((Phase::Forward, Bytes::gib(20))),
        held: None,
        measure: Measure::Live,
        cursor: None,
    };
    let timeline = TimelineFigure {
        timeline: &run.timeline,
        capacity,
        window: None,
        cursor: None,
        measure: Measure::Live,
        marks: TimelineMarks::default(),
    };
    let crossover = CrossoverFigure {
        sweep: data::sweep(),
        capacity,
        current: 16,
        cursor: None,
    };
    time("phases", |element| {
        let area = area(element);
        draw_phases(&phases, &look, &area).expect("a drawing");
        area.present().expect("it is shown");
    });
    time("timeline", |element| {
        let area = area(element);
        draw_timeline(&timeline, &look, &area).expect("a drawing");
        area.present().expect("it is shown");
    });
    time("crossover", |element| {
        let area = area(element);
        draw_crossover(&crossover, &look, &area).expect("a drawing");
        area.present().expect("it is shown");
    });
}

/// Device pixels of a CSS pixel on common screens, whole and broken.
const RATIOS: [f64; 6] = [1.0, 1.25, 1.5, 1.75, 2.0, 3.0];

/// How opaque each pixel of a canvas is, row by row.
fn opacity(element: &HtmlCanvasElement) -> Vec<Vec<u8>> {
    let context = element.get_context("2d").ok().flatten().expect("a context");
    let context: CanvasRenderingContext2d = context.unchecked_into();
    let size = [element.width(), element.height()].map(f64::from);
    let image = context
        .get_image_data(0.0, 0.0, size[0], size[1])
        .expect("the pixels");
    let pixels = image.data().0;
    let row = 4 * element.width() as usize;
    let alpha = |row: &[u8]| row.iter().skip(3).step_by(4).copied().collect();
    pixels.chunks(row).map(alpha).collect()
}

#[wasm_bindgen_test]
fn blocks_fill_whole_device_pixels_at_every_ratio() {
    for ratio in RATIOS {
        let (mut canvas, element) = Canvas::apart((40, 40), ratio).expect("a canvas");
        canvas
            .draw_rect((3, 5), (30, 6), &BLACK.to_backend_color(), true)
            .expect("a hairline");
        let device = |css: f64| (css * ratio).round();
        let expected = (device(30.0) - device(3.0)) * (device(6.0) - device(5.0));
        let rows = opacity(&element);
        let full = rows.iter().flatten().filter(|&&alpha| alpha == 255).count();
        let part = rows.iter().flatten().filter(|&&alpha| alpha != 0).count();
        assert_eq!((full, part), (full, full), "blurred at {ratio}");
        assert!((full as f64 - expected).abs() < 0.5, "{full} at {ratio}");
    }
}

#[wasm_bindgen_test]
fn strokes_are_as_wide_as_the_ratio_asks() {
    for ratio in RATIOS {
        let (mut canvas, element) = Canvas::apart((40, 40), ratio).expect("a canvas");
        let style = BLACK.stroke_width(2);
        canvas
            .draw_path([(20, -10), (20, 50)], &style)
            .expect("an upright line");
        canvas.present().expect("it is shown");
        let middle = opacity(&element).swap_remove(element.height() as usize / 2);
        let width = middle.iter().map(|&alpha| f64::from(alpha)).sum::<f64>() / 255.0;
        assert!((width - 2.0 * ratio).abs() < 0.05, "{width} at {ratio}");
    }
}

#[wasm_bindgen_test]
fn text_takes_the_room_that_was_measured_and_measuring_leaves_the_page_alone() {
    let text = "Wholly measured";
    for ratio in RATIOS {
        let (mut canvas, element) = Canvas::apart((300, 40), ratio).expect("a canvas");
        let style = ("sans-serif", 20.0 * 1.24)
            .into_font()
            .into_text_style(&(300, 40));
        let page = window().and_then(|window| window.document());
        let body = page.and_then(|page| page.body()).expect("a page");
        let before = body.inner_html();
        let (width, _) = canvas.estimate_text_size(text, &style).expect("a width");
        assert_eq!(body.inner_html(), before, "measured in the document");
        canvas.draw_text(text, &style, (0, 0)).expect("a text");
        let rows = opacity(&element);
        let right = rows
            .iter()
            .filter_map(|row| row.iter().rposition(|&alpha| alpha > 0))
            .max()
            .expect("some ink");
        let drawn = (right + 1) as f64 / ratio;
        assert!(
            (drawn - f64::from(width)).abs() < 3.0,
            "{drawn} of {width} at {ratio}"
        );
    }
}

/// Columns and rows of the pixels with ink, the first and the last of each.
fn extent(element: &HtmlCanvasElement) -> [(usize, usize); 2] {
    let rows = opacity(element);
    let inked = |(_, ink): &(usize, bool)| *ink;
    let ends = |lines: Vec<bool>| {
        let mut places = lines.into_iter().enumerate().filter(inked);
        let (first, _) = places.next().expect("some ink");
        (first, places.next_back().map_or(first, |(last, _)| last))
    };
    let columns = (0..element.width() as usize)
        .map(|x| rows.iter().any(|row| row[x] > 0))
        .collect();
    let lines = rows.iter().map(|row| row.iter().any(|&alpha| alpha > 0));
    [ends(columns), ends(lines.collect())]
}

#[wasm_bindgen_test]
fn turned_text_ends_at_its_place_and_text_after_it_is_level() {
    let text = "turned";
    let style = ("sans-serif", 20.0)
        .into_font()
        .into_text_style(&(200, 200));
    let turned = style.transform(FontTransform::Rotate270);
    let (mut canvas, element) = Canvas::apart((200, 200), 1.0).expect("a canvas");
    let (width, _) = canvas.estimate_text_size(text, &style).expect("a width");
    canvas.draw_text(text, &turned, (50, 150)).expect("a text");
    let [columns, lines] = extent(&element);
    assert!(
        (50..75).contains(&columns.0) && columns.1 < 75,
        "{columns:?}"
    );
    assert!(
        lines.1 <= 150 && lines.1 - lines.0 <= width as usize,
        "{lines:?}"
    );
    assert!(lines.1 - lines.0 + 4 > width as usize, "{lines:?}");
    // A second canvas with both: what the turned text changed does not stay.
    let (mut level, element) = Canvas::apart((200, 200), 1.0).expect("a canvas");
    level.draw_text(text, &turned, (-50, 150)).expect("off it");
    level.draw_text(text, &style, (50, 150)).expect("a text");
    let [columns, lines] = extent(&element);
    assert!(columns.1 - columns.0 + 4 > width as usize, "{columns:?}");
    assert!((150..175).contains(&lines.0) && lines.1 < 175, "{lines:?}");
}
