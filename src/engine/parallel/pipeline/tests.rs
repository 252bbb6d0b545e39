//! Laws of every schedule, whatever its size.

use super::action::{Action, Computation};
use super::lowering::program;
use super::plan::Plan;
use super::schedule::of_plan;
use crate::ask::PipelineSchedule;
use std::collections::BTreeMap;

const SCHEDULES: [(PipelineSchedule, u64); 6] = [
    (PipelineSchedule::LoopedBfs, 3),
    (PipelineSchedule::Interleaved, 2),
    (PipelineSchedule::Interleaved, 4),
    (PipelineSchedule::InterleavedZeroBubble, 2),
    (PipelineSchedule::ZeroBubbleV, 2),
    (PipelineSchedule::DualPipeV, 2),
];

/// Pipelines of several sizes, with micro-batches that their schedules work with.
fn plans() -> impl Iterator<Item = Plan> {
    let sizes = [
        (2, 2),
        (2, 3),
        (2, 7),
        (3, 6),
        (4, 4),
        (4, 8),
        (4, 20),
        (8, 16),
    ];
    let plans = SCHEDULES
        .into_iter()
        .flat_map(move |(schedule, stages_of_rank)| {
            sizes.map(|(ranks, micro_batches)| Plan {
                schedule,
                ranks,
                stages_of_rank,
                micro_batches,
            })
        });
    plans.filter(|plan| {
        let rounds = (plan.micro_batches / plan.ranks).max(1);
        match plan.schedule {
            PipelineSchedule::DualPipeV => plan.micro_batches >= plan.stages(),
            PipelineSchedule::Interleaved | PipelineSchedule::InterleavedZeroBubble => {
                plan.micro_batches.is_multiple_of(rounds)
            }
            _ => true,
        }
    })
}

/// The actions of all ranks.
fn all(plan: Plan) -> Vec<Action> {
    let ranks = 0..plan.ranks;
    ranks.flat_map(|rank| program(plan, rank)).collect()
}

fn count(actions: &[Action], is_one: impl Fn(Computation) -> bool) -> u64 {
    let counted = actions.iter().filter(|action| is_one(action.computation));
    counted.count() as u64
}

#[test]
fn each_stage_does_every_micro_batch_once() {
    for plan in plans() {
        let actions = all(plan);
        let mut done: BTreeMap<(u64, u64), [u64; 3]> = BTreeMap::new();
        for action in &actions {
            let counts = done.entry((action.stage, action.micro_batch)).or_default();
            counts[0] += u64::from(action.computation == Computation::Forward);
            counts[1] += u64::from(action.computation.gives_input_gradient());
            counts[2] += u64::from(action.computation.gives_weight_gradients());
        }
        let pairs = plan.stages() * plan.micro_batches;
        assert_eq!(done.len() as u64, pairs, "{plan:?}");
        assert!(done.values().all(|counts| *counts == [1; 3]), "{plan:?}");
        let reduced = count(&actions, |what| what == Computation::ReduceGradients);
        assert_eq!(reduced, plan.stages(), "{plan:?}");
    }
}

#[test]
fn what_is_sent_is_received_and_waited_for_on_the_ranks_of_its_stages() {
    for plan in plans() {
        let crossing = (1..plan.stages())
            .filter(|&stage| plan.rank_of(stage) != plan.rank_of(stage - 1))
            .count() as u64;
        let actions = all(plan);
        for what in [
            Computation::SendForward,
            Computation::ReceiveForward,
            Computation::WaitSendForward,
            Computation::SendBackward,
            Computation::ReceiveBackward,
            Computation::WaitSendBackward,
        ] {
            let found = count(&actions, |computation| computation == what);
            assert_eq!(found, crossing * plan.micro_batches, "{plan:?} {what:?}");
        }
    }
}

