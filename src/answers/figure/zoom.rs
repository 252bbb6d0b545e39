//! Looking closer at the timeline.

use crate::report::Timeline;

/// Fewer events than this are not looked at more closely.
const FEWEST: f64 = 8.0;

/// The events to show when `share` of those shown now are, around the event `around`; none for the
/// whole run.
pub fn zoomed(
    timeline: &Timeline,
    window: Option<(u32, u32)>,
    around: u32,
    share: f64,
) -> Option<(u32, u32)> {
    let first = timeline.spans.first()?.start;
    let last = timeline.spans.last()?.end;
    let (start, end) = window.unwrap_or((first, last));
    let (start, end) = (f64::from(start), f64::from(end));
    let (first, last) = (f64::from(first), f64::from(last));
    let wanted = ((end - start) * share).max(FEWEST);
    if wanted + FEWEST >= last - first {
        return None;
    }
    // The point that the reader looks at stays where it is on the screen.
    let at = f64::from(around).clamp(start, end);
    let along = (at - start) / (end - start).max(1.0);
    let start = (at - along * wanted).clamp(first, last - wanted);
    Some((whole(start), whole(start + wanted)))
}

/// A number of events.
fn whole(events: f64) -> u32 {
    // A run has far fewer than 2^32 events, and `as` saturates.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = events.round() as u32;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::PhaseSpan;
    use crate::sim::Phase;

    fn timeline() -> Timeline {
        Timeline {
            points: Vec::new(),
            spans: vec![PhaseSpan {
                step: 0,
                micro_batch: 0,
                phase: Phase::Forward,
                start: 100,
                end: 1100,
            }],
            peak: 0,
        }
    }

    #[test]
    fn closer_and_back_is_where_one_was() {
        let timeline = timeline();
        let closer = zoomed(&timeline, None, 600, 0.5);
        assert_eq!(closer, Some((350, 850)));
        assert_eq!(zoomed(&timeline, closer, 600, 2.0), None);
    }

    #[test]
    fn one_stays_within_the_run_and_does_not_lose_the_place() {
        let timeline = timeline();
        let mut window = None;
        for _ in 0..20 {
            window = zoomed(&timeline, window, 110, 0.5);
            let (start, end) = window.expect("closer than the whole run");
            assert!((100..=110).contains(&start) && (110..=1100).contains(&end));
        }
        let (start, end) = window.expect("closer than the whole run");
        assert_eq!(end - start, 8);
    }
}
