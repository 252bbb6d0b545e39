//! The candidates of a search, in families and lines.

use super::options::{Freedom, PlanOptions};
use super::strategies::{is_of_megatron, strategies};
use crate::ask::{
    ActivationCheckpointing, Attention, DataParallelKind, Loss, Optimizer, OptimizerImpl,
    OptimizerName, Precision, Program, Scenario,
};
use crate::resolve::resolve;

/// Candidates that differ in checkpointing and in the micro-batch alone: the line that takes less memory first.
#[derive(Clone, Debug)]
pub(super) struct Family {
    pub(super) lines: Vec<Line>,
}

/// Candidates that differ in the micro-batch alone, the smallest first.
#[derive(Clone, Debug)]
pub(super) struct Line {
    scenario: Scenario,
    /// Samples that a rank sees in a step; nothing where ranks cannot share the samples of a step evenly.
    samples: Option<u64>,
    micro_batches: Vec<u64>,
}

impl Line {
    /// How many candidates there are.
    pub(super) fn len(&self) -> usize {
        self.micro_batches.len()
    }

    /// Samples of the micro-batch at a place.
    pub(super) fn micro_batch(&self, place: usize) -> Option<u64> {
        self.micro_batches.get(place).copied()
    }

    /// The scenario with that micro-batch, and with as many of them as make up a step.
    pub(super) fn candidate(&self, place: usize) -> Option<Scenario> {
        let (micro_batch, batches) = (self.micro_batch(place)?, self.batches(place)?);
        let mut to = with_batches(&self.scenario, |_| Some(batches))?;
        to.micro_batch_size = micro_batch;
        if steps_are_of_a_schedule(&to) {
            to.gradient_accumulation_steps = 1;
        }
        Some(to)
    }

    /// Micro-batches of a step at a place.
    pub(super) fn batches(&self, place: usize) -> Option<u64> {
        Some(self.samples? / self.micro_batch(place)?.max(1))
    }

    /// Ranks that see different data, where they cannot share the samples of a step evenly.
    pub(super) fn undivided(&self) -> Option<u64> {
        self.samples.is_none().then(|| data_ranks(&self.scenario))
    }
}

/// Whether the micro-batches of a step are those of a schedule.
fn steps_are_of_a_schedule(scenario: &Scenario) -> bool {
    scenario.parallelism.pp.size > 1 || is_of_megatron(&scenario.parallelism)
}

/// The scenario with another number of micro-batches in a step.
pub(in crate::decide) fn with_batches(
    scenario: &Scenario,
    batches: impl FnOnce(u64) -> Option<u64>,
) -> Option<Scenario> {
    let mut to = scenario.clone();
    if steps_are_of_a_schedule(scenario) {
        let pp = &mut to.parallelism.pp;
        pp.microbatches = Some(batches(pp.in_a_step())?);
    } else {
        to.gradient_accumulation_steps = batches(scenario.gradient_accumulation_steps)?;
    }
    Some(to)
}

fn data_ranks(scenario: &Scenario) -> u64 {
    scenario.parallelism.mesh(&scenario.hardware).dp
}

/// Samples that an optimizer step sees over all GPUs.
pub(super) fn global_batch(scenario: &Scenario) -> u64 {
    let in_a_step = if steps_are_of_a_schedule(scenario) {
        scenario.parallelism.pp.in_a_step()
    } else {
        1
    };
    [
        scenario.gradient_accumulation_steps,
        in_a_step,
        data_ranks(scenario),
    ]
    .into_iter()
    .fold(scenario.micro_batch_size, u64::saturating_mul)
}

/// All candidates of a scenario.
pub(super) fn families(scenario: &Scenario, options: &PlanOptions) -> Vec<Family> {
    let batch = global_batch(scenario);
    let mut all = Vec::new();
    for divided in strategies(scenario, options) {
        for adapted in adapted(&divided, options) {
            for precise in precisions(&adapted, options) {
                for optimized in optimizers(&precise, options) {
                    for attending in attentions(&optimized, options) {
                        let lean = with_lean_loss(&attending, options);
                        all.extend(reducing_each(&lean, options, batch));
                        all.push(family(&lean, options, batch));
                    }
                }
            }
        }
    }
    all
}

/// Whether ranks that divide gradients keep them whole while they accumulate, and reduce them with the last micro-batch
/// of a step.
pub(in crate::decide) fn keeps_whole_gradients(scenario: &Scenario) -> bool {
    let dp = &scenario.parallelism.dp;
    let divides = matches!(dp.kind, DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2);
    divides && dp.no_sync && scenario.parallelism.pp.size <= 1
}

/// Reduces gradients after each micro-batch, if steps have several: more is sent, and none is
/// kept whole meanwhile.
fn reducing_each(scenario: &Scenario, options: &PlanOptions, batch: u64) -> Option<Family> {
    if !options.frees(Freedom::Parallelism) || !keeps_whole_gradients(scenario) {
        return None;
    }
    let mut to = scenario.clone();
    to.parallelism.dp.no_sync = false;
    let mut family = family(&to, options, batch);
    for line in &mut family.lines {
        let samples = line.samples?;
        line.micro_batches.retain(|size| *size < samples);
    }
    let any = family
        .lines
        .iter()
        .any(|line| !line.micro_batches.is_empty());
    any.then_some(family)
}

