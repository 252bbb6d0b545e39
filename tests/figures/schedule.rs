//! The schedule of a pipeline.

use crate::drawing::{Chinese, English, keep, look, text, themes};
use highwater::chart::{ScheduleFigure, ScheduleHit, ScheduleLayout, Theme, Words, svg_schedule};
use highwater::report::{Schedule, schedule};
use serde_json::json;

const WIDE: (u32, u32) = (760, 280);

fn pipeline(name: &str, ranks: u64, micro_batches: u64) -> Schedule {
    let scenario = json!({"model": "llama-3.1-8b", "precision": "bf16", "seq_len": 64, "parallelism":
        {"pp": {"size": ranks, "schedule": name, "microbatches": micro_batches}}});
    schedule(&serde_json::from_value(scenario).expect("a scenario")).expect("a pipeline")
}

fn figure(schedule: &Schedule) -> ScheduleFigure<'_> {
    ScheduleFigure {
        schedule,
        rank: Some(1),
        cursor: None,
    }
}

#[test]
fn cells_of_a_rank_follow_one_another_and_keep_their_share_of_the_time() {
    for name in ["gpipe", "1f1b", "interleaved", "zbv"] {
        let schedule = pipeline(name, 4, 8);
        let layout = ScheduleLayout::new(&figure(&schedule), &Theme::light(), WIDE);
        assert!(layout.whole);
        for (row, rank) in layout.rows.iter().zip(&schedule.ranks) {
            assert_eq!(row.cells.len(), rank.slots.len());
            for pair in row.cells.windows(2) {
                assert!(pair[0].frame.right <= pair[1].frame.left, "{name}");
            }
            let unit = f64::from(layout.plot.width()) / schedule.end as f64;
            for cell in &row.cells {
                let length = (cell.slot.end - cell.slot.start) as f64 * unit;
                assert!(
                    (f64::from(cell.frame.width()) - length).abs() <= 1.0,
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn a_long_schedule_is_cut_off_where_it_could_not_be_read_and_says_so() {
    let schedule = pipeline("1f1b", 4, 400);
    let layout = ScheduleLayout::new(&figure(&schedule), &Theme::light(), WIDE);
    assert!(!layout.whole);
    let cells = layout.rows.iter().flat_map(|row| &row.cells);
    assert!(
        cells
            .clone()
            .all(|cell| cell.frame.right <= layout.plot.right)
    );
    assert!(cells.count() > 100);
    let theme = Theme::light();
    let svg = svg_schedule(&figure(&schedule), &look(&theme, &English), WIDE, None);
    let svg = svg.expect("memory only");
    assert!(text(&svg, "\u{2026} 4 in flight").is_some());
}

#[test]
fn keys_lead_along_a_rank_and_to_what_others_do_then() {
    let schedule = pipeline("1f1b", 4, 8);
    let layout = ScheduleLayout::new(&figure(&schedule), &Theme::light(), WIDE);
    let first = layout.along(None, 0);
    assert_eq!(first, Some(ScheduleHit { rank: 0, slot: 0 }));
    let end = layout.along(first, isize::MAX).expect("the last");
    assert_eq!(end.slot + 1, schedule.ranks[0].slots.len());
    let other = layout.across(Some(end), 2).expect("another rank");
    assert_eq!(other.rank, 2);
    assert_eq!(layout.across(Some(other), 9).map(|hit| hit.rank), Some(3));
    let frame = layout.rows[2].cells[other.slot].frame;
    assert_eq!(layout.hit(frame.left, frame.top + 1), Some(other));
    assert_eq!(ScheduleHit::from_number(other.number()), Some(other));
}

#[test]
fn ranks_are_named_with_what_they_hold_in_every_theme_and_language() {
    let schedule = pipeline("1f1b", 4, 8);
    for (name, theme) in themes() {
        let words: [(&str, &dyn Words); 2] = [("en", &English), ("zh", &Chinese)];
        for (language, words) in words {
            let svg = svg_schedule(&figure(&schedule), &look(&theme, words), WIDE, None)
                .expect("memory only");
            for (rank, of) in schedule.ranks.iter().enumerate() {
                for said in [words.rank(rank), words.in_flight(of.most_in_flight())] {
                    assert!(text(&svg, &said).is_some(), "{said}");
                }
            }
            keep(&format!("schedule-{name}-{language}"), &svg);
        }
    }
}

#[test]
fn nothing_panics_at_any_size() {
    for (ranks, micro_batches) in [(2, 2), (16, 64)] {
        let schedule = pipeline("1f1b", ranks, micro_batches);
        for size in [(1, 1), (3, 500), (120, 20), (2000, 30)] {
            let theme = Theme::light();
            svg_schedule(&figure(&schedule), &look(&theme, &English), size, None)
                .expect("memory only");
        }
    }
}
