//! A measured run beside a predicted one.

use crate::drawing::{English, keep, look, text, themes};
use highwater::chart::{
    HeldAt, History, HistoryFigure, HistoryHit, HistoryLayout, Theme, Unit, svg_history,
};
use highwater::units::Bytes;

const WIDE: (u32, u32) = (760, 280);

fn moments(top: u64) -> Vec<HeldAt> {
    let height = |event: u64| Bytes(top.min(event.min(40 - event) * (top / 16)));
    let moment = |event: u64| HeldAt {
        event,
        allocated: height(event),
        reserved: Bytes(top + (1 << 28)),
    };
    (0..40).map(moment).collect()
}

fn with<R>(f: impl FnOnce(&HistoryFigure) -> R) -> R {
    let [measured, predicted] = [moments(3 << 30), moments(2 << 30)];
    f(&HistoryFigure {
        runs: [
            History {
                title: "measured",
                moments: &measured,
            },
            History {
                title: "predicted",
                moments: &predicted,
            },
        ],
        cursor: Some(HistoryHit { run: 1, place: 5 }),
    })
}

#[test]
fn both_runs_share_a_scale_and_name_their_peaks() {
    with(|figure| {
        for (name, theme) in themes() {
            let svg = svg_history(figure, &look(&theme, &English), WIDE, None).expect("a drawing");
            for part in ["measured", "predicted", "3.00 GiB", "2.00 GiB"] {
                assert!(text(&svg, part).is_some(), "{name}: {part}");
            }
            keep(&format!("history-{name}"), &svg);
        }
    });
}

#[test]
fn the_pointer_and_keys_find_every_moment() {
    with(|figure| {
        let layout = HistoryLayout::new(figure, &Theme::light(), Unit::Binary, WIDE);
        for run in 0..2 {
            let frame = layout.runs[run];
            let first = layout.hit(frame.left).expect("the first moment");
            assert_eq!(first, HistoryHit { run, place: 0 });
            let last = layout.hit(frame.right - 1).expect("the last moment");
            assert_eq!(last, HistoryHit { run, place: 39 });
            assert_eq!(layout.step(first, 3).place, 3);
            assert_eq!(layout.step(last, isize::MAX), last);
            assert_eq!(layout.step(last, isize::MIN), first);
            let number = HistoryLayout::number(run, 7);
            assert_eq!(HistoryLayout::hit_of(number), HistoryHit { run, place: 7 });
        }
        assert_eq!(layout.hit(0), None);
    });
}

#[test]
fn nothing_panics_at_any_size_or_without_moments() {
    let theme = Theme::dark();
    for size in [(0, 0), (1, 1), (40, 30), (3000, 2000)] {
        with(|figure| svg_history(figure, &look(&theme, &English), size, None).map(|_| ()))
            .expect("a drawing");
    }
    let none = History {
        title: "",
        moments: &[],
    };
    let figure = HistoryFigure {
        runs: [none; 2],
        cursor: None,
    };
    svg_history(&figure, &look(&theme, &English), WIDE, None).expect("a drawing");
}
