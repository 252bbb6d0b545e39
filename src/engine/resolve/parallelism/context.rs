//! Context parallelism.

use super::refusal::not_estimated;
use super::sizes::{Sizes, must_divide};
use crate::ask::{
    Attention, ContextParallelKind, DataParallelKind, EvaluationKind, Finding, Framework, Loss,
    Message, Program, Scenario, SdpaBackend, Task, message,
};
use crate::model::{Architecture, AttentionKind, DecoderConfig, HeadDim, Transformers};
use crate::resolve::training;
use crate::units::DType;
use serde_json::Value;

/// The key of its ranks.
const SIZE: &str = "parallelism.cp.size";

/// Positions of which memory-efficient attention gives the log of the softmax's sums at once: ring attention
/// takes as many as there are queries.
const SUMS: u64 = 32;

/// Refuses ranks that the sequence is not divided among, and what the libraries refuse beside it or is not
/// estimated.
pub(super) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    sizes: &Sizes,
    findings: &mut Vec<Finding>,
) {
    let asked = scenario.parallelism.cp;
    if asked.size < 2 || scenario.parallelism.dp.kind == DataParallelKind::Megatron {
        return;
    }
    let before = findings.len();
    match asked.kind {
        ContextParallelKind::Ring => check_pieces(scenario, findings),
        ContextParallelKind::Ulysses => check_heads(scenario, sizes, findings),
    }
    if findings.len() == before {
        check_lengths(scenario, findings);
    }
    check_model(scenario, architecture, findings);
    check_run(scenario, architecture, findings);
}

/// Ring attention gives each rank a piece from the head of the sequence and one from the tail
/// (`_HeadTailLoadBalancer`, torch 2.15).
fn check_pieces(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let (size, tokens) = (
        scenario.parallelism.cp.size,
        scenario.padded(scenario.seq_len),
    );
    let pieces = size.saturating_mul(2);
    if !tokens.is_multiple_of(pieces) {
        let finding = Finding::error(
            SIZE,
            message!(parallelism::ring_pieces, key = SIZE, size, tokens, pieces),
        );
        let fits = |ranks: &u64| tokens.is_multiple_of(2 * ranks);
        let ranks = (1..=size).rev().find(fits).unwrap_or(1);
        findings.push(finding.with_fix(SIZE, ranks));
    }
}

/// Ulysses exchanges pieces of the sequence for heads; heads of keys and values are repeated where there are
/// fewer than ranks (`UlyssesSPAttentionHF.__init__`, deepspeed 0.19.8).
fn check_heads(scenario: &Scenario, sizes: &Sizes, findings: &mut Vec<Finding>) {
    let (size, tokens) = (
        scenario.parallelism.cp.size,
        scenario.padded(scenario.seq_len),
    );
    let whole = [
        (message!(parallelism::tokens), Some(tokens)),
        (message!(parallelism::heads), sizes.heads),
    ];
    let before = findings.len();
    must_divide(SIZE, size, &whole, findings);
    let (heads, shared) = (sizes.heads.unwrap_or(1), sizes.key_value_heads.unwrap_or(1));
    let repeats = |ranks: u64| shared.is_multiple_of(ranks) || ranks.is_multiple_of(shared.max(1));
    if findings.len() > before || repeats(size) {
        return;
    }
    let things = message!(parallelism::key_value_heads);
    let finding = Finding::error(
        SIZE,
        message!(
            parallelism::not_divided,
            key = SIZE,
            ranks = size,
            count = shared,
            things
        ),
    );
    let fits = |ranks: &u64| {
        tokens.is_multiple_of(*ranks) && heads.is_multiple_of(*ranks) && repeats(*ranks)
    };
    let ranks = (1..=size).rev().find(fits).unwrap_or(1);
    findings.push(finding.with_fix(SIZE, ranks));
}

/// Tokens that the length of a sample is a multiple of.
fn unit(scenario: &Scenario) -> u64 {
    let size = scenario.parallelism.cp.size;
    match scenario.parallelism.cp.kind {
        ContextParallelKind::Ulysses => size,
        ContextParallelKind::Ring if is_efficient(scenario) => size.saturating_mul(2 * SUMS),
        ContextParallelKind::Ring => size.saturating_mul(2),
    }
}

/// Whether sdpa takes its memory-efficient kernel.
fn is_efficient(scenario: &Scenario) -> bool {
    let autocast = scenario.precision.autocasts();
    let quantization = &scenario.quantization;
    let dtype = if quantization.is_on() {
        quantization.embedding_dtype()
    } else {
        scenario.gathered_weights()
    };
    scenario.sdpa_backend == Some(SdpaBackend::Efficient) || (!autocast && dtype == DType::Float32)
}

