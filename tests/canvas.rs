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
use highwater::units::Bytes;
use js_sys::Date;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{HtmlCanvasElement, window};

wasm_bindgen_test_configure!(run_in_browser);

/// Drawings a measurement takes together, since the clock ticks in milliseconds.
const DRAWINGS: u32 = 100;
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
    let start = Date::now();
    for _ in 0..DRAWINGS {
        draw(&element);
    }
    let each = (Date::now() - start) / f64::from(DRAWINGS);
    console_log!("{name}: {each:.2} ms");
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
        previous: Some(Bytes::gib(20)),
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
