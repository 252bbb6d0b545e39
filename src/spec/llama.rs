//! Reading the config of a Llama-like model, with transformers' defaults for absent fields
//! (`models/{llama,mistral,qwen2,qwen3}/configuration_*.py` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, VOCABULARY, WIDTH};
use super::{Finding, LlamaConfig, LlamaType};

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
    /// In the layers from `max_window_layers` on, if `use_sliding_window` says so.
    Switched,
}

impl LlamaType {
    const fn defaults(self) -> Defaults {
        match self {
            Self::Llama => Defaults {
                intermediate_size: 11_008,
                vocab_size: 32_000,
                num_key_value_heads: None,
                head_dim: None,
                reads_attention_bias: true,
                sliding_window: SlidingWindow::Never,
            },
            Self::Mistral => Defaults {
                intermediate_size: 14_336,
                vocab_size: 32_000,
                num_key_value_heads: Some(8),
                head_dim: None,
                reads_attention_bias: false,
                sliding_window: SlidingWindow::All,
            },
            Self::Qwen2 => Defaults {
                intermediate_size: 22_016,
                vocab_size: 151_936,
                num_key_value_heads: Some(32),
                head_dim: None,
                reads_attention_bias: false,
                sliding_window: SlidingWindow::Switched,
            },
            Self::Qwen3 => Defaults {
                intermediate_size: 22_016,
                vocab_size: 151_936,
                num_key_value_heads: Some(32),
                head_dim: Some(128),
                reads_attention_bias: true,
                sliding_window: SlidingWindow::Switched,
            },
        }
    }
}

/// Reads a Llama-like config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(model_type: LlamaType, fields: &mut ConfigFields<'_>) -> LlamaConfig {
    let defaults = model_type.defaults();
    let hidden_size = fields.required("hidden_size", &WIDTH, 4096);
    let intermediate_size =
        fields.required("intermediate_size", &WIDTH, defaults.intermediate_size);
    let num_hidden_layers = fields.required("num_hidden_layers", &LAYERS, 32);
    let num_attention_heads = fields.required("num_attention_heads", &HEADS, 32);
    let vocab_size = fields.required("vocab_size", &VOCABULARY, defaults.vocab_size);
    let num_key_value_heads = key_value_heads(model_type, num_attention_heads, fields);
    let head_dim = head_dim(model_type, hidden_size, num_attention_heads, fields);
    let attention_bias = defaults.reads_attention_bias && fields.flag("attention_bias", false);
    fields.check_activation("hidden_act", &["silu", "swish"]);
    LlamaConfig {
        model_type,
        hidden_size,
        intermediate_size,
        num_hidden_layers,
        num_attention_heads,
        num_key_value_heads,
        head_dim,
        vocab_size,
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
        qkv_bias: attention_bias || model_type == LlamaType::Qwen2,
        o_bias: attention_bias,
        mlp_bias: model_type == LlamaType::Llama && fields.flag("mlp_bias", false),
        sliding_window: sliding_window(defaults.sliding_window, num_hidden_layers, fields),
        attention_dropout_permille: fields.permille("attention_dropout"),
    }
}

/// Key-value heads, which every one of must serve the same number of attention heads.
fn key_value_heads(model_type: LlamaType, heads: u64, fields: &mut ConfigFields<'_>) -> u64 {
    let default = model_type.defaults().num_key_value_heads.unwrap_or(heads);
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
fn head_dim(model_type: LlamaType, hidden: u64, heads: u64, fields: &mut ConfigFields<'_>) -> u64 {
    let default = model_type.defaults().head_dim;
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

fn sliding_window(kind: SlidingWindow, layers: u64, fields: &mut ConfigFields<'_>) -> Option<u64> {
    /// transformers' default in all configs that have the field.
    const DEFAULT: u64 = 4096;
    match kind {
        SlidingWindow::Never => None,
        SlidingWindow::All => {
            if fields.is_null("sliding_window") {
                return None;
            }
            Some(fields.optional("sliding_window", &super::limits::SEQ_LEN, DEFAULT))
        }
        SlidingWindow::Switched => {
            if !fields.flag("use_sliding_window", false) || fields.is_null("sliding_window") {
                return None;
            }
            let window = fields.optional("sliding_window", &super::limits::SEQ_LEN, DEFAULT);
            let full = fields
                .optional("max_window_layers", &(0..=*LAYERS.end()), 28)
                .min(layers);
            if full == layers {
                return None;
            }
            if full > 0 {
                let key = fields.key("max_window_layers");
                fields.push(Finding::warning(
                    &key,
                    format!(
                        "The first {full} of {layers} layers attend to everything, the others to a \
                         window of {window} tokens; all layers are estimated with the window."
                    ),
                    format!(
                        "前 {full} 层（共 {layers} 层）使用完整注意力，其余使用 {window} 个词元的\
                         滑动窗口；估算时所有层都按滑动窗口处理。"
                    ),
                ));
            }
            Some(window)
        }
    }
}
