//! Models of flash-linear-attention: their sizes and options.

use super::{
    ActivationCheckpointing, Architecture, EvaluationKind, Finding, Framework, Precision, Program,
    QuantizationType, Scenario, StateSpace, evaluation, training,
};

/// A model of flash-linear-attention: layers that mix tokens by a recurrence, each with an MLP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlaConfig {
    /// How tokens are mixed.
    pub mixer: FlaMixer,
    /// H.
    pub hidden_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// Heads.
    pub num_heads: u64,
    /// Columns of a head's keys.
    pub head_k_dim: u64,
    /// Columns of a head's values.
    pub head_v_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// Whether `lm_head` shares the embedding's weight.
    pub tie_word_embeddings: bool,
    /// Tokens that the short convolutions of queries, keys and values reach, if there are any.
    pub short_conv: Option<u64>,
    /// Whether the mixer's result is gated.
    pub output_gate: bool,
    /// Whether the norm of the mixer's result has a weight.
    pub affine: bool,
    /// Positions for which layers with attention keep cosines and sines at least.
    pub max_position_embeddings: u64,
    /// Whether tokens go through the recurrence one by one where the library does not choose
    /// (`attn_mode` of HGRN).
    pub one_by_one: bool,
    /// Whether the forget gates of a layer have a bound that is learned for all layers together.
    pub lower_bounds: bool,
    /// Layers with attention in the place of the mixer.
    pub attention: Vec<FlaAttention>,
    /// The state space that mixes tokens, in layers without an MLP.
    pub state_space: Option<FlaStateSpace>,
    /// What runs in fused kernels.
    pub fused: FlaFused,
}

/// Sizes and options of Mamba and Mamba 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlaStateSpace {
    /// The sizes; heads are Mamba 2's.
    pub sizes: StateSpace,
    /// Whether the projections have a bias.
    pub bias: bool,
}

/// Layers with attention of the flash-attn package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlaAttention {
    /// Their indices.
    pub layers: Vec<u64>,
    /// Heads of queries.
    pub num_heads: u64,
    /// Heads of keys and values.
    pub num_kv_heads: u64,
    /// Whether the projections to queries, keys and values have a bias.
    pub qkv_bias: bool,
    /// Whether heads of queries and keys are normalized.
    pub qk_norm: bool,
}

/// Columns of a group that the gated norm of Mamba 2 takes: 64 KiB of float32 (`layer_norm_fwd`,
/// `fla/modules/layernorm_gated.py`).
pub(super) const NORM_WIDTH: u64 = 16_384;

/// How a layer mixes tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlaMixer {
    /// Gated linear attention.
    Gla,
    /// The delta rule.
    DeltaNet,
    /// The delta rule with a decay.
    GatedDeltaNet,
    /// Retention.
    RetNet,
    /// Gated linear recurrence.
    Hgrn,
    /// The same whose state is expanded.
    Hgrn2,
    /// Attention, in every layer.
    Attention,
    /// Mamba.
    Mamba,
    /// Mamba 2.
    Mamba2,
}

/// What runs in fused kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlaFused {
    /// Norms.
    pub norm: bool,
    /// The MLP's activation and last layer.
    pub swiglu: bool,
    /// The loss.
    pub cross_entropy: bool,
    /// The loss and the layer that gives the logits, together.
    pub linear_cross_entropy: bool,
}

impl FlaConfig {
    /// Columns of all queries.
    pub fn key_dim(&self) -> u64 {
        self.num_heads * self.head_k_dim
    }

    /// Columns of all values.
    pub fn value_dim(&self) -> u64 {
        self.num_heads * self.head_v_dim
    }

    /// The attention of a layer that has one.
    pub fn attention_of(&self, layer: u64) -> Option<&FlaAttention> {
        let mut all = self.attention.iter();
        all.find(|attention| attention.layers.contains(&layer))
    }
}

