//! Memory over program order.

use crate::data::run;
use crate::drawing::{Chinese, English, keep, look, marks, text, themes};
use highwater::chart::{
    Highlight, Theme, TimelineFigure, TimelineLayout, TimelineMarks, Unit, Words, svg_timeline,
};
use highwater::report::{Measure, Timeline};
use highwater::sim::Phase;
use highwater::tape::Category;
use highwater::units::Bytes;

const WIDE: (u32, u32) = (1000, 340);

fn figure(timeline: &Timeline) -> TimelineFigure<'_> {
    TimelineFigure {
        timeline,
        capacity: None,
        window: None,
        cursor: None,
        measure: Measure::Live,
        marks: TimelineMarks::default(),
    }
}

fn layout(figure: &TimelineFigure) -> TimelineLayout {
    TimelineLayout::new(figure, &Theme::light(), Unit::Binary, WIDE)
}

fn draw(figure: &TimelineFigure) -> String {
    let theme = Theme::light();
    svg_timeline(figure, &look(&theme, &English), WIDE, None).expect("memory only")
}

#[test]
fn the_peak_is_marked_at_the_highest_point_of_the_areas() {
    for batch in [2, 16] {
        let run = run(batch, 1);
        let figure = figure(&run.timeline);
        let layout = layout(&figure);
        let svg = draw(&figure);
        let accent = Theme::light().accent.css().to_uppercase();
        let dots = marks(&svg, "circle");
        let dot = dots
            .iter()
            .find(|dot| dot.attr("fill") == accent)
            .expect("the peak has a dot");
        let tops = layout.runs.iter().map(|run_| {
            let point = &run.timeline.points[run_.point];
            layout.stack(point).last().expect("a stack has a base")
        });
        let highest = tops.min().expect("there are runs");
        assert!((dot.number("cy") - f64::from(highest)).abs() < 0.5);
        let peak = &run.timeline.points[run.timeline.peak];
        let name = format!("peak {}", English.amount(peak.composition.total()));
        let label = text(&svg, &name.replace('\u{a0}', " ")).expect("the peak is named");
        assert!(label.number("y") < dot.number("cy"));
    }
}

#[test]
fn the_line_of_the_capacity_what_lies_above_it_and_what_is_counted_have_names() {
    let run = run(16, 1);
    let capacity = Some(Bytes::gib(40));
    let measures = [Measure::Live, Measure::Allocated, Measure::Reserved];
    for measure in measures {
        let svg = draw(&TimelineFigure {
            capacity,
            measure,
            ..figure(&run.timeline)
        });
        let line = text(&svg, "usable 40.0 GiB").expect("the line is named");
        let zone = text(&svg, "does not fit").expect("the zone is named");
        assert!(
            zone.number("y") < line.number("y"),
            "it lies above the line"
        );
        let allocated = marks(&svg, "text").into_iter();
        let mut allocated = allocated.filter(|mark| mark.text.starts_with("allocated "));
        assert_eq!(allocated.next().is_some(), measure == Measure::Allocated);
    }
}

#[test]
fn the_layers_of_every_stretch_add_up_to_its_total() {
    let run = run(2, 1);
    let figure = figure(&run.timeline);
    let layout = layout(&figure);
    assert!(layout.runs.len() > 100);
    for stretch in &layout.runs {
        let point = &run.timeline.points[stretch.point];
        let sum: Bytes = layout
            .layers
            .iter()
            .map(|&c| point.composition.get(c))
            .sum();
        assert_eq!(sum, point.composition.total());
        let stack: Vec<i32> = layout.stack(point).collect();
        assert!(stack.windows(2).all(|pair| pair[1] <= pair[0]));
        assert_eq!(stack.last(), Some(&layout.axis.scale.at(sum)));
    }
}

#[test]
fn stretches_tile_each_step_from_left_to_right() {
    let run = run(2, 4);
    let layout = layout(&figure(&run.timeline));
    for step in layout.runs.chunk_by(|a, b| a.step == b.step) {
        assert!(step.windows(2).all(|pair| pair[0].x1 == pair[1].x0));
        assert!(
            step.iter().all(|run| run.x0 < run.x1),
            "no stretch is empty"
        );
    }
    let sections = &layout.program.sections;
    assert_eq!(
        layout.runs.first().map(|run| run.x0),
        sections.first().map(|s| s.x0)
    );
    assert_eq!(
        layout.runs.last().map(|run| run.x1),
        sections.last().map(|s| s.x1)
    );
}

