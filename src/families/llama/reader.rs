//! Reading the config of a Llama-like model, with transformers' defaults for absent fields
//! (`models/{llama,mistral,qwen2,qwen3}/configuration_*.py` of transformers 5.23).

use crate::ask::{Finding, Framework, HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::reading::{expert_modules, experts};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{
    Activation, DecoderConfig, DecoderType, Dropout, Module, embedding, linear, other, output,
};

/// Defaults by which the members of the family differ.
struct Defaults {
    intermediate_size: u64,
    vocab_size: u64,
    /// `num_key_value_heads` of a config without that field.
    num_key_value_heads: Option<u64>,
    /// `head_dim` of a config without that field; hidden size over heads when `None`.
    head_dim: Option<u64>,
    /// Whether the config's `attention_bias` is read. Mistral has no biases; Qwen2's are fixed.
    reads_attention_bias: bool,
    sliding_window: SlidingWindow,
}

/// When a member attends to a window only.
#[derive(Clone, Copy, PartialEq)]
enum SlidingWindow {
    /// Never.
    Never,
    /// In all layers, unless the field is null.
    All,
    /// In all layers, if the field is there.
    Given,
    /// In all layers, if `use_sliding_window` says so.
    Asked,
    /// In the layers from `max_window_layers` on, if `use_sliding_window` says so.
    Switched,
    /// In every second layer below `max_window_layers`, if `use_sliding_window` says so. A mask of
    /// a window is made in any case, of no width if it says no.
    EverySecond,
}

const fn defaults(model_type: DecoderType) -> Defaults {
    match model_type {
        DecoderType::Mistral => Defaults {
            intermediate_size: 14_336,
            vocab_size: 32_000,
            num_key_value_heads: Some(8),
            head_dim: None,
            reads_attention_bias: false,
            sliding_window: SlidingWindow::All,
        },
        DecoderType::Qwen2 => Defaults {
            intermediate_size: 22_016,
            vocab_size: 151_936,
            num_key_value_heads: Some(32),
            head_dim: None,
            reads_attention_bias: false,
            sliding_window: SlidingWindow::Switched,
        },
        DecoderType::Qwen3 => Defaults {
            intermediate_size: 22_016,
            vocab_size: 151_936,
            num_key_value_heads: Some(32),
            head_dim: Some(128),
            reads_attention_bias: true,
            sliding_window: SlidingWindow::Switched,
        },
        DecoderType::Mixtral => Defaults {
            intermediate_size: 14_336,
            vocab_size: 32_000,
            num_key_value_heads: Some(8),
            head_dim: None,
            reads_attention_bias: false,
            sliding_window: SlidingWindow::Given,
        },
        DecoderType::Olmoe => Defaults {
            intermediate_size: 2048,
            vocab_size: 50_304,
            num_key_value_heads: None,
            head_dim: None,
            reads_attention_bias: true,
            sliding_window: SlidingWindow::Never,
        },
        DecoderType::Qwen2Moe => Defaults {
            intermediate_size: 5632,
            vocab_size: 151_936,
            num_key_value_heads: Some(16),
            head_dim: None,
            reads_attention_bias: false,
            sliding_window: SlidingWindow::EverySecond,
        },
        DecoderType::Qwen3Moe => Defaults {
            intermediate_size: 6144,
            vocab_size: 151_936,
            num_key_value_heads: Some(4),
            head_dim: None,
            reads_attention_bias: true,
            sliding_window: SlidingWindow::Asked,
        },
        _ => Defaults {
            intermediate_size: 11_008,
            vocab_size: 32_000,
            num_key_value_heads: None,
            head_dim: None,
            reads_attention_bias: true,
            sliding_window: SlidingWindow::Never,
        },
    }
}

/// The window of a config that names none (transformers' default).
const DEFAULT_WINDOW: u64 = 4096;

/// Reads a Llama-like config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    let defaults = defaults(model_type);
    let hidden_size = fields.required("hidden_size", &WIDTH, 4096);
    let intermediate_size =
        fields.required("intermediate_size", &WIDTH, defaults.intermediate_size);
    let num_hidden_layers = fields.required("num_hidden_layers", &LAYERS, 32);
    let num_attention_heads = fields.required("num_attention_heads", &HEADS, 32);
    let vocab_size = fields.required("vocab_size", &VOCABULARY, defaults.vocab_size);
    let num_key_value_heads = key_value_heads(&defaults, num_attention_heads, fields);
    let head_dim = head_dim(&defaults, hidden_size, num_attention_heads, fields);
    let experts = experts::read(model_type, num_hidden_layers, intermediate_size, fields);
    let known = ["silu", "swish", "relu", "gelu", "gelu_pytorch_tanh"];
    // Experts are estimated with silu.
    let known = if experts.is_some() {
        &known[..2]
    } else {
        &known[..]
    };
    fields.check_activation("hidden_act", known);
    let activation = match fields.text("hidden_act").and_then(Activation::named) {
        Some(named @ (Activation::Relu | Activation::Gelu)) if experts.is_none() => named,
        _ => Activation::Silu,
    };
    let (sliding_window, windowed) =
        sliding_window(defaults.sliding_window, num_hidden_layers, fields);
    let idle = defaults.sliding_window == SlidingWindow::Switched
        && sliding_window.is_none()
        && !fields.is_null("sliding_window");
    let idle_window =
        idle.then(|| fields.optional("sliding_window", &crate::ask::SEQ_LEN, DEFAULT_WINDOW));
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size,
        num_key_value_heads,
        head_dim,
        vocab_size,
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
        rotary_dim: head_dim,
        attention_bias: defaults.reads_attention_bias && fields.flag("attention_bias", false),
        qkv_bias: match model_type {
            DecoderType::Qwen2 => true,
            DecoderType::Qwen2Moe => fields.flag("qkv_bias", true),
            _ => false,
        },
        mlp_bias: model_type == DecoderType::Llama && fields.flag("mlp_bias", false),
        sliding_window,
        idle_window,
        windowed,
        dropout: Dropout {
            attention: fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        clips_heads: model_type == DecoderType::Olmoe && fields.get("clip_qkv").is_some(),
        activation,
        experts,
        ..DecoderConfig::plain(family, hidden_size, num_hidden_layers, num_attention_heads)
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig, framework: Framework) -> Vec<Module> {
    let mut all = vec![embedding("model.embed_tokens")];
    let qkv_bias = config.qkv_bias || config.attention_bias;
    for layer in 0..config.num_hidden_layers {
        let at = |name| format!("model.layers.{layer}.{name}");
        all.extend(
            ["q_proj", "k_proj", "v_proj"].map(|name| linear(at("self_attn.") + name, qkv_bias)),
        );
        all.push(linear(at("self_attn.o_proj"), config.attention_bias));
        let norms = matches!(
            config.model_type,
            DecoderType::Qwen3 | DecoderType::Qwen3Moe | DecoderType::Olmoe
        );
        if norms {
            all.extend([other(at("self_attn.q_norm")), other(at("self_attn.k_norm"))]);
        }
        let sparse = expert_modules::modules(config, layer, framework, at);
        if sparse.is_empty() {
            all.extend(
                ["gate_proj", "up_proj", "down_proj"]
                    .map(|name| linear(at("mlp.") + name, config.mlp_bias)),
            );
        }
        all.extend(sparse);
        all.extend([
            other(at("input_layernorm")),
            other(at("post_attention_layernorm")),
        ]);
    }
    all.push(other("model.norm"));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}

/// Key-value heads, which every one of must serve the same number of attention heads.
fn key_value_heads(defaults: &Defaults, heads: u64, fields: &mut ConfigFields<'_>) -> u64 {
    let default = defaults.num_key_value_heads.unwrap_or(heads);
    let kv_heads = fields.optional("num_key_value_heads", &HEADS, default);
    if !heads.is_multiple_of(kv_heads) {
        let key = fields.key("num_key_value_heads");
        let nearest = nearest_divisor(heads, kv_heads);
        fields.push(
            Finding::error(
                &key,
                format!(
                    "{heads} attention heads cannot share {kv_heads} key-value heads: \
                     num_key_value_heads must divide num_attention_heads."
                ),
                format!(
                    "{heads} 个注意力头无法均分 {kv_heads} 个键值头：\
                     num_key_value_heads 必须整除 num_attention_heads。"
                ),
            )
            .with_fix(&key, nearest),
        );
        return heads;
    }
    kv_heads
}

/// Columns of one head: given, or the hidden size divided by the heads.
fn head_dim(defaults: &Defaults, hidden: u64, heads: u64, fields: &mut ConfigFields<'_>) -> u64 {
    let default = defaults.head_dim;
    if let (None, None) = (fields.get("head_dim"), default)
        && !hidden.is_multiple_of(heads)
    {
        let key = fields.key("num_attention_heads");
        fields.push(
            Finding::error(
                &key,
                format!(
                    "A hidden size of {hidden} cannot be divided among {heads} attention heads: \
                     num_attention_heads must divide hidden_size, or head_dim must be given."
                ),
                format!(
                    "隐藏维度 {hidden} 无法均分给 {heads} 个注意力头：\
                     num_attention_heads 必须整除 hidden_size，或者给出 head_dim。"
                ),
            )
            .with_fix(&key, nearest_divisor(hidden, heads)),
        );
        return 1;
    }
    let dim = fields.optional("head_dim", &WIDTH, default.unwrap_or(hidden / heads));
    if !dim.is_multiple_of(2) {
        // Rotary embeddings turn pairs of columns.
        let key = fields.key("head_dim");
        fields.push(
            Finding::error(
                &key,
                format!(
                    "A head has {dim} columns; rotary position embeddings need an even number."
                ),
                format!("每个注意力头有 {dim} 列；旋转位置编码要求偶数。"),
            )
            .with_fix(&key, dim + 1),
        );
    }
    dim
}

/// The divisor of `number` nearest to `wanted`, which both are some number of heads.
fn nearest_divisor(number: u64, wanted: u64) -> u64 {
    let smaller = (1..=wanted.min(number))
        .rev()
        .find(|d| number.is_multiple_of(*d))
        .unwrap_or(1);
    (wanted..(2 * wanted - smaller).min(*HEADS.end()))
        .find(|d| number.is_multiple_of(*d))
        .unwrap_or(smaller)
}

/// The window and the layers that have it.
fn sliding_window(
    kind: SlidingWindow,
    layers: u64,
    fields: &mut ConfigFields<'_>,
) -> (Option<u64>, Vec<bool>) {
    /// transformers' default in all configs that have the field.
    const FULL_LAYERS: u64 = 28;
    let has_window = match kind {
        SlidingWindow::Never => false,
        SlidingWindow::All => true,
        SlidingWindow::Given => fields.get("sliding_window").is_some(),
        _ => fields.flag("use_sliding_window", false),
    };
    if !has_window || fields.is_null("sliding_window") {
        return (
            (kind == SlidingWindow::EverySecond).then_some(0),
            Vec::new(),
        );
    }
    let window = fields.optional("sliding_window", &crate::ask::SEQ_LEN, DEFAULT_WINDOW);
    let mut border = || fields.optional("max_window_layers", &(0..=*LAYERS.end()), FULL_LAYERS);
    let windowed = match kind {
        SlidingWindow::Switched => {
            let full = border();
            fields.windowed_layers(layers, |layer| layer >= full)
        }
        SlidingWindow::EverySecond => {
            let border = border();
            fields.windowed_layers(layers, |layer| layer.is_multiple_of(2) && layer < border)
        }
        _ => (0..layers).map(|_| true).collect(),
    };
    let any = windowed.contains(&true) || kind == SlidingWindow::EverySecond;
    (any.then_some(window), windowed)
}
