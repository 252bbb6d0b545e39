//! The figure of a rank's memory against the number of GPUs.

use crate::drawing::{Chinese, English, keep, look, text, themes};
use highwater::chart::{GpusFigure, GpusLayout, Theme, Unit, Words, svg_gpus};
use highwater::decide::{GpusCurve, Sharding, gpus_curve};
use serde_json::json;
use std::sync::OnceLock;

const WIDE: (u32, u32) = (760, 280);

fn curves() -> &'static [GpusCurve] {
    static CURVES: OnceLock<Vec<GpusCurve>> = OnceLock::new();
    CURVES.get_or_init(|| {
        let scenario = json!({"model": "llama-3.2-1b", "precision": "bf16", "seq_len": 512,
            "model_overrides": {"num_hidden_layers": 4}});
        gpus_curve(&serde_json::from_value(scenario).expect("a scenario"))
    })
}

fn figure() -> GpusFigure<'static> {
    GpusFigure {
        curves: curves(),
        sharding: Some(Sharding::Fsdp2),
        current: 8,
        cursor: Some(2),
    }
}

fn layout() -> GpusLayout {
    GpusLayout::new(&figure(), &Theme::light(), Unit::Binary, WIDE)
}

#[test]
fn a_line_falls_with_the_number_of_gpus_and_stays_above_its_floor() {
    let layout = layout();
    let line = layout
        .lines
        .iter()
        .find(|line| line.sharding == Sharding::Fsdp2);
    let points = &line.expect("a line").points;
    assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0));
    // Rows that do not divide are padded: a few more GPUs can take a little more each.
    let falls = |pair: &[(i32, i32)]| pair[0].1 < pair[1].1;
    let steps = points.len() - 1;
    assert!(points.windows(2).filter(|pair| falls(pair)).count() * 2 > steps);
    assert!(points[0].1 < points[steps].1);
    let floor = layout.axis.scale.at(layout.floor.expect("a floor"));
    assert!(points.iter().all(|point| point.1 <= floor));
    assert!(floor < layout.plot.bottom);
}

#[test]
fn keys_and_the_pointer_lead_to_numbers_that_were_looked_at() {
    let layout = layout();
    for &gpus in &layout.counts {
        assert_eq!(layout.hit(layout.gpus.x(gpus)), Some(gpus));
    }
    assert_eq!(layout.hit(layout.plot.left - 1), None);
    assert_eq!(layout.step(8, 1), Some(16));
    assert_eq!(layout.step(8, -1), Some(4));
    assert_eq!(layout.step(1, -1), Some(1));
}

#[test]
fn every_sharding_and_the_floor_are_named_in_every_theme_and_language() {
    for (name, theme) in themes() {
        let words: [(&str, &dyn Words); 2] = [("en", &English), ("zh", &Chinese)];
        for (language, words) in words {
            let svg = svg_gpus(&figure(), &look(&theme, words), WIDE, None).expect("memory only");
            for curve in curves() {
                assert!(text(&svg, words.sharding(curve.sharding)).is_some());
            }
            let floor = layout().floor.expect("a floor");
            let floor = words.floor(floor).replace('\u{a0}', " ");
            assert!(text(&svg, &floor).is_some());
            keep(&format!("gpus-{name}-{language}"), &svg);
        }
    }
}

#[test]
fn nothing_panics_at_any_size_or_without_curves() {
    let theme = Theme::light();
    let empty = GpusFigure {
        curves: &[],
        sharding: None,
        ..figure()
    };
    for figure in [figure(), empty] {
        for size in [(1, 1), (3, 500), (120, 20), (2000, 30)] {
            svg_gpus(&figure, &look(&theme, &English), size, None).expect("memory only");
        }
    }
}
