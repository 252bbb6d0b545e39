//! Pipeline parallelism.

use super::mesh::RANKS;
use super::refusal::not_estimated;
use super::sizes::Sizes;
use crate::ask::{DataParallelKind, Finding, PipelineSchedule, Scenario, limits, message};

/// The key of its ranks.
const SIZE: &str = "parallelism.pp.size";

/// The key of the stages of a rank.
const STAGES: &str = "parallelism.pp.stages_per_rank";

/// The key of the micro-batches.
const MICROBATCHES: &str = "parallelism.pp.microbatches";

/// Pipeline parallelism is not estimated yet.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.parallelism.pp.size > 1 {
        let what = message!(parallelism::pipeline_parallelism);
        findings.push(not_estimated(SIZE, &what, 1));
    }
}

/// Refuses stages and micro-batches that the schedule does not work with
/// (`torch/distributed/pipelining/schedules.py`, torch 2.15; `schedules.py`, megatron-core 0.16.1).
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let asked = scenario.parallelism.pp;
    if asked.size < 2 || !RANKS.contains(&asked.size) {
        return;
    }
    let before = findings.len();
    let batches = asked.in_a_step();
    limits::check(STAGES, asked.stages(), &(1..=1024), findings);
    limits::check(MICROBATCHES, batches, &limits::ACCUMULATION, findings);
    if findings.len() > before {
        return;
    }
    let schedule = asked.schedule.name();
    let stages = match asked.schedule {
        PipelineSchedule::None
        | PipelineSchedule::GPipe
        | PipelineSchedule::OneForwardOneBackward => 1..=1,
        PipelineSchedule::ZeroBubbleV | PipelineSchedule::DualPipeV => 2..=2,
        PipelineSchedule::Interleaved
        | PipelineSchedule::LoopedBfs
        | PipelineSchedule::InterleavedZeroBubble => 2..=1024,
    };
    if !stages.contains(&asked.stages()) {
        let stages_of_rank = match *stages.end() {
            1 => message!(parallelism::one_stage),
            2 => message!(parallelism::two_stages),
            _ => message!(parallelism::more_stages),
        };
        let finding = Finding::error(
            STAGES,
            message!(
                parallelism::stages_of_schedule,
                schedule,
                stages = stages_of_rank
            ),
        );
        findings.push(finding.with_fix(STAGES, *stages.start()));
    }
    let megatron = scenario.parallelism.dp.kind == DataParallelKind::Megatron;
    let rounds = if megatron {
        batches.div_ceil(asked.size)
    } else {
        (batches / asked.size).max(1)
    };
    let (fits, fix) = match asked.schedule {
        PipelineSchedule::OneForwardOneBackward if !megatron => (batches >= asked.size, asked.size),
        PipelineSchedule::DualPipeV => (batches >= 2 * asked.size, 2 * asked.size),
        PipelineSchedule::Interleaved if megatron => {
            (batches.is_multiple_of(asked.size), rounds * asked.size)
        }
        PipelineSchedule::Interleaved | PipelineSchedule::InterleavedZeroBubble => {
            (batches.is_multiple_of(rounds), batches / rounds * rounds)
        }
        _ => (true, batches),
    };
    if !fits {
        let size = asked.size;
        let finding = Finding::error(
            MICROBATCHES,
            message!(
                parallelism::micro_batches,
                schedule,
                size,
                batches,
                nearest = fix
            ),
        );
        findings.push(finding.with_fix(MICROBATCHES, fix));
    }
}

/// Refuses more stages than layers; Megatron-Core's stages have equally many.
pub(super) fn check_layers(scenario: &Scenario, sizes: &Sizes, findings: &mut Vec<Finding>) {
    let asked = scenario.parallelism.pp;
    let Some(layers) = sizes.layers.filter(|_| asked.size > 1) else {
        return;
    };
    let stages = asked.size.saturating_mul(asked.stages());
    let megatron = scenario.parallelism.dp.kind == DataParallelKind::Megatron;
    let fits = |stages: u64| stages <= layers && (!megatron || layers.is_multiple_of(stages));
    if fits(stages) {
        return;
    }
    // Fewer stages on the same ranks, if they can have fewer; else fewer ranks.
    let finding = Finding::error(
        SIZE,
        message!(
            parallelism::layers,
            size = asked.size,
            each = asked.stages(),
            stages,
            layers
        ),
    );
    let nearest = (1..=asked.size)
        .rev()
        .find(|ranks| fits(ranks * asked.stages()));
    findings.push(finding.with_fix(SIZE, nearest.unwrap_or(1)));
}
