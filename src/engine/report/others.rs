//! Answers of others: published formulas beside the simulation, and why they differ.
//!
//! Letters: N parameters, P bytes of a weight, L layers, B micro-batch, S sequence, H hidden,
//! A heads, V vocabulary.

use super::DeviceReport;
use crate::ask::{ActivationCheckpointing, Attention, OptimizerName, Precision, Program};
use crate::model::{ResolvedSpec, Uniform};
use crate::sim::{Phase, Trace};
use crate::tape::Category;
use crate::units::{Bytes, names};
use serde::{Deserialize, Serialize};

names! {
    /// A published formula.
    Method {
        /// `huggingface.co/blog/train_memory` (2024): N P + 2 N P + max(2 N P, activations).
        RuleOfThumb = "rule_of_thumb",
        /// `accelerate estimate-memory`, "Training using Adam" (accelerate 1.15,
        /// `commands/estimate.py`, `estimate_training_usage`).
        Accelerate = "accelerate",
        /// Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models,
        /// arXiv 2205.05198, equations 1, 2 and 5.
        Korthikanti = "korthikanti",
        /// Megatron-LM, `megatron/training/theoretical_memory_usage.py` (2025), one GPU.
        Megatron = "megatron",
        /// DeepSpeed, `estimate_zero2_model_states_mem_needs` (`runtime/zero/stage_1_and_2.py`),
        /// one GPU, without offload.
        DeepSpeed = "deepspeed",
    }
}

names! {
    /// The quantity that a formula gives.
    Quantity {
        /// The peak of GPU memory.
        Total = "total",
        /// Parameters, gradients and optimizer states.
        ModelStates = "model_states",
        /// Tensors that the forward pass keeps for backward.
        Activations = "activations",
    }
}

names! {
    /// Why a formula differs.
    Reason {
        /// It has no activations and no logits.
        NoActivations = "no_activations",
        /// Activations come from a regression over N, whatever the model, its attention and the
        /// checkpointing are; its numbers are bytes in fp32 that are multiplied by P again.
        Regression = "regression",
        /// It counts what fp16 training with fp32 master weights keeps, 18 or 20 bytes per
        /// parameter.
        MasterWeights = "master_weights",
        /// It is about a GPT layer in 16 bits: feed-forward of 4 H, GELU, three dropouts.
        GptLayer = "gpt_layer",
        /// Logits and the loss are not in it.
        NoLogits = "no_logits",
        /// It knows no activation checkpointing.
        NoCheckpointing = "no_checkpointing",
        /// It takes Adam's two states for granted.
        AssumesAdam = "assumes_adam",
        /// It takes all parameters as trained.
        AllTrained = "all_trained",
    }
}

/// One formula's answer beside the simulation's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Other {
    /// The formula.
    pub method: Method,
    /// The quantity.
    pub quantity: Quantity,
    /// The formula's bytes.
    pub says: Bytes,
    /// The simulation's bytes.
    pub here: Bytes,
    /// Why they differ.
    pub reasons: Vec<Reason>,
}

/// Sizes that the formulas ask for.
struct Letters {
    n: u128,
    p: u128,
    l: u128,
    b: u128,
    s: u128,
    h: u128,
    a: u128,
    v: u128,
}

/// Answers of the published formulas about a training run; nothing for other programs.
pub(super) fn others(spec: &ResolvedSpec, trace: &Trace, device: &DeviceReport) -> Vec<Other> {
    if spec.program != Program::Training {
        return Vec::new();
    }
    let x = letters(spec, trace);
    let mixed = spec.precision != Precision::Fp32;
    let is_transformer = x.l > 0;
    let said = [
        is_transformer.then(|| (Method::RuleOfThumb, Quantity::Total, rule_of_thumb(&x))),
        Some((Method::Accelerate, Quantity::Total, accelerate(&x, mixed))),
        is_transformer.then(|| (Method::Megatron, Quantity::Total, megatron(&x))),
        Some((Method::DeepSpeed, Quantity::ModelStates, 20 * x.n)),
        is_transformer.then(|| {
            (
                Method::Korthikanti,
                Quantity::Activations,
                korthikanti(&x, spec),
            )
        }),
    ];
    said.into_iter()
        .flatten()
        .map(|(method, quantity, bytes)| Other {
            method,
            quantity,
            says: Bytes(u64::try_from(bytes).unwrap_or(u64::MAX)),
            here: here(quantity, trace, device),
            reasons: reasons(method, spec, trace),
        })
        .collect()
}

fn letters(spec: &ResolvedSpec, trace: &Trace) -> Letters {
    let sizes = spec.architecture.uniform();
    let of = |size: fn(Uniform) -> u64| sizes.map_or(0, size).into();
    Letters {
        n: trace.num_parameters.into(),
        p: spec.weights.size().into(),
        l: of(|sizes| sizes.layers),
        b: spec.micro_batch_size.into(),
        s: spec.seq_len.into(),
        h: of(|sizes| sizes.hidden),
        a: of(|sizes| sizes.heads),
        v: of(|sizes| sizes.vocab_size),
    }
}

/// Parameters, two states, and the larger of gradients with the optimizer's intermediates and of
/// activations: `4.6894e-4 N + 1.8494e6` elements a token.
fn rule_of_thumb(x: &Letters) -> u128 {
    /// `4.6894e-4`, in units of 1e-8.
    const SLOPE: u128 = 46_894;
    const SCALE: u128 = 100_000_000;
    const OFFSET: u128 = 1_849_400;
    let elements = (SLOPE * x.n / SCALE + OFFSET) * x.b * x.s;
    3 * x.n * x.p + (2 * x.n * x.p).max(elements * x.p)
}

