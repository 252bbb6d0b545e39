//! Models of flash-linear-attention: their sizes and options, read with the library's defaults for
//! absent fields (`fla/models/*/configuration_*.py` of flash-linear-attention 0.6.0).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, VOCABULARY, WIDTH};
use super::modules::{Module, embedding, linear, other, output};
use super::{
    Architecture, EvaluationKind, Finding, Precision, Program, QuantizationType, Scenario,
    evaluation,
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
    /// What runs in fused kernels.
    pub fused: FlaFused,
}

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
}

/// Columns to which the MLP's width is rounded up (`GatedMLP`, `fla/modules/mlp.py`).
const MLP_MULTIPLE: u64 = 256;
/// Expansion factors, in thousandths.
const FACTOR: std::ops::RangeInclusive<u64> = 1..=64_000;

/// Reads a config. What is wrong is pushed to `fields`.
pub(super) fn read(mixer: FlaMixer, fields: &mut ConfigFields<'_>) -> FlaConfig {
    match mixer {
        FlaMixer::Gla => gla(fields),
        FlaMixer::DeltaNet => delta_net(fields),
        FlaMixer::GatedDeltaNet => gated_delta_net(fields),
        FlaMixer::RetNet => retnet(fields),
    }
}

/// What all models have in common; heads and options as a plain model has them.
fn common(mixer: FlaMixer, fields: &mut ConfigFields<'_>, heads: u64, ratio: u64) -> FlaConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 2048);
    let num_heads = fields.optional("num_heads", &HEADS, heads);
    let ratio = fields.optional("hidden_ratio", &(1..=64), ratio);
    let intermediate = (hidden_size * ratio * 2 / 3).next_multiple_of(MLP_MULTIPLE);
    only(fields, "hidden_act", &["swish"]);
    only(fields, "attn_mode", &["chunk"]);
    for field in ["attn", "attnres_block_size", "clamp_min", "feature_map"] {
        refuse(fields, field);
    }
    if fields.flag("use_l2warp", false) {
        refuse(fields, "use_l2warp");
    }
    FlaConfig {
        mixer,
        hidden_size,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, intermediate),
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 24),
        num_heads,
        head_k_dim: 1,
        head_v_dim: 1,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 32_000),
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
        short_conv: None,
        output_gate: true,
        affine: fields.flag("elementwise_affine", true),
        fused: fused(fields),
    }
}

fn fused(fields: &mut ConfigFields<'_>) -> FlaFused {
    let fused = FlaFused {
        norm: fields.flag("fuse_norm", true),
        swiglu: fields.flag("fuse_swiglu", true),
        cross_entropy: fields.flag("fuse_cross_entropy", true),
        linear_cross_entropy: fields.flag("fuse_linear_cross_entropy", false),
    };
    if fused.cross_entropy && fused.linear_cross_entropy {
        let key = fields.key("fuse_cross_entropy");
        fields.push(
            Finding::error(
                &key,
                "fuse_cross_entropy and fuse_linear_cross_entropy exclude each other.",
                "fuse_cross_entropy 与 fuse_linear_cross_entropy 不能同时启用。",
            )
            .with_fix("model_overrides.fuse_cross_entropy", false),
        );
    }
    fused
}

/// Refuses a text that is not one of `known`.
fn only(fields: &mut ConfigFields<'_>, field: &str, known: &[&str]) {
    let Some(given) = fields.text(field).filter(|name| !known.contains(name)) else {
        return;
    };
    let all = known.join(", ");
    let key = fields.key(field);
    let finding = Finding::error(
        &key,
        format!("{field} is {given:?}; supported: {all}."),
        format!("{field} 为 {given:?}；目前支持：{all}。"),
    );
    fields.push(match known.first() {
        Some(first) => finding.with_fix(&key, *first),
        None => finding,
    });
}

/// Refuses a field that says something, since what it asks for is not modelled.
fn refuse(fields: &mut ConfigFields<'_>, field: &str) {
    if fields.get(field).is_none() {
        return;
    }
    let key = fields.key(field);
    fields.push(
        Finding::error(
            &key,
            format!("{field} is not supported yet."),
            format!("暂不支持 {field}。"),
        )
        .with_fix(&key, serde_json::Value::Null),
    );
}