/// Refuses pieces that memory-efficient attention has sums of more positions for, and usual samples that are
/// not divided.
fn check_lengths(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let (unit, tokens) = (unit(scenario), scenario.padded(scenario.seq_len));
    let pads = "pad_to_multiple_of";
    if !tokens.is_multiple_of(unit) {
        let why = message!(parallelism::pieces_of_kernel, tokens, unit);
        let (down, up) = (tokens / unit * unit, tokens.next_multiple_of(unit));
        let nearest = if down > 0 && tokens - down <= up - tokens {
            down
        } else {
            up
        };
        let finding = Finding::error("seq_len", why);
        findings.push(if scenario.pad_to_multiple_of.is_some() {
            finding.with_fix(pads, unit)
        } else {
            finding.with_fix("seq_len", nearest)
        });
        return;
    }
    let usual = scenario.usual_lengths();
    if let Some([mean, _]) = usual.filter(|[mean, _]| !mean.is_multiple_of(unit)) {
        let why = message!(parallelism::usual_pieces, mean, unit);
        let finding = Finding::error("dataset.length_mean", why);
        findings.push(finding.with_fix(pads, unit));
    }
}

/// Refuses models whose layers do not attend to all tokens before them.
fn check_model(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let mut refuse = |why: Message| findings.push(Finding::error(SIZE, why).with_fix(SIZE, 1));
    let Architecture::Decoder(config) = architecture else {
        return refuse(message!(parallelism::context_models));
    };
    // `_attach_context_parallel_hooks` and `_refuse_recurrent_layers_under_sequence_parallelism`
    // (`accelerate/big_modeling.py`, 1.15).
    if config.windowed.contains(&true) || !config.mixers.is_empty() {
        return refuse(message!(parallelism::context_layers));
    }
    if !is_known(scenario, config) {
        refuse(message!(parallelism::context_models));
    }
}

/// Whether attention over a part of the sequence is estimated of a decoder.
fn is_known(scenario: &Scenario, config: &DecoderConfig) -> bool {
    let (_, parts) = config.put_together(Transformers::V5);
    let plain = parts.attention == AttentionKind::Rotary
        && parts.sinks.is_none()
        && config.latent.is_none()
        && config.gemma_layers.is_none()
        && config.altup.is_none()
        && config.images.is_none()
        && config.state_space.is_none()
        && config.kept_keys.is_none();
    // Positions are passed to it.
    let placed = config.family.generation.positions && !config.alibi;
    // DeepSpeed asks the config for its heads of keys and values.
    let ulysses = scenario.parallelism.cp.kind == ContextParallelKind::Ulysses;
    let shares = !matches!(config.family.sizes.head_dim, HeadDim::Divided);
    plain && placed && (!ulysses || shares)
}

/// Refuses what a run does besides.
fn check_run(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let (kind, asked) = (scenario.parallelism.dp.kind, scenario.parallelism.cp.kind);
    match asked {
        ContextParallelKind::Ring
            if !matches!(kind, DataParallelKind::None | DataParallelKind::Fsdp2) =>
        {
            refuse(
                "parallelism.dp.kind",
                message!(parallelism::ring_beside),
                DataParallelKind::Fsdp2.name().into(),
            );
        }
        ContextParallelKind::Ulysses if kind != DataParallelKind::DeepSpeedZero => refuse(
            "parallelism.dp.kind",
            message!(parallelism::ulysses_beside),
            DataParallelKind::DeepSpeedZero.name().into(),
        ),
        _ => {}
    }
    let framework = Framework::Torch215Transformers523;
    if scenario.framework != framework {
        let why = message!(parallelism::context_framework, framework = framework.name());
        refuse("framework", why, framework.name().into());
    }
    if training::attention(scenario, architecture) != Attention::Sdpa {
        let why = message!(parallelism::context_attention);
        refuse("attention", why, Attention::Sdpa.name().into());
    } else if scenario.sdpa_backend == Some(SdpaBackend::Math) && asked == ContextParallelKind::Ring
    {
        refuse(
            "sdpa_backend",
            message!(parallelism::context_kernel),
            Value::Null,
        );
    }
    if scenario.has_padding() {
        let why = message!(parallelism::context_mask);
        refuse("padding_mask", why, false.into());
    }
    let what = message!(parallelism::context_parallelism);
    let mut not_known = |key: &str, differs: bool, fix: &str| {
        if differs {
            let beside = message!(parallelism::beside, what, key);
            findings.push(not_estimated(key, &beside, fix));
        }
    };
    let trains = scenario.program == Program::Training;
    not_known("program", !trains, Program::Training.name());
    let evaluates = trains && scenario.evaluation.kind != EvaluationKind::None;
    not_known("evaluation.kind", evaluates, EvaluationKind::None.name());
    let labels = scenario.loss == Loss::Labels;
    not_known("loss", !labels, Loss::Labels.name());
    let others = scenario.task.is_some_and(|task| task != Task::CausalLm);
    not_known("task", others, Task::CausalLm.name());
    if training::fills_cache(scenario, architecture) {
        let beside = message!(parallelism::beside, what, key = "use_cache");
        findings.push(not_estimated("use_cache", &beside, false));
    }
    if scenario.parallelism.ep.size > 1 {
        let beside = message!(parallelism::beside, what, key = "parallelism.ep.size");
        findings.push(not_estimated(SIZE, &beside, 1));
    }
    if scenario.parallelism.pp.size > 1 && asked == ContextParallelKind::Ulysses {
        // `UlyssesSPAttentionHF`, deepspeed 0.19.8.
        let why = message!(parallelism::ulysses_of_stages);
        findings.push(Finding::error(SIZE, why).with_fix(SIZE, 1));
    }
}
