//! The phases side by side.

use crate::data::step;
use crate::drawing::{Chinese, English, keep, look, marks, text, themes};
use highwater::chart::{
    Caption, Highlight, PhasesFigure, PhasesLayout, Theme, Unit, Words, svg_phases,
};
use highwater::report::{Measure, StepReport};
use highwater::sim::Phase;
use highwater::tape::Category;
use highwater::units::Bytes;

const WIDE: (u32, u32) = (760, 320);

#[test]
fn there_is_one_bar_a_phase_and_its_parts_add_up() {
    let step = step(2);
    let figure = PhasesFigure {
        step: &step,
        capacity: None,
        previous: None,
        held: None,
        measure: Measure::Live,
        cursor: None,
    };
    let layout = PhasesLayout::new(&figure, &Theme::light(), Unit::Binary, WIDE);
    assert_eq!(layout.bars.len(), step.phases.len());
    for (bar, phase) in layout.bars.iter().zip(&step.phases) {
        let sum: Bytes = bar.segments.iter().map(|segment| segment.bytes).sum();
        assert_eq!((sum, bar.total), (bar.total, phase.composition.total()));
        let heights: i32 = bar
            .segments
            .iter()
            .map(|segment| segment.frame.height())
            .sum();
        assert_eq!(heights, bar.frame.height());
    }
}

#[test]
fn the_binding_phase_is_named_above_the_highest_bar() {
    for micro_batch_size in [2, 8] {
        let step = step(micro_batch_size);
        let theme = Theme::light();
        let figure = PhasesFigure {
            step: &step,
            capacity: None,
            previous: None,
            held: None,
            measure: Measure::Live,
            cursor: None,
        };
        let svg = svg_phases(&figure, &look(&theme, &English), WIDE, None).expect("memory only");
        let layout = PhasesLayout::new(&figure, &theme, Unit::Binary, WIDE);
        let bar = layout.binding().expect("one phase binds");
        assert!(
            layout
                .bars
                .iter()
                .all(|other| other.frame.top >= bar.frame.top)
        );
        assert!(
            text(&svg, "peak").is_some(),
            "the peak is named in the margin"
        );
        let middle = f64::from(bar.frame.left + bar.frame.right) / 2.0;
        let total = English.amount(bar.total);
        let above = marks(&svg, "text")
            .into_iter()
            .find(|mark| mark.text == total && (mark.number("x") - middle).abs() <= 1.0);
        let above = above.expect("the total is written over its bar");
        assert!(above.number("y") < f64::from(bar.frame.top));
        assert_eq!(above.attr("font-weight"), "bold");
    }
}

#[test]
fn a_capacity_in_range_is_a_line_and_one_out_of_range_is_named() {
    let step = step(2);
    let theme = Theme::light();
    let draw = |capacity| {
        let figure = PhasesFigure {
            step: &step,
            capacity: Some(capacity),
            previous: None,
            held: None,
            measure: Measure::Live,
            cursor: None,
        };
        svg_phases(&figure, &look(&theme, &English), WIDE, None).expect("memory only")
    };
    let lines = |svg: &str| {
        marks(svg, "rect")
            .iter()
            .filter(|m| m.attr("fill") == theme.limit.css().to_uppercase())
            .count()
    };
    assert!(lines(&draw(Bytes::gib(31))) >= 1);
    let far = draw(Bytes::gib(140));
    assert_eq!(lines(&far), 0);
    assert!(text(&far, "usable 140 GiB").is_some());
}

#[test]
fn the_change_since_the_last_peak_is_written_with_its_sign() {
    let step = step(2);
    let previous = (
        step.peak.phase,
        step.peak.composition.total() + Bytes::gib(3),
    );
    let theme = Theme::light();
    let figure = PhasesFigure {
        step: &step,
        capacity: None,
        previous: Some(previous),
        held: None,
        measure: Measure::Live,
        cursor: None,
    };
    let svg = svg_phases(&figure, &look(&theme, &English), WIDE, None).expect("memory only");
    assert!(text(&svg, "\u{2212}3.00 GiB").is_some());
}

/// The drawing of a step whose former peak is marked, with its layout.
fn with_former(step: &StepReport, former: (Phase, Bytes)) -> (String, PhasesLayout) {
    let figure = PhasesFigure {
        step,
        capacity: None,
        previous: Some(former),
        held: None,
        measure: Measure::Live,
        cursor: None,
    };
    let theme = Theme::light();
    let svg = svg_phases(&figure, &look(&theme, &English), WIDE, None).expect("memory only");
    (svg, PhasesLayout::new(&figure, &theme, Unit::Binary, WIDE))
}

#[test]
fn the_former_peak_is_marked_on_the_bar_of_the_phase_that_bound_then() {
    let step = step(8);
    assert_ne!(step.peak.phase, Phase::OptimizerStep);
    let former = step.peak.composition.total() + Bytes::gib(2);
    let (svg, layout) = with_former(&step, (Phase::OptimizerStep, former));
    let y = layout.axis.scale.at(former);
    let bar = layout
        .bars
        .iter()
        .find(|bar| bar.phase == Phase::OptimizerStep);
    let frame = bar.expect("a step steps").frame;
    let text = Theme::light().text.css().to_uppercase();
    let dashes: Vec<f64> = marks(&svg, "rect")
        .iter()
        .filter(|mark| mark.attr("fill") == text && (mark.number("y") - f64::from(y)).abs() < 1.0)
        .map(|mark| mark.number("x"))
        .collect();
    assert!(!dashes.is_empty(), "there is a mark at its height");
    let near = |x: &f64| *x > f64::from(frame.left - 20) && *x < f64::from(frame.right + 20);
    assert!(dashes.iter().all(near), "{dashes:?} beside {frame:?}");
}

