//! The highest point of each phase in program order: the twin of the timeline.

use crate::report::Timeline;
use crate::sim::Phase;
use crate::units::Bytes;

/// The highest point of one phase of one micro-batch of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasePeak {
    /// Step, from 1.
    pub step_number: u32,
    /// Micro-batch, from 1.
    pub micro_batch_number: u32,
    /// The phase.
    pub phase: Phase,
    /// Live storages.
    pub tensors: Bytes,
    /// `torch.cuda.memory_allocated()` there.
    pub allocated: Bytes,
    /// `torch.cuda.memory_reserved()` there.
    pub reserved: Bytes,
}

/// The highest point of each phase, in program order.
pub fn phase_peaks(timeline: &Timeline) -> Vec<PhasePeak> {
    timeline
        .spans
        .iter()
        .filter_map(|span| {
            let from = timeline.points.partition_point(|p| p.event < span.start);
            let to = timeline.points.partition_point(|p| p.event < span.end);
            let points = timeline.points.get(from..to)?;
            let highest = points
                .iter()
                .max_by_key(|point| point.composition.total())?;
            Some(PhasePeak {
                step_number: span.step + 1,
                micro_batch_number: span.micro_batch + 1,
                phase: span.phase,
                tensors: highest.composition.total(),
                allocated: highest.allocated,
                reserved: highest.reserved,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Composition, PhaseSpan, TimelinePoint};
    use crate::tape::Category;

    fn point(event: u32, bytes: u64) -> TimelinePoint {
        let mut composition = Composition::default();
        composition.change(Category::Activations, bytes);
        TimelinePoint {
            event,
            composition,
            allocated: Bytes(bytes),
            reserved: Bytes(2 * bytes),
        }
    }

    #[test]
    fn each_phase_shows_its_own_highest_point() {
        let span = |phase, start, end| PhaseSpan {
            step: 0,
            micro_batch: 0,
            phase,
            start,
            end,
        };
        let timeline = Timeline {
            points: [5, 9, 7, 30, 2]
                .iter()
                .enumerate()
                .map(|(at, &bytes)| point(u32::try_from(at).unwrap_or(0), bytes))
                .collect(),
            spans: vec![span(Phase::Forward, 0, 3), span(Phase::Backward, 3, 5)],
            peak: 3,
        };
        let peaks = phase_peaks(&timeline);
        let seen: Vec<(Phase, u64)> = peaks.iter().map(|p| (p.phase, p.tensors.get())).collect();
        assert_eq!(seen, [(Phase::Forward, 9), (Phase::Backward, 30)]);
    }
}
