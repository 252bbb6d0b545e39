//! Pipeline parallelism.

use super::beside::Beside;
use super::mesh::RANKS;
use super::refusal::not_estimated;
use super::sizes::Sizes;
use crate::ask::{
    ACCUMULATION, ActivationCheckpointing, AutocastStyle, DataParallelKind, EvaluationKind,
    Finding, Framework, Loss, MasterWeights, Parallelism, PipelineSchedule, Precision, Program,
    QuantizationType, Scenario, check_range, message,
};
use serde_json::Value;

/// The key of its ranks.
const SIZE: &str = "parallelism.pp.size";

/// The key of the schedule.
const SCHEDULE: &str = "parallelism.pp.schedule";

/// The key of the stages of a rank.
const STAGES: &str = "parallelism.pp.stages_per_rank";

/// The key of the micro-batches.
const MICROBATCHES: &str = "parallelism.pp.microbatches";

/// Refuses pipelines of models whose layers cannot be apart, or are not estimated so.
pub(super) fn refuse_model(
    scenario: &Scenario,
    has_stages: impl FnOnce() -> bool,
    findings: &mut Vec<Finding>,
) {
    if is_asked(scenario) && !has_stages() {
        let what = message!(parallelism::pipeline_of_model);
        findings.push(not_estimated(SIZE, &what, 1));
    }
}

/// Whether PyTorch's pipelines are asked for.
fn is_asked(scenario: &Scenario) -> bool {
    let parallelism = scenario.parallelism;
    parallelism.pp.size > 1 && parallelism.dp.kind != DataParallelKind::Megatron
}

/// Refuses settings that are not estimated beside a pipeline.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !is_asked(scenario) {
        return;
    }
    if scenario.precision == Precision::AmpFp16 {
        // `_check_scale_growth_tracker` (`torch/amp/grad_scaler.py`, torch 2.15).
        let finding = Finding::error("precision", message!(parallelism::scale_of_stages));
        findings.push(finding.with_fix("precision", Precision::AmpBf16.name()));
    }
    if converts_outputs(scenario) {
        // `prepare_pippy` (`accelerate/inference.py`), accelerate 1.15.
        let key = "autocast_style";
        let finding = Finding::error(key, message!(parallelism::conversion_of_stages));
        findings.push(finding.with_fix(key, AutocastStyle::Plain.name()));
    }
    let mut beside = |key: &str, is_asked: bool, repair: Value| {
        if is_asked {
            let why = message!(parallelism::beside_pipeline, key);
            findings.push(Finding::error(key, why).with_fix(key, repair));
        }
    };
    let Parallelism { dp, tp, pp, .. } = scenario.parallelism;
    let sharded = dp.kind == DataParallelKind::Fsdp2;
    beside(
        "parallelism.dp.kind",
        !sharded && dp.kind != DataParallelKind::None,
        DataParallelKind::Fsdp2.name().into(),
    );
    let offload = scenario.offload;
    for (key, is_asked) in [
        ("parallelism.dp.cpu_offload", sharded && dp.fsdp.cpu_offload),
        // Gradients are offloaded with the states only.
        ("offload.gradients", offload.gradients),
        ("offload.optimizer_states", offload.optimizer_states),
        ("offload.activations", offload.activations),
        ("optimizer.in_backward", scenario.optimizer.in_backward),
        ("padding_mask", scenario.has_padding()),
        ("keep_outputs", scenario.keep_outputs),
        (
            "parallelism.tp.loss_parallel",
            tp.size > 1 && tp.loss_parallel,
        ),
    ] {
        beside(key, is_asked, false.into());
    }
    let accumulation = scenario.gradient_accumulation_steps;
    beside("gradient_accumulation_steps", accumulation > 1, 1.into());
    for Beside { key, is_asked, fix } in adapters(scenario) {
        beside(key, is_asked, fix);
    }
    beside(
        "quantization.type",
        scenario.quantization.is_on(),
        QuantizationType::None.name().into(),
    );
    beside(
        "frozen",
        !scenario.frozen.is_empty(),
        Value::Array(Vec::new()),
    );
    beside(
        "optimizer.master_weights",
        scenario.optimizer.master_weights != MasterWeights::None,
        MasterWeights::None.name().into(),
    );
    let labels = Loss::Labels;
    beside("loss", scenario.loss != labels, labels.name().into());
    let training = Program::Training;
    beside(
        "program",
        scenario.program != training,
        training.name().into(),
    );
    let none = EvaluationKind::None;
    beside(
        "evaluation.kind",
        scenario.program == training && scenario.evaluation.kind != none,
        none.name().into(),
    );
    let mean = scenario.dataset.length_mean;
    beside("dataset.length_mean", mean.is_some(), Value::Null);
    let newest = Framework::Torch215Transformers523;
    beside(
        "framework",
        scenario.framework != newest && scenario.framework != Framework::Torch215MegatronCore016,
        newest.name().into(),
    );
    if pp.schedule.splits_backward() {
        let schedule = pp.schedule.name();
        let none = ActivationCheckpointing::None;
        if scenario.activation_checkpointing != none {
            let key = "activation_checkpointing";
            let why = message!(parallelism::split_checkpoints, schedule);
            findings.push(Finding::error(key, why).with_fix(key, none.name()));
        }
        if sharded {
            let why = message!(parallelism::split_shards, schedule);
            let whole = PipelineSchedule::Interleaved.name();
            findings.push(Finding::error(SCHEDULE, why).with_fix(SCHEDULE, whole));
        }
    }
}

/// Whether each forward pass has a region of autocast of its own, whose outputs are converted: a pipeline has one around a
/// step.
fn converts_outputs(scenario: &Scenario) -> bool {
    scenario.precision.autocasts() && scenario.autocast_style == AutocastStyle::Accelerate
}

/// Adapters with which stages are not estimated.
fn adapters(scenario: &Scenario) -> Vec<Beside> {
    let Some(lora) = &scenario.lora else {
        return Vec::new();
    };
    let none = || Value::Array(Vec::new());
    vec![
        Beside::new(
            "lora.modules_to_save",
            !lora.modules_to_save.is_empty(),
            none(),
        ),
        Beside::new(
            "lora.target_parameters",
            !lora.target_parameters.is_empty(),
            none(),
        ),
        Beside::new("lora.use_dora", lora.use_dora, false.into()),
    ]
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
    check_range(STAGES, asked.stages(), &(1..=1024), findings);
    check_range(MICROBATCHES, batches, &ACCUMULATION, findings);
    if findings.len() > before {
        return;
    }
    let schedule = asked.schedule.name();
    if asked.schedule == PipelineSchedule::None {
        let why = message!(parallelism::no_schedule, size = asked.size);
        let usual = PipelineSchedule::OneForwardOneBackward.name();
        findings.push(Finding::error(SCHEDULE, why).with_fix(SCHEDULE, usual));
    }
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
