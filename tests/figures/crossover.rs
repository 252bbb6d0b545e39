//! Peak per phase against batch size.

use crate::data::{self, sweep};
use crate::drawing::{Chinese, English, keep, look, marks, text, themes};
use highwater::chart::{
    CrossoverFigure, CrossoverLayout, Highlight, Theme, Unit, Words, svg_crossover,
};
use highwater::report::Sweep;
use highwater::sim::Phase;
use highwater::units::Bytes;

const WIDE: (u32, u32) = (800, 340);

fn figure() -> CrossoverFigure<'static> {
    CrossoverFigure {
        sweep: sweep(),
        capacity: None,
        current: 2,
        cursor: None,
    }
}

fn layout(figure: &CrossoverFigure) -> CrossoverLayout {
    CrossoverLayout::new(figure, &Theme::light(), Unit::Binary, WIDE)
}

fn draw(figure: &CrossoverFigure) -> String {
    let theme = Theme::light();
    svg_crossover(figure, &look(&theme, &English), WIDE, None).expect("memory only")
}

#[test]
fn the_strong_line_changes_its_phase_where_the_sweep_says() {
    let figure = figure();
    let layout = layout(&figure);
    let phases: Vec<Phase> = layout.binding.iter().map(|stretch| stretch.phase).collect();
    assert_eq!(phases, [Phase::OptimizerStep, Phase::Backward]);
    let switch = sweep().switches[0];
    let x = layout.batch.x(switch.micro_batch_size);
    // The crossing itself lies between this size and the one before.
    let before = layout.batch.x(switch.micro_batch_size - 1);
    let start = layout.binding[1].points[0].0;
    assert!(before <= start && start <= x, "{before} {start} {x}");
    let svg = draw(&figure);
    let name = text(&svg, &English.switch(&switch)).expect("the crossing is named");
    assert!(name.number("y") < f64::from(layout.plot.top));
}

#[test]
fn every_line_is_named_at_its_end_and_no_two_names_overlap() {
    let svg = draw(&CrossoverFigure {
        capacity: Some(Bytes::gib(56)),
        ..figure()
    });
    let names = [
        "Forward",
        "Backward",
        "Optimizer step",
        "total (nvidia-smi)",
        "usable",
    ];
    let mut at: Vec<f64> = names
        .iter()
        .map(|name| {
            text(&svg, name)
                .unwrap_or_else(|| panic!("{name} is missing"))
                .number("y")
        })
        .collect();
    at.sort_by(f64::total_cmp);
    assert!(
        at.windows(2).all(|pair| pair[1] - pair[0] >= 14.0),
        "{at:?}"
    );
}

#[test]
fn sizes_far_beyond_the_capacity_are_left_out_but_never_the_configured_one() {
    let sweep = Sweep {
        largest_fitting: Some(12),
        ..sweep().clone()
    };
    let small = CrossoverFigure {
        sweep: &sweep,
        capacity: Some(Bytes::gib(40)),
        ..figure()
    };
    let (near, far) = (
        layout(&small),
        layout(&CrossoverFigure {
            current: 64,
            ..small
        }),
    );
    assert_eq!((near.batch.max, far.batch.max), (15, 64));
}

#[test]
fn a_point_on_a_line_finds_its_phase_and_keys_stop_at_what_happens() {
    let figure = figure();
    let layout = layout(&figure);
    let y = layout
        .y(Phase::OptimizerStep, 2)
        .expect("the line is there");
    let hit = layout.hit(layout.batch.x(2), y).expect("inside the plot");
    assert_eq!(
        (hit.micro_batch_size, hit.phase),
        (2, Some(Phase::OptimizerStep))
    );
    assert_eq!(layout.hit(0, y), None);
    let switch = sweep().switches[0].micro_batch_size;
    let mut size = 1;
    let mut seen = vec![size];
    while layout.step(sweep(), size, 1) != size {
        size = layout.step(sweep(), size, 1);
        seen.push(size);
    }
    assert!(seen.contains(&switch) && seen.ends_with(&[64]), "{seen:?}");
    assert_eq!(layout.step(sweep(), 3, 1), 4);
    assert_eq!(layout.step(sweep(), 3, -1), 2);
}

#[test]
fn the_configured_size_is_marked_on_every_line() {
    let figure = figure();
    let layout = layout(&figure);
    let svg = draw(&figure);
    let x = f64::from(layout.batch.x(2));
    let dots = marks(&svg, "circle");
    for line in &layout.lines {
        let fill = Theme::light().phase(line.phase).fill.css().to_uppercase();
        let dot = dots
            .iter()
            .find(|dot| dot.attr("fill") == fill && (dot.number("cx") - x).abs() < 0.5);
        assert!(dot.is_some(), "{:?}", line.phase);
    }
}

#[test]
fn sweeps_of_any_size_and_none_draw_without_failing() {
    let empty = Sweep {
        points: Vec::new(),
        switches: Vec::new(),
        largest_fitting: None,
    };
    let single = Sweep {
        points: sweep().points[..1].to_vec(),
        ..empty.clone()
    };
    let theme = Theme::dark();
    for sweep in [sweep(), &empty, &single] {
        for size in [(0, 0), (1, 1), (60, 40), (320, 200), (3000, 90)] {
            let figure = CrossoverFigure {
                sweep,
                capacity: Some(Bytes::gib(24)),
                current: 7,
                cursor: Some(1000),
            };
            let svg = svg_crossover(&figure, &look(&theme, &English), size, None);
            assert!(svg.expect("memory only").ends_with("</svg>\n"));
        }
    }
}

#[test]
fn the_figures_are_kept_to_be_looked_at() {
    for (name, theme) in themes() {
        for (width, height) in [(320, 260), (620, 320), (1200, 400)] {
            for (current, capacity) in [
                (2, data::run(2, 1).report.device.usable),
                (16, Bytes::gib(140)),
            ] {
                let figure = CrossoverFigure {
                    capacity: Some(capacity),
                    current,
                    ..figure()
                };
                let svg = svg_crossover(&figure, &look(&theme, &English), (width, height), None);
                keep(
                    &format!("crossover-{width}-{current}-{name}"),
                    &svg.expect("memory only"),
                );
            }
        }
        let mut chinese = look(&theme, &Chinese);
        chinese.highlight = Highlight::Phase(Phase::Backward);
        let figure = CrossoverFigure {
            cursor: Some(12),
            ..figure()
        };
        let svg = svg_crossover(&figure, &chinese, (700, 320), None).expect("memory only");
        keep(&format!("crossover-chinese-{name}"), &svg);
    }
}