/// Refuses options that these models do not have here.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Architecture::Fla(config) = architecture else {
        return;
    };
    if scenario.quantization.is_on() {
        let (english, chinese) = match config.mixer {
            FlaMixer::Mamba | FlaMixer::Mamba2 => (
                "Quantized models of flash-linear-attention's Mamba and Mamba 2 are not estimated yet.",
                "暂不支持估算 flash-linear-attention 的 Mamba 与 Mamba 2 量化模型。",
            ),
            _ => (
                "Models of flash-linear-attention read their weights directly and cannot be quantized.",
                "flash-linear-attention 的模型直接读取权重，无法量化。",
            ),
        };
        findings.push(
            Finding::error("quantization.type", english, chinese)
                .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
    findings.extend(failing_before_060(scenario, config));
    if config.lower_bounds
        && scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant
    {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                "The forget gates of the layers of HGRN and HGRN2 share their bounds: gradients cannot go back \
                 through them from each re-entrant checkpoint. Use full.",
                "HGRN 与 HGRN2 各层的遗忘门共用下界，可重入的激活重计算无法逐层反向传播；请使用 full。",
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::Full.name(),
            ),
        );
    }
    if scenario.precision == Precision::Fp32
        && let Some((english, chinese)) = without_float32(config)
    {
        findings.push(
            Finding::error(
                "precision",
                format!("{english} take no float32; use bf16 or amp_bf16."),
                format!("{chinese}不支持 float32；请使用 bf16 或 amp_bf16。"),
            )
            .with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}

/// What fails in the library that goes with transformers 4 (0.2.2), whatever the values are.
fn failing_before_060(scenario: &Scenario, config: &FlaConfig) -> Option<Finding> {
    /// Tokens up to which layers do not run chunk by chunk.
    const SHORT: u64 = 64;
    if scenario.framework == Framework::Torch215Transformers523 {
        return None;
    }
    let evaluation = evaluation::resolve(scenario);
    let trains = scenario.program != Program::Evaluation;
    let own = evaluation
        .micro_batch_size
        .unwrap_or(scenario.micro_batch_size);
    let most = match (trains, evaluation.kind) {
        (true, EvaluationKind::None) => scenario.micro_batch_size,
        (true, _) => own.max(scenario.micro_batch_size),
        (false, _) => own,
    };
    let generates = evaluation.kind == EvaluationKind::Generate;
    let masked = training::padding_mask(scenario) && most > 1;
    let (english, chinese) = match config.mixer {
        FlaMixer::Mamba2
            if config
                .state_space
                .is_some_and(|own| own.sizes.inner > NORM_WIDTH) =>
        {
            (
                "Mamba 2 of flash-linear-attention 0.2.2 normalizes up to 16384 columns",
                "flash-linear-attention 0.2.2 的 Mamba 2 最多归一化 16384 列",
            )
        }
        FlaMixer::RetNet if generates => (
            "RetNet of flash-linear-attention 0.2.2 generates from the last token of a prompt alone",
            "flash-linear-attention 0.2.2 的 RetNet 生成时只读取提示的最后一个词元",
        ),
        FlaMixer::RetNet if masked => (
            "RetNet of flash-linear-attention 0.2.2 fails where several samples have a mask",
            "flash-linear-attention 0.2.2 的 RetNet 在多个样本带掩码时会报错",
        ),
        FlaMixer::GatedDeltaNet
            if trains && training::padded(scenario, scenario.seq_len) <= SHORT =>
        {
            (
                "Gated DeltaNet of flash-linear-attention 0.2.2 trains on more than 64 tokens only",
                "flash-linear-attention 0.2.2 的 Gated DeltaNet 只能在超过 64 个词元的序列上训练",
            )
        }
        _ => return None,
    };
    let recent = Framework::Torch215Transformers523.name();
    let finding = Finding::error(
        "framework",
        format!("{english}; use {recent}, with which 0.6.0 goes."),
        format!("{chinese}；请使用搭配 0.6.0 的 {recent}。"),
    );
    Some(finding.with_fix("framework", recent))
}

/// The kernels of a model that take no float32.
fn without_float32(config: &FlaConfig) -> Option<(&'static str, &'static str)> {
    if !config.attention.is_empty() {
        return Some(("The kernels of flash-attn", "flash-attn 的内核"));
    }
    let delta = matches!(config.mixer, FlaMixer::DeltaNet | FlaMixer::GatedDeltaNet);
    delta.then_some(("The kernels of DeltaNet", "DeltaNet 的内核"))
}