#[test]
fn a_point_finds_its_phase_and_category_and_keys_walk_over_them() {
    let run = run(16, 1);
    let timeline = &run.timeline;
    let layout = layout(&figure(timeline));
    let peak = layout.step(timeline, None, 0).expect("the peak is shown");
    let stretch = layout.run_of(peak).expect("so is its stretch");
    let (x, bottom) = (stretch.x0, layout.plot.bottom);
    let hit = layout
        .hit(timeline, x, bottom - 2)
        .expect("the stack's foot");
    assert_eq!(
        (hit.point, hit.category),
        (peak, Some(Category::Parameters))
    );
    assert_eq!(
        layout
            .hit(timeline, x, layout.plot.top)
            .and_then(|hit| hit.category),
        None
    );
    assert_eq!(layout.hit(timeline, -1, bottom), None);
    let next = layout
        .step(timeline, Some(peak), 1)
        .expect("a next stretch");
    assert!(next > peak);
    let start = layout.step_phase(timeline, 0, 1).expect("the second phase");
    assert_eq!(
        layout
            .hit(timeline, layout.run_of(start).expect("shown").x0, bottom)
            .map(|hit| hit.phase),
        Some(Phase::Forward)
    );
}

#[test]
fn zooming_keeps_the_scale_and_shows_the_window_only() {
    let run = run(2, 1);
    let whole = figure(&run.timeline);
    let span = run
        .timeline
        .spans
        .iter()
        .find(|span| span.phase == Phase::Backward)
        .expect("one");
    let zoomed = TimelineFigure {
        window: Some((span.start, span.end)),
        ..whole
    };
    let (whole, zoomed) = (layout(&whole), layout(&zoomed));
    assert_eq!(whole.axis, zoomed.axis);
    assert!(
        zoomed.runs.iter().all(|run_| {
            (span.start..span.end).contains(&run.timeline.points[run_.point].event)
        })
    );
    assert!(zoomed.runs.len() > 10);
}

#[test]
fn a_long_run_stays_a_small_drawing() {
    let run = run(2, 16);
    let svg = draw(&figure(&run.timeline));
    let count = svg.matches('<').count();
    assert!(count < 4000, "{count} elements");
}

#[test]
fn timelines_of_any_size_and_none_draw_without_failing() {
    let run = run(2, 1);
    let empty = Timeline {
        points: Vec::new(),
        spans: Vec::new(),
        peak: 0,
    };
    let theme = Theme::dark();
    for timeline in [&run.timeline, &empty] {
        for size in [(0, 0), (1, 1), (60, 40), (320, 200), (3000, 90)] {
            let figure = TimelineFigure {
                timeline,
                capacity: Some(Bytes::gib(24)),
                window: Some((40, 41)),
                cursor: Some(40),
                measure: Measure::Live,
                marks: TimelineMarks::default(),
            };
            let svg = svg_timeline(&figure, &look(&theme, &English), size, None);
            assert!(svg.expect("memory only").ends_with("</svg>\n"));
        }
    }
}

#[test]
fn the_figures_are_kept_to_be_looked_at() {
    let runs = [2, 16].map(|batch| (batch, run(batch, 1)));
    let accumulating = run(2, 4);
    for (name, theme) in themes() {
        for (batch, run) in &runs {
            for (width, height) in [(320, 260), (620, 300), (1200, 400)] {
                let capacity = Bytes::gib(if *batch == 2 { 31 } else { 140 });
                let figure = TimelineFigure {
                    capacity: Some(capacity),
                    ..figure(&run.timeline)
                };
                let svg = svg_timeline(&figure, &look(&theme, &English), (width, height), None);
                keep(
                    &format!("timeline-{width}-{batch}-{name}"),
                    &svg.expect("memory only"),
                );
            }
        }
        let mut chinese = look(&theme, &Chinese);
        chinese.highlight = Highlight::Category(Category::Activations);
        let timeline = &accumulating.timeline;
        let middle = &timeline.points[timeline.points.len() / 6];
        let figure = TimelineFigure {
            cursor: Some(middle.event),
            measure: Measure::Live,
            marks: TimelineMarks::default(),
            ..figure(timeline)
        };
        let svg = svg_timeline(&figure, &chinese, (900, 340), None).expect("memory only");
        keep(&format!("timeline-accumulation-{name}"), &svg);
    }
}
