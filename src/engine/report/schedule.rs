//! The schedule of a pipeline as a picture: the computations of each rank over time, and how many micro-batches it
//! holds.

use crate::ask::Scenario;
use crate::sim::{Computation, Slot, schedule as slots};

/// The schedule of a rank of a pipeline in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankSchedule {
    /// Its actions, in order.
    pub slots: Vec<Slot>,
    /// From each moment on, how many micro-batches have gone forward on one of its stages whose backward pass
    /// has not ended: the number of micro-batches for which it keeps activations.
    pub in_flight: Vec<(u64, u64)>,
}

/// A pipeline's schedule, times in units of a forward pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The ranks in order.
    pub ranks: Vec<RankSchedule>,
    /// When the last of them is done.
    pub end: u64,
    /// The most micro-batches that one of them holds.
    pub most_in_flight: u64,
}

impl RankSchedule {
    fn of(slots: Vec<Slot>) -> Self {
        let mut changes: Vec<(u64, bool)> = Vec::with_capacity(slots.len());
        for slot in &slots {
            match slot.action.computation {
                Computation::Forward => changes.push((slot.start, true)),
                Computation::FullBackward | Computation::BackwardWeight => {
                    changes.push((slot.end, false));
                }
                _ => {}
            }
        }
        // An action that ends at a moment has ended before another one begins then.
        changes.sort_unstable();
        let mut now = 0_u64;
        let mut in_flight: Vec<(u64, u64)> = vec![(0, 0)];
        for (at, begins) in changes {
            now = if begins {
                now + 1
            } else {
                now.saturating_sub(1)
            };
            match in_flight.last_mut() {
                Some(last) if last.0 == at => last.1 = now,
                _ => in_flight.push((at, now)),
            }
        }
        Self { slots, in_flight }
    }

    /// The most micro-batches that it holds at a time.
    pub fn most_in_flight(&self) -> u64 {
        self.in_flight
            .iter()
            .map(|&(_, now)| now)
            .max()
            .unwrap_or(0)
    }

    /// The share of the time until `end` in which it computes.
    pub fn busy(&self, end: u64) -> f64 {
        let busy: u64 = self.slots.iter().map(|slot| slot.end - slot.start).sum();
        busy as f64 / end.max(1) as f64
    }
}

/// The schedule of a scenario's pipeline; nothing where there is none, or no answer.
pub fn schedule(scenario: &Scenario) -> Option<Schedule> {
    let spec = crate::resolve::resolve(scenario).spec?;
    let ranks: Vec<RankSchedule> = slots(&spec).into_iter().map(RankSchedule::of).collect();
    let ends = ranks.iter().filter_map(|rank| rank.slots.last());
    let end = ends.map(|slot| slot.end).max()?;
    let most = ranks.iter().map(RankSchedule::most_in_flight).max();
    Some(Schedule {
        most_in_flight: most.unwrap_or(0),
        ranks,
        end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(pipeline: &serde_json::Value) -> Schedule {
        let scenario = json!({"model": "llama-3.2-1b", "precision": "bf16", "seq_len": 64,
            "parallelism": {"pp": pipeline}});
        schedule(&serde_json::from_value(scenario).expect("a scenario")).expect("a pipeline")
    }

    #[test]
    fn as_many_micro_batches_are_in_flight_as_the_schedule_is_known_for() {
        let most = |name| {
            let schedule = of(&json!({"size": 4, "schedule": name, "microbatches": 8}));
            let ranks = schedule.ranks.iter().map(RankSchedule::most_in_flight);
            ranks.collect::<Vec<_>>()
        };
        assert_eq!(most("gpipe"), [8, 8, 8, 8]);
        assert_eq!(most("1f1b"), [4, 3, 2, 1]);
    }

    #[test]
    fn nothing_is_in_flight_in_the_end_and_no_rank_is_busy_all_the_time() {
        for name in ["gpipe", "1f1b", "interleaved", "zbv"] {
            let schedule = of(&json!({"size": 4, "schedule": name, "microbatches": 8}));
            for rank in &schedule.ranks {
                assert_eq!(
                    rank.in_flight.last().map(|&(_, now)| now),
                    Some(0),
                    "{name}"
                );
                assert!((0.5..1.0).contains(&rank.busy(schedule.end)), "{name}");
            }
        }
    }

    #[test]
    fn one_gpu_has_no_schedule() {
        assert_eq!(schedule(&Scenario::default()), None);
    }
}
