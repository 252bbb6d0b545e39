//! The figure of what fits over two numbers.

use crate::drawing::{English, keep, look, themes};
use highwater::chart::{MapFigure, MapLayout, Rgb, Theme, svg_map};
use highwater::decide::{Axis, CellCounts, MapCell, MemoryMap, Question};
use serde_json::json;
use std::sync::OnceLock;

const WIDE: (u32, u32) = (760, 340);

fn map() -> &'static MemoryMap {
    static MAP: OnceLock<MemoryMap> = OnceLock::new();
    MAP.get_or_init(|| {
        let asked = json!({"model": "qwen2.5-0.5b", "precision": "fp32", "micro_batch_size": 1,
            "seq_len": 64,
            "hardware": {"gpu": "t4"}});
        let asked = serde_json::from_value(asked).expect("a scenario");
        let axis = |name| Axis::named(name).expect("an axis");
        let axes = [&axis("micro_batch_size"), &axis("seq_len")];
        let mut map = MemoryMap::new(&asked, axes, 16).expect("a map");
        map.settle();
        map
    })
}

fn figure() -> MapFigure<'static> {
    MapFigure {
        map: map(),
        titles: ["micro-batch size", "sequence length"],
        current: Some([3, 3]),
        cursor: Some([10, 6]),
    }
}

#[test]
fn cells_cover_the_plot_and_the_pointer_finds_each() {
    let layout = MapLayout::new(&figure(), &Theme::light(), WIDE);
    let [width, height] = layout.count;
    for y in 0..height {
        for x in 0..width {
            let frame = layout.cell([x, y]);
            assert!(frame.width() > 0 && frame.height() > 0);
            assert_eq!(layout.hit(frame.left, frame.top), Some([x, y]));
            assert_eq!(layout.hit(frame.right - 1, frame.bottom - 1), Some([x, y]));
        }
    }
    assert_eq!(layout.cell([0, 0]).bottom, layout.plot.bottom);
    assert_eq!(
        layout.cell([width - 1, height - 1]).right,
        layout.plot.right
    );
    assert_eq!(layout.hit(layout.plot.left - 1, layout.plot.top), None);
    assert_eq!(layout.step([0, 0], [1, 1]), [1, 1]);
    assert_eq!(layout.step([0, 0], [-1, -3]), [0, 0]);
    assert_eq!(layout.step([1, 1], [99, 99]), [width - 1, height - 1]);
}

#[test]
fn the_line_parts_cells_that_fit_from_those_that_do_not() {
    let CellCounts {
        known: all,
        fitting,
        ..
    } = map().counts();
    assert!(0 < fitting && fitting < all, "{fitting} of {all}");
    let phases = (0..all).filter_map(|number| match map().cell(map().place_of(number)) {
        Some(MapCell::Needs(point)) => Some(point.binding),
        _ => None,
    });
    let phases: std::collections::BTreeSet<_> = phases.collect();
    assert!(phases.len() > 1, "{phases:?}");
    for (name, theme) in themes() {
        let svg = svg_map(&figure(), &look(&theme, &English), WIDE, None).expect("a drawing");
        let Rgb(r, g, b) = theme.limit;
        let color = format!("#{r:02X}{g:02X}{b:02X}");
        assert!(svg.contains(&color), "{name}");
        keep(&format!("map-{name}"), &svg);
    }
}

#[test]
fn nothing_panics_at_any_size() {
    for size in [(0, 0), (1, 1), (40, 30), (320, 200), (3000, 2000)] {
        let theme = Theme::dark();
        svg_map(&figure(), &look(&theme, &English), size, None).expect("a drawing");
    }
}