#[test]
fn a_stage_has_what_it_computes_with() {
    for plan in plans() {
        for rank in 0..plan.ranks {
            let actions = program(plan, rank);
            let at = |stage, computation, micro_batch| {
                let action = Action::new(stage, computation, micro_batch);
                actions.iter().position(|other| *other == action)
            };
            for (i, action) in actions.iter().enumerate() {
                assert_eq!(plan.rank_of(action.stage), rank, "{plan:?} {action:?}");
                let local = |stage: u64| plan.rank_of(stage) == rank;
                let (from, needed) = match action.computation {
                    Computation::Forward if action.stage > 0 && !local(action.stage - 1) => {
                        (action.stage, Computation::ReceiveForward)
                    }
                    Computation::FullBackward | Computation::BackwardInput => {
                        (action.stage, Computation::Forward)
                    }
                    Computation::BackwardWeight => (action.stage, Computation::BackwardInput),
                    _ => continue,
                };
                let before = at(from, needed, action.micro_batch);
                assert!(before.is_some_and(|at| at < i), "{plan:?} {action:?}");
            }
        }
    }
}

#[test]
fn the_stages_of_a_rank_under_way_are_those_that_the_schedule_bounds() {
    for plan in plans() {
        let rounds = (plan.micro_batches / plan.ranks).max(1);
        let of_round = plan.micro_batches / rounds;
        for rank in 0..plan.ranks {
            let (mut under_way, mut most) = (0_u64, 0);
            for action in program(plan, rank) {
                under_way += u64::from(action.computation == Computation::Forward);
                most = most.max(under_way);
                under_way -= u64::from(action.computation.gives_weight_gradients());
            }
            let all = plan.stages_of_rank * plan.micro_batches;
            let hops = plan.ranks - 1 - rank;
            match plan.schedule {
                PipelineSchedule::LoopedBfs => assert_eq!(most, all, "{plan:?}"),
                PipelineSchedule::Interleaved => {
                    let bound = (plan.stages_of_rank - 1) * of_round + 2 * hops + 1;
                    assert_eq!(most, bound.min(all), "{plan:?} {rank}");
                }
                _ => assert!(most <= all, "{plan:?}"),
            }
        }
    }
}

#[test]
fn a_picture_of_a_schedule_has_everything_once_and_nothing_before_what_it_needs() {
    for plan in plans() {
        let slots: Vec<_> = of_plan(plan).into_iter().flatten().collect();
        let all = plan.stages() * plan.micro_batches;
        let ends = |computation: fn(Computation) -> bool| {
            let of = slots
                .iter()
                .filter(|slot| computation(slot.action.computation));
            of.map(|slot| {
                (
                    (slot.action.stage, slot.action.micro_batch),
                    (slot.start, slot.end),
                )
            })
            .collect::<BTreeMap<_, _>>()
        };
        let forwards = ends(|computation| computation == Computation::Forward);
        let backwards = ends(Computation::gives_input_gradient);
        let weights = ends(Computation::gives_weight_gradients);
        for of in [&forwards, &backwards, &weights] {
            assert_eq!(of.len() as u64, all, "{plan:?}");
        }
        for (&(stage, i), &(start, _)) in &forwards {
            let before = stage
                .checked_sub(1)
                .map_or(0, |before| forwards[&(before, i)].1);
            assert!(start >= before, "{plan:?}");
        }
        for (&(stage, i), &(start, _)) in &backwards {
            let next = backwards.get(&(stage + 1, i));
            let needed = next.map_or(forwards[&(stage, i)].1, |&(_, end)| end);
            assert!(
                start >= needed && weights[&(stage, i)].1 >= start,
                "{plan:?}"
            );
        }
    }
}

#[test]
fn one_forward_one_backward_fills_all_but_the_known_bubble() {
    for (ranks, micro_batches) in [(2, 4), (4, 8), (8, 8)] {
        for schedule in [
            PipelineSchedule::GPipe,
            PipelineSchedule::OneForwardOneBackward,
        ] {
            let plan = Plan {
                schedule,
                ranks,
                stages_of_rank: 1,
                micro_batches,
            };
            let picture = of_plan(plan);
            let end = picture.iter().flatten().map(|slot| slot.end).max();
            // The bubble of both is of `ranks - 1` forward and backward passes (arXiv 2104.04473, 2.2).
            assert_eq!(end, Some(3 * (micro_batches + ranks - 1)));
        }
    }
}