/// `width` times a factor, which must be a whole number that the heads divide: columns of a head.
fn expanded(
    fields: &mut ConfigFields<'_>,
    field: &str,
    default: u64,
    width: u64,
    heads: u64,
) -> u64 {
    let thousandths = match fields.get(field).and_then(serde_json::Value::as_f64) {
        Some(factor) => to_thousandths(factor),
        None if fields.get(field).is_some() => 0,
        None => default,
    };
    let product = width.saturating_mul(thousandths);
    let whole = heads.saturating_mul(1000);
    if FACTOR.contains(&thousandths) && product.is_multiple_of(whole) {
        return product / whole;
    }
    let key = fields.key(field);
    fields.push(
        Finding::error(
            &key,
            format!("{field} must make {width} columns a number that {heads} heads divide evenly."),
            format!("{field} 乘以 {width} 后必须能被 {heads} 个头整除。"),
        )
        .with_fix(&key, 1),
    );
    1
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked"
)]
fn to_thousandths(factor: f64) -> u64 {
    let thousandths = (factor * 1000.0).round();
    if (1.0..=64_000.0).contains(&thousandths) {
        thousandths as u64
    } else {
        0
    }
}

/// Refuses heads of keys or values that are not as many as those of queries.
fn check_shared(fields: &mut ConfigFields<'_>, field: &str, heads: u64) {
    let given = fields.optional(field, &HEADS, heads);
    if given == heads {
        return;
    }
    let key = fields.key(field);
    fields.push(
        Finding::error(
            &key,
            format!("{field} other than num_heads is not supported yet: {given} and {heads}."),
            format!("暂不支持 {field} 与 num_heads 不同：{given} 与 {heads}。"),
        )
        .with_fix(&key, heads),
    );
}

/// `conv_size` of a model whose convolutions are on.
fn short_conv(fields: &mut ConfigFields<'_>, default: bool) -> Option<u64> {
    let on = fields.flag("use_short_conv", default);
    on.then(|| fields.optional("conv_size", &(1..=64), 4))
}

fn gla(fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(FlaMixer::Gla, fields, 4, 4);
    let (hidden, heads) = (plain.hidden_size, plain.num_heads);
    check_shared(fields, "num_kv_heads", heads);
    FlaConfig {
        head_k_dim: expanded(fields, "expand_k", 500, hidden, heads),
        head_v_dim: expanded(fields, "expand_v", 1000, hidden, heads),
        short_conv: short_conv(fields, false),
        output_gate: fields.flag("use_output_gate", true),
        ..plain
    }
}

