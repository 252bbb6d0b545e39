//! Program order as a horizontal axis.
//!
//! Events have no duration, so a phase is as wide as it has events, but never too narrow to be
//! seen: each gets a small equal share of the width first.

use crate::chart::geometry::pixel;
use crate::report::PhaseSpan;

/// The narrowest phase, in CSS pixels, while all of them fit.
const NARROWEST: f64 = 22.0;
/// Fewer events than this are not zoomed into.
const FEWEST: u32 = 4;
/// The gap between two steps, in CSS pixels.
const STEP_GAP: i32 = 10;

/// A phase's place on the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The phase, with the events of it that are shown.
    pub span: PhaseSpan,
    /// Left edge in CSS pixels.
    pub x0: i32,
    /// Right edge in CSS pixels.
    pub x1: i32,
}

impl Section {
    /// The place of an event, in CSS pixels.
    fn x(&self, event: u32) -> i32 {
        let events = f64::from((self.span.end - self.span.start).max(1));
        let along = f64::from(event.saturating_sub(self.span.start)).min(events) / events;
        self.x0 + pixel(along * f64::from(self.x1 - self.x0))
    }
}

/// Sections from left to right, with gaps between steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramScale {
    /// The phases that are shown.
    pub sections: Vec<Section>,
}

impl ProgramScale {
    /// Shares `left..right` among the phases of the first and the last step, or of the window.
    pub fn new(spans: &[PhaseSpan], window: Option<(u32, u32)>, (left, right): (i32, i32)) -> Self {
        let last = spans.last().map_or(0, |span| span.step);
        let shown: Vec<PhaseSpan> = spans
            .iter()
            .filter_map(|&span| match window {
                None => (span.step == 0 || span.step == last).then_some(span),
                Some((start, end)) => {
                    let start = span.start.max(start);
                    let end = span.end.min(end);
                    (start < end).then_some(PhaseSpan { start, end, ..span })
                }
            })
            .collect();
        let new_step = |i: usize| i > 0 && shown[i].step != shown[i - 1].step;
        let gaps = (0..shown.len()).filter(|&i| new_step(i)).count();
        let gaps = i32::try_from(gaps).unwrap_or(0) * STEP_GAP;
        let width = f64::from((right - left - gaps).max(0));
        let count = shown.len() as f64;
        let narrowest = NARROWEST.min(width / (2.0 * count.max(1.0)));
        let events: f64 = shown
            .iter()
            .map(|span| f64::from(span.end - span.start))
            .sum();
        let share = (width - narrowest * count) / events.max(1.0);
        let mut at = f64::from(left);
        let mut sections = Vec::with_capacity(shown.len());
        for (i, &span) in shown.iter().enumerate() {
            if new_step(i) {
                at += f64::from(STEP_GAP);
            }
            let x0 = pixel(at);
            at += narrowest + share * f64::from(span.end - span.start);
            sections.push(Section {
                span,
                x0,
                x1: pixel(at),
            });
        }
        Self { sections }
    }

    /// The place of an event; none when it is not shown.
    pub fn x(&self, event: u32) -> Option<i32> {
        let at = self
            .sections
            .partition_point(|section| section.span.end <= event);
        let section = self.sections.get(at)?;
        (section.span.start <= event).then(|| section.x(event))
    }

    /// The place of an event, or of the next one that is shown; the right end after the last.
    pub fn x_near(&self, event: u32) -> i32 {
        let at = self
            .sections
            .partition_point(|section| section.span.end <= event);
        match self.sections.get(at) {
            Some(section) if section.span.start <= event => section.x(event),
            Some(section) => section.x0,
            None => self.sections.last().map_or(0, |section| section.x1),
        }
    }

    /// The section at a place, the nearest one beside gaps and edges; none when nothing is shown.
    pub fn section_at(&self, x: i32) -> Option<&Section> {
        let at = self.sections.partition_point(|section| section.x1 <= x);
        self.sections.get(at).or(self.sections.last())
    }

    /// The events between two places, in either order, as `start..end`; none when they are too
    /// few to be a choice.
    pub fn between(&self, x0: i32, x1: i32) -> Option<(u32, u32)> {
        let (start, end) = (self.event_at(x0.min(x1))?, self.event_at(x0.max(x1))?);
        (start + FEWEST <= end).then_some((start, end))
    }

    /// The event at a place, for brushing; the nearest one beside gaps and edges.
    pub fn event_at(&self, x: i32) -> Option<u32> {
        let section = self.section_at(x)?;
        let wide = f64::from((section.x1 - section.x0).max(1));
        let along = f64::from((x - section.x0).clamp(0, section.x1 - section.x0)) / wide;
        let events = f64::from(section.span.end - section.span.start);
        Some(section.span.start + pixel(along * events).unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Phase;

    fn spans() -> Vec<PhaseSpan> {
        let ends = [2, 300, 700, 704, 705];
        let phases = [
            Phase::Data,
            Phase::Forward,
            Phase::Backward,
            Phase::OptimizerStep,
            Phase::ZeroGrad,
        ];
        let mut spans = Vec::new();
        for step in 0..3 {
            let mut start = step * 705;
            for (&phase, &end) in phases.iter().zip(&ends) {
                let end = step * 705 + end;
                spans.push(PhaseSpan {
                    step,
                    micro_batch: 0,
                    phase,
                    start,
                    end,
                });
                start = end;
            }
        }
        spans
    }

    #[test]
    fn the_first_and_the_last_step_are_shown_and_the_middle_is_left_out() {
        let scale = ProgramScale::new(&spans(), None, (40, 1040));
        let steps: Vec<u32> = scale
            .sections
            .iter()
            .map(|section| section.span.step)
            .collect();
        assert_eq!(steps, [0, 0, 0, 0, 0, 2, 2, 2, 2, 2]);
        assert_eq!((scale.sections[0].x0, scale.sections[9].x1), (40, 1040));
        assert_eq!(scale.x(800), None);
    }

    #[test]
    fn every_phase_can_be_seen_however_few_events_it_has() {
        for (left, right) in [(40, 320), (40, 1200)] {
            let scale = ProgramScale::new(&spans(), None, (left, right));
            for section in &scale.sections {
                assert!(section.x1 - section.x0 >= 10, "{section:?}");
            }
        }
    }

    #[test]
    fn places_and_events_lead_to_each_other() {
        let scale = ProgramScale::new(&spans(), None, (40, 1040));
        for event in [0, 1, 2, 150, 299, 300, 650, 1410, 2000] {
            let x = scale.x(event).expect("the event is shown");
            let back = scale.event_at(x).expect("something is there");
            assert!(back.abs_diff(event) <= 1, "{event} -> {x} -> {back}");
        }
    }

    #[test]
    fn a_window_shows_its_events_only() {
        let scale = ProgramScale::new(&spans(), Some((200, 400)), (0, 500));
        let shown: Vec<(Phase, u32, u32)> = scale
            .sections
            .iter()
            .map(|section| (section.span.phase, section.span.start, section.span.end))
            .collect();
        assert_eq!(
            shown,
            [(Phase::Forward, 200, 300), (Phase::Backward, 300, 400)]
        );
    }
}