/// The scenario with the first loss that keeps no logits and works beside the rest: Liger's, in chunks, Cut
/// Cross-Entropy.
fn with_lean_loss(scenario: &Scenario, options: &PlanOptions) -> Scenario {
    let whole = scenario.loss == Loss::Labels
        && !scenario.liger_kernel.iter().any(|one| keeps_no_logits(one));
    if !whole || !options.frees(Freedom::Loss) || scenario.program != Program::Training {
        return scenario.clone();
    }
    let mut liger = scenario.clone();
    liger.liger_kernel.push(LIGER_LOSS.to_owned());
    let others = [Loss::Chunked, Loss::Cut].map(|loss| Scenario {
        loss,
        ..scenario.clone()
    });
    let mut all = std::iter::once(liger).chain(others);
    let works = |to: &Scenario| resolve(to).spec.is_some();
    all.find(works).unwrap_or_else(|| scenario.clone())
}

/// Liger's loss with the head.
const LIGER_LOSS: &str = "fused_linear_cross_entropy";

/// Whether one of Liger's kernels, or all of them, have the loss with the head.
fn keeps_no_logits(kernel: &str) -> bool {
    [LIGER_LOSS, "all"].contains(&kernel)
}

fn family(scenario: &Scenario, options: &PlanOptions, batch: u64) -> Family {
    use ActivationCheckpointing::{Full, FullReentrant, None, Operations};
    let own = scenario.activation_checkpointing;
    let checkpointing = match own {
        _ if !options.frees(Freedom::ActivationCheckpointing) => vec![own],
        None | Full => vec![Full, None],
        FullReentrant | Operations => vec![own, None],
    };
    let line = |&checkpointing: &ActivationCheckpointing| {
        let mut to = scenario.clone();
        to.activation_checkpointing = checkpointing;
        line(to, options, batch)
    };
    Family {
        lines: checkpointing.iter().map(line).collect(),
    }
}

fn line(scenario: Scenario, options: &PlanOptions, batch: u64) -> Line {
    let ranks = data_ranks(&scenario);
    let own = scenario.micro_batch_size;
    let samples = Some(batch / ranks.max(1)).filter(|samples| {
        let shared = *samples > 0 && batch.is_multiple_of(ranks);
        shared && (options.frees(Freedom::MicroBatchSize) || samples.is_multiple_of(own.max(1)))
    });
    let micro_batches = match samples {
        None => vec![own],
        Some(_) if !options.frees(Freedom::MicroBatchSize) => vec![own],
        Some(samples) => {
            let powers = (0..u64::BITS).map(|power| 1 << power);
            let divides = |size: &u64| samples.is_multiple_of(*size);
            let mut sizes: Vec<u64> = powers.take_while(divides).collect();
            if !sizes.contains(&samples) {
                sizes.push(samples);
            }
            sizes
        }
    };
    Line {
        scenario,
        samples,
        micro_batches,
    }
}

/// The scenario, and the same with what `change` makes of it for each of some values.
fn with_each<T>(scenario: &Scenario, values: &[T], change: fn(&mut Scenario, &T)) -> Vec<Scenario> {
    let changed = values.iter().map(|value| {
        let mut to = scenario.clone();
        change(&mut to, value);
        to
    });
    let changed = changed.filter(|to| to != scenario);
    std::iter::once(scenario.clone()).chain(changed).collect()
}

fn adapted(scenario: &Scenario, options: &PlanOptions) -> Vec<Scenario> {
    let none = scenario.lora.is_some() || scenario.quantization.is_on();
    let allowed = if none {
        &[]
    } else {
        options.allowed.as_slice()
    };
    with_each(scenario, allowed, |to, adapters| adapters.add_to(to))
}

fn precisions(scenario: &Scenario, options: &PlanOptions) -> Vec<Scenario> {
    let lower: &[Precision] = match scenario.precision {
        _ if !options.frees(Freedom::Precision) || scenario.quantization.is_on() => &[],
        Precision::Fp32 => &[Precision::AmpBf16, Precision::Bf16],
        Precision::AmpBf16 => &[Precision::Bf16],
        Precision::AmpFp16 => &[Precision::Fp16],
        Precision::Bf16 | Precision::Fp16 => &[],
    };
    with_each(scenario, lower, |to, &precision| to.precision = precision)
}

fn optimizers(scenario: &Scenario, options: &PlanOptions) -> Vec<Scenario> {
    let own = scenario.optimizer;
    if !options.frees(Freedom::Optimizer) || scenario.offload.optimizer_states {
        return vec![scenario.clone()];
    }
    let mut own_name = scenario.clone();
    if own.name.implementations().contains(&OptimizerImpl::Fused) {
        own_name.optimizer.implementation = OptimizerImpl::Fused;
    }
    let mut all = vec![own_name];
    if let Some(optimizer) = in_8_bits(own) {
        all.push(Scenario {
            optimizer,
            ..scenario.clone()
        });
    }
    all
}

/// The optimizer with states in 8 bits, where it has such a form.
pub(in crate::decide) fn in_8_bits(own: Optimizer) -> Option<Optimizer> {
    let plain = own.name == OptimizerName::AdamW && !own.amsgrad && !own.in_backward;
    plain.then_some(Optimizer {
        name: OptimizerName::AdamW8bit,
        implementation: OptimizerImpl::Fused,
        ..own
    })
}

fn attentions(scenario: &Scenario, options: &PlanOptions) -> Vec<Scenario> {
    use Attention::{Eager, FlashAttention2, Sdpa};
    let others: &[Attention] = match scenario.attention {
        _ if !options.frees(Freedom::Attention) => &[],
        Eager => &[Sdpa, FlashAttention2],
        // Without a mask it runs the same kernels.
        Sdpa if scenario.padding_mask != Some(true) => &[],
        Sdpa => &[FlashAttention2],
        FlashAttention2 => &[Sdpa],
    };
    with_each(scenario, others, |to, &attention| {
        to.attention = attention;
        to.sdpa_backend = None;
    })
}