/// The largest of model, gradients, optimizer and step: four times the weights in fp32, twice
/// them in mixed precision. It always starts from fp32.
fn accelerate(x: &Letters, mixed: bool) -> u128 {
    if mixed { 2 * 4 * x.n } else { 4 * 4 * x.n }
}

/// 18 bytes a parameter, 34 S B H a layer, embedding and output, and 5 % of the activations.
fn megatron(x: &Letters) -> u128 {
    let tokens = x.s * x.b;
    let layers = tokens * x.h * 34 * x.l;
    let embedding = 8 * tokens + tokens * x.h;
    let output = 2 * (tokens * x.v + tokens * x.h);
    18 * x.n + (layers + embedding + output) * 105 / 100
}

/// S B H (34 + 5 A S / H) a layer; without the scores where attention does not keep them; 2 S B H
/// with full recomputation.
fn korthikanti(x: &Letters, spec: &ResolvedSpec) -> u128 {
    let hidden = x.s * x.b * x.h;
    let scores = 5 * x.a * x.s * x.s * x.b;
    let layer = match (spec.activation_checkpointing, spec.attention) {
        (ActivationCheckpointing::None, Attention::Eager) => 34 * hidden + scores,
        (ActivationCheckpointing::None, _) => 34 * hidden,
        _ => 2 * hidden,
    };
    x.l * layer
}

/// The simulation's figure of the same quantity.
fn here(quantity: Quantity, trace: &Trace, device: &DeviceReport) -> Bytes {
    const STATES: [Category; 4] = [
        Category::Parameters,
        Category::Gradients,
        Category::OptimizerStates,
        Category::MasterWeights,
    ];
    match quantity {
        Quantity::Total => device.run.peak_allocated,
        Quantity::Activations => Bytes(trace.saved_for_backward),
        Quantity::ModelStates => {
            let phases = &device.steady_step.phases;
            let step = phases.iter().find(|p| p.phase == Phase::OptimizerStep);
            let composition = step.map_or(device.steady_step.peak.composition, |p| p.composition);
            STATES.iter().map(|&part| composition.get(part)).sum()
        }
    }
}

fn reasons(method: Method, spec: &ResolvedSpec, trace: &Trace) -> Vec<Reason> {
    let own: &[Reason] = match method {
        Method::RuleOfThumb => &[Reason::Regression],
        Method::Accelerate => &[Reason::NoActivations],
        Method::Korthikanti => &[Reason::GptLayer, Reason::NoLogits],
        Method::Megatron => &[Reason::MasterWeights, Reason::GptLayer],
        Method::DeepSpeed => &[Reason::MasterWeights],
    };
    let checkpointing = spec.activation_checkpointing != ActivationCheckpointing::None;
    let knows_checkpointing = matches!(
        method,
        Method::Korthikanti | Method::Accelerate | Method::DeepSpeed
    );
    let counts_states = method != Method::Korthikanti;
    let adam = matches!(
        spec.optimizer.name,
        OptimizerName::Adam | OptimizerName::AdamW
    );
    let further = [
        (
            checkpointing && !knows_checkpointing,
            Reason::NoCheckpointing,
        ),
        (counts_states && !adam, Reason::AssumesAdam),
        (
            counts_states && trace.num_trainable < trace.num_parameters,
            Reason::AllTrained,
        ),
    ];
    let further = further
        .into_iter()
        .filter_map(|(is, reason)| is.then_some(reason));
    own.iter().copied().chain(further).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::report::estimate;

    fn said(scenario: &str) -> Vec<Other> {
        let scenario: Scenario = serde_json::from_str(scenario).expect("a scenario");
        estimate(&scenario).expect("an answer").report.others
    }

    fn of(method: Method, said: &[Other]) -> &Other {
        said.iter()
            .find(|other| other.method == method)
            .expect("it is there")
    }

    #[test]
    fn the_formulas_say_what_their_authors_publish() {
        let said = said(r#"{"model": "qwen2.5-1.5b", "micro_batch_size": 16, "seq_len": 256}"#);
        let n: u64 = 1_543_714_304;
        // The blog's own example: 6.17 GB of parameters, 31 GB without activations.
        assert_eq!(of(Method::Accelerate, &said).says, Bytes(16 * n));
        assert_eq!(of(Method::DeepSpeed, &said).says, Bytes(20 * n));
        let rule = of(Method::RuleOfThumb, &said).says.get();
        let activations = (n * 46_894 / 100_000_000 + 1_849_400) * 16 * 256 * 4;
        assert_eq!(rule, 12 * n + activations);
        // S B H (34) a layer, 28 layers of 1536.
        assert_eq!(
            of(Method::Korthikanti, &said).says,
            Bytes(28 * 34 * 16 * 256 * 1536)
        );
    }

    #[test]
    fn model_states_are_those_of_the_optimizer_step() {
        let said = said(r#"{"model": "gpt2", "seq_len": 64}"#);
        // Weights, gradients and two states in fp32, and a scalar for each tensor.
        let found = of(Method::DeepSpeed, &said).here.get();
        let exact = 16 * 124_439_808;
        assert!((exact..exact + exact / 1000).contains(&found), "{found}");
    }

    #[test]
    fn adapters_and_other_optimizers_are_among_the_reasons() {
        let said = said(
            r#"{"model": "qwen2.5-0.5b", "seq_len": 64, "lora": {"r": 8}, "optimizer": {"name": "sgd"}}"#,
        );
        let reasons = &of(Method::Accelerate, &said).reasons;
        assert!(reasons.contains(&Reason::AllTrained) && reasons.contains(&Reason::AssumesAdam));
    }
}