#[test]
fn a_former_peak_far_above_all_bars_is_an_arrow_and_leaves_the_scale_alone() {
    let step = step(2);
    let alone = with_former(&step, (Phase::Forward, Bytes(1))).1;
    let (svg, layout) = with_former(&step, (Phase::Forward, Bytes::gib(2048)));
    assert_eq!(layout.axis, alone.axis);
    let arrow = text(&svg, "\u{2191} 2.00 TiB").expect("the number is named at the edge");
    let bar = layout.bars.iter().find(|bar| bar.phase == Phase::Forward);
    let frame = bar.expect("a step begins with forward").frame;
    let middle = f64::from(frame.left + frame.right) / 2.0;
    assert!((arrow.number("x") - middle).abs() <= 1.0);
    let near = step.peak.composition.total() + Bytes::gib(1);
    let (_, wider) = with_former(&step, (Phase::Forward, near));
    assert!(
        wider.axis.scale.max >= near.get() as f64,
        "a near one is shown"
    );
}

#[test]
fn a_point_in_a_part_finds_it_and_keys_walk_over_all_of_them() {
    let step = step(8);
    let figure = PhasesFigure {
        step: &step,
        capacity: None,
        previous: None,
        held: None,
        measure: Measure::Live,
        cursor: None,
    };
    let layout = PhasesLayout::new(&figure, &Theme::light(), Unit::Binary, WIDE);
    for bar in &layout.bars {
        for segment in bar
            .segments
            .iter()
            .filter(|segment| segment.frame.height() > 0)
        {
            let (x, y) = (segment.frame.left + 1, segment.frame.top);
            let hit = layout.hit(x, y).expect("a bar is there");
            assert_eq!(
                (hit.phase, hit.category),
                (bar.phase, Some(segment.category))
            );
        }
    }
    assert_eq!(layout.hit(-5, 50), None);
    let mut walked = vec![
        layout
            .step(Some(Phase::Forward), -1)
            .expect("the first bar"),
    ];
    for _ in 1..layout.bars.len() {
        walked.push(layout.step(walked.last().copied(), 1).expect("a next bar"));
    }
    let phases: Vec<Phase> = layout.bars.iter().map(|bar| bar.phase).collect();
    assert_eq!(walked, phases);
    let first = layout.step_part(Phase::Backward, None, 1);
    assert_eq!(first, Some(Category::Parameters));
    assert_ne!(layout.step_part(Phase::Backward, first, 1), first);
}

#[test]
fn figures_of_any_size_draw_without_failing() {
    let step = step(2);
    let theme = Theme::light();
    for size in [(0, 0), (1, 1), (60, 40), (320, 200), (3000, 90)] {
        let figure = PhasesFigure {
            step: &step,
            capacity: Some(Bytes::gib(24)),
            previous: Some((Phase::Forward, Bytes(1))),
            held: None,
            measure: Measure::Live,
            cursor: None,
        };
        let svg = svg_phases(&figure, &look(&theme, &English), size, None).expect("memory only");
        assert!(svg.ends_with("</svg>\n"));
    }
}

#[test]
fn the_figures_are_kept_to_be_looked_at() {
    for (name, theme) in &themes() {
        for (width, height) in [(320, 260), (390, 280), (620, 300), (1200, 360)] {
            for batch in [2, 8] {
                let step = step(batch);
                let figure = PhasesFigure {
                    step: &step,
                    capacity: Some(Bytes::gib(if batch == 2 { 31 } else { 140 })),
                    previous: Some((Phase::Forward, Bytes::gib(26))),
                    held: None,
                    measure: Measure::Live,
                    cursor: None,
                };
                let english = look(theme, &English);
                let svg = svg_phases(&figure, &english, (width, height), None).expect("memory");
                keep(&format!("phases-{width}-{batch}-{name}"), &svg);
            }
        }
        let step = step(2);
        let figure = PhasesFigure {
            step: &step,
            capacity: Some(Bytes::gib(24)),
            previous: None,
            held: None,
            measure: Measure::Live,
            cursor: None,
        };
        let mut chinese = look(theme, &Chinese);
        chinese.highlight = Highlight::Category(Category::OptimizerStates);
        let caption = Caption {
            title: "Qwen2.5-1.5B：训练显存",
            configuration: "fp32 · AdamW (foreach) · 2 × 128",
            address: "https://example.org/highwater/?v=1&model=qwen2.5-1.5b&mb=2",
        };
        let svg = svg_phases(&figure, &chinese, (760, 420), Some(&caption)).expect("memory");
        keep(&format!("phases-export-{name}"), &svg);
        assert!(text(&svg, "?v=1&amp;model=qwen2.5-1.5b").is_some());
    }
}
