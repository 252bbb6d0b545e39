//! A config of a type that nobody here has read: a decoder by its structure, if it looks like one.

use crate::ask::Finding;
use crate::families::gpt_neox::GPT_NEOX;
use crate::families::llama::LLAMA;
use crate::model::ConfigFields;
use serde_json::{Map, Value, json};

/// Other names of the sizes that every decoder has, the first being the one that is written.
const HIDDEN: &[&str] = &["hidden_size", "n_embd", "n_embed", "d_model", "dim"];

const LAYERS: &[&str] = &["num_hidden_layers", "n_layer", "n_layers", "num_layers"];

const HEADS: &[&str] = &["num_attention_heads", "n_head", "n_heads", "num_heads"];

const GROUPS: &[&str] = &["num_key_value_heads", "num_kv_heads", "n_head_kv"];

const INTERMEDIATE: &[&str] = &[
    "intermediate_size",
    "ffn_dim",
    "ffn_hidden_size",
    "n_inner",
    "d_ff",
];

const ACTIVATION: &[&str] = &["hidden_act", "hidden_activation", "activation_function"];

/// Fields that only a gated MLP beside root mean square norms has.
const ROOT_MEAN_SQUARE: &[&str] = &["rms_norm_eps", "norm_eps", "rms_norm_epsilon"];

/// Fields of what is no plain decoder, with what they are a sign of.
const FOREIGN: &[(&str, &str, &str)] = &[
    ("encoder_layers", "an encoder", "编码器"),
    ("num_local_experts", "a mixture of experts", "混合专家"),
    ("num_experts", "a mixture of experts", "混合专家"),
    ("n_routed_experts", "a mixture of experts", "混合专家"),
    ("state_size", "a state space", "状态空间"),
    ("ssm_cfg", "a state space", "状态空间"),
    (
        "kv_lora_rank",
        "attention with compressed keys",
        "压缩键值的注意力",
    ),
    ("image_size", "images", "图像"),
    ("vision_config", "images", "图像"),
    ("type_vocab_size", "an encoder", "编码器"),
];

fn given<'a>(fields: &ConfigFields<'a>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| fields.get(name))
}

/// Why the config is not taken for a decoder's.
pub(crate) struct Refusal {
    /// In English.
    pub(crate) english: String,
    /// In Chinese.
    pub(crate) chinese: String,
}

fn refusal(english: String, chinese: String) -> Refusal {
    Refusal { english, chinese }
}

/// The config of a known type with the same structure, and a warning of what was assumed.
///
/// # Errors
/// Why it is not taken for a decoder's.
pub(crate) fn like_a_decoder(
    shown: &str,
    key: &str,
    fields: &ConfigFields<'_>,
) -> Result<(Map<String, Value>, Finding), Refusal> {
    if fields.get("is_encoder_decoder") == Some(&Value::Bool(true)) {
        let (english, chinese) = ("it has an encoder".to_owned(), "它含有编码器".to_owned());
        return Err(refusal(english, chinese));
    }
    if let Some((field, english, chinese)) = FOREIGN
        .iter()
        .find(|(field, ..)| fields.get(field).is_some())
    {
        return Err(refusal(
            format!("{field} is a sign of {english}"),
            format!("{field} 表明它含有{chinese}"),
        ));
    }
    for names in [HIDDEN, LAYERS, HEADS, &["vocab_size"]] {
        if given(fields, names).is_none() {
            return Err(refusal(
                format!("it has no {}", names[0]),
                format!("缺少 {}", names[0]),
            ));
        }
    }
    let activation = given(fields, ACTIVATION).and_then(Value::as_str);
    let gated =
        given(fields, ROOT_MEAN_SQUARE).is_some() || matches!(activation, Some("silu" | "swish"));
    let mut config = if gated {
        gated_config(fields)
    } else {
        plain_config(fields)
    };
    let copies: [(&str, &[&str]); 5] = [
        ("hidden_size", HIDDEN),
        ("num_hidden_layers", LAYERS),
        ("num_attention_heads", HEADS),
        ("vocab_size", &["vocab_size"]),
        ("intermediate_size", INTERMEDIATE),
    ];
    for (name, names) in copies {
        if let Some(value) = given(fields, names) {
            config.insert(name.to_owned(), value.clone());
        }
    }
    for name in [
        "tie_word_embeddings",
        "max_position_embeddings",
        "attention_bias",
        "mlp_bias",
        "attention_dropout",
        "head_dim",
        "quantization_config",
    ] {
        if let Some(value) = fields.get(name) {
            config.insert(name.to_owned(), value.clone());
        }
    }
    if !config.contains_key("intermediate_size")
        && let Some(hidden) = given(fields, HIDDEN).and_then(Value::as_u64)
    {
        config.insert(
            "intermediate_size".to_owned(),
            hidden.saturating_mul(4).into(),
        );
    }
    Ok((config, warning(shown, key, gated)))
}

/// Like Llama: rotary positions, root mean square norms, a gated MLP.
fn gated_config(fields: &ConfigFields<'_>) -> Map<String, Value> {
    let mut config = Map::new();
    config.insert("model_type".to_owned(), json!(LLAMA.model_types[0]));
    if let Some(groups) = given(fields, GROUPS) {
        config.insert("num_key_value_heads".to_owned(), groups.clone());
    } else if fields.get("multi_query") == Some(&Value::Bool(true)) {
        config.insert("num_key_value_heads".to_owned(), 1.into());
    }
    config
}

/// Like GPT-NeoX: rotary positions, `LayerNorm`, two linear layers with a function between.
fn plain_config(fields: &ConfigFields<'_>) -> Map<String, Value> {
    let parallel = given(fields, &["use_parallel_residual", "parallel_attn"]);
    let mut config = Map::new();
    config.insert("model_type".to_owned(), json!(GPT_NEOX.model_types[0]));
    config.insert("rotary_pct".to_owned(), json!(1.0));
    config.insert(
        "use_parallel_residual".to_owned(),
        json!(parallel == Some(&Value::Bool(true))),
    );
    config
}

fn warning(shown: &str, key: &str, gated: bool) -> Finding {
    let (like, assumed, assumed_zh) = if gated {
        (
            "Llama",
            "rotary positions, root mean square norms and a gated MLP",
            "旋转位置编码、RMSNorm 与门控 MLP",
        )
    } else {
        (
            "GPT-NeoX",
            "rotary positions, LayerNorm, an MLP of two layers and as many key-value heads as \
             attention heads",
            "旋转位置编码、LayerNorm、两层 MLP，键值头与注意力头数量相同",
        )
    };
    Finding::warning(
        key,
        format!(
            "Models of type {shown} are not known; by its sizes it is estimated like {like}: \
             {assumed}. Extra weights of that type are missing."
        ),
        format!(
            "未知的模型类型 {shown}；按其尺寸参照 {like} 估算：{assumed_zh}。该类型特有的权重未计入。"
        ),
    )
}