/// Refuses options that these models do not have here.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Architecture::Fla(config) = architecture else {
        return;
    };
    if scenario.quantization.is_on() {
        findings.push(
            Finding::error(
                "quantization.type",
                "Models of flash-linear-attention read their weights directly and cannot be quantized.",
                "flash-linear-attention 的模型直接读取权重，无法量化。",
            )
            .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
    if evaluation::resolve(scenario).kind != EvaluationKind::None {
        let (key, none) = match scenario.program {
            Program::Evaluation => ("program", Program::Training.name()),
            _ => ("evaluation.kind", EvaluationKind::None.name()),
        };
        findings.push(
            Finding::error(
                key,
                "Evaluation is not estimated yet for models of flash-linear-attention.",
                "暂不支持估算 flash-linear-attention 模型的评估过程。",
            )
            .with_fix(key, none),
        );
    }
    let delta = matches!(config.mixer, FlaMixer::DeltaNet | FlaMixer::GatedDeltaNet);
    if delta && scenario.precision == Precision::Fp32 {
        findings.push(
            Finding::error(
                "precision",
                "The kernels of DeltaNet take no float32; use bf16 or amp_bf16.",
                "DeltaNet 的内核不支持 float32；请使用 bf16 或 amp_bf16。",
            )
            .with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}

fn retnet(fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(FlaMixer::RetNet, fields, 8, 2);
    let (hidden, heads) = (plain.hidden_size, plain.num_heads);
    check_shared(fields, "num_kv_heads", heads);
    FlaConfig {
        head_k_dim: expanded(fields, "expand_k", 1000, hidden, heads),
        head_v_dim: expanded(fields, "expand_v", 2000, hidden, heads),
        short_conv: short_conv(fields, false),
        output_gate: fields.flag("use_output_gate", true),
        ..plain
    }
}

fn gated_delta_net(fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(FlaMixer::GatedDeltaNet, fields, 6, 4);
    let head_dim = fields.optional("head_dim", &WIDTH, 256);
    if fields.flag("allow_neg_eigval", false) {
        refuse(fields, "allow_neg_eigval");
    }
    check_shared(fields, "num_v_heads", plain.num_heads);
    FlaConfig {
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 21),
        head_k_dim: head_dim,
        head_v_dim: expanded(fields, "expand_v", 2000, head_dim, 1),
        short_conv: short_conv(fields, true),
        output_gate: fields.flag("use_gate", true),
        ..plain
    }
}

fn delta_net(fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(FlaMixer::DeltaNet, fields, 16, 4);
    let (hidden, heads) = (plain.hidden_size, plain.num_heads);
    only(fields, "qk_norm", &["l2"]);
    only(fields, "qk_activation", &["silu"]);
    if !fields.flag("use_beta", true) {
        refuse(fields, "use_beta");
    }
    if fields.flag("allow_neg_eigval", false) {
        refuse(fields, "allow_neg_eigval");
    }
    FlaConfig {
        head_k_dim: expanded(fields, "expand_k", 1000, hidden, heads),
        head_v_dim: expanded(fields, "expand_v", 1000, hidden, heads),
        short_conv: short_conv(fields, true),
        output_gate: fields.flag("use_gate", false),
        ..plain
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(config: &FlaConfig) -> Vec<Module> {
    let mut all = vec![embedding("model.embeddings")];
    for layer in 0..config.num_hidden_layers {
        let at = |name: &str| format!("model.layers.{layer}.{name}");
        all.push(other(at("attn_norm")));
        all.extend(match config.mixer {
            FlaMixer::Gla | FlaMixer::RetNet => gla_modules(config, &at),
            FlaMixer::DeltaNet | FlaMixer::GatedDeltaNet => delta_modules(config, &at),
        });
        all.push(other(at("mlp_norm")));
        all.extend(
            ["gate_proj", "up_proj", "down_proj"]
                .map(|name| linear(at(&format!("mlp.{name}")), false)),
        );
    }
    all.push(other("model.norm"));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}

fn gla_modules(config: &FlaConfig, at: &dyn Fn(&str) -> String) -> Vec<Module> {
    let mut all: Vec<Module> = ["attn.q_proj", "attn.k_proj", "attn.v_proj"]
        .map(|name| linear(at(name), false))
        .into();
    if config.output_gate {
        all.push(linear(at("attn.g_proj"), false));
    }
    if config.short_conv.is_some() {
        all.extend(["attn.q_conv1d", "attn.k_conv1d", "attn.v_conv1d"].map(|name| other(at(name))));
    }
    if config.mixer == FlaMixer::Gla {
        all.push(linear(at("attn.gk_proj.0"), false));
        all.push(linear(at("attn.gk_proj.1"), true));
    }
    all.push(linear(at("attn.o_proj"), false));
    if config.affine {
        let fused = config.fused.norm && config.output_gate;
        all.push(other(at(if fused {
            "attn.g_norm_swish_gate"
        } else {
            "attn.g_norm"
        })));
    }
    all
}

fn delta_modules(config: &FlaConfig, at: &dyn Fn(&str) -> String) -> Vec<Module> {
    let gated = config.mixer == FlaMixer::GatedDeltaNet;
    let mut all = Vec::new();
    if gated {
        all.push(Module {
            parameters: &["A_log", "dt_bias"],
            ..other(at("attn"))
        });
    }
    all.extend(["attn.q_proj", "attn.k_proj", "attn.v_proj"].map(|name| linear(at(name), false)));
    if gated {
        all.push(linear(at("attn.a_proj"), false));
    }
    all.push(linear(at("attn.b_proj"), false));
    if config.short_conv.is_some() {
        all.extend(["attn.q_conv1d", "attn.k_conv1d", "attn.v_conv1d"].map(|name| other(at(name))));
    }
    if config.output_gate {
        all.push(linear(at("attn.g_proj"), false));
    }
    all.extend([other(at("attn.o_norm")), linear(at("attn.o_proj"), false)]);
    all
}
