//! A config of a type that nobody here has read: a decoder by its structure, if it looks like one.

use crate::ask::{Finding, Message, message};
use crate::families::gpt_neox::GPT_NEOX;
use crate::families::llama::LLAMA;
use crate::model::ConfigFields;
use serde_json::{Map, Value, json};

/// Other names of the sizes that every decoder has, the first being the name that is written.
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

/// Says what a field is a sign of.
type Sign = fn() -> Message;

/// Fields of models that are no plain decoders.
const FOREIGN: &[(&str, Sign)] = &[
    ("encoder_layers", || message!(reading::an_encoder)),
    ("num_local_experts", || message!(reading::experts)),
    ("num_experts", || message!(reading::experts)),
    ("n_routed_experts", || message!(reading::experts)),
    ("state_size", || message!(reading::a_state_space)),
    ("ssm_cfg", || message!(reading::a_state_space)),
    ("kv_lora_rank", || message!(reading::compressed_keys)),
    ("image_size", || message!(reading::images)),
    ("vision_config", || message!(reading::images)),
    ("type_vocab_size", || message!(reading::an_encoder)),
];

fn given<'a>(fields: &ConfigFields<'a>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| fields.get(name))
}

/// The config of a known type with the same structure, and a warning that names the assumption.
///
/// # Errors
/// Why it is not taken for a decoder's.
pub(crate) fn like_a_decoder(
    shown: &str,
    key: &str,
    fields: &ConfigFields<'_>,
) -> Result<(Map<String, Value>, Finding), Message> {
    if fields.get("is_encoder_decoder") == Some(&Value::Bool(true)) {
        return Err(message!(reading::has_encoder));
    }
    if let Some((field, sign)) = (FOREIGN.iter()).find(|(field, _)| fields.get(field).is_some()) {
        return Err(message!(reading::sign_of, field, sign = sign()));
    }
    for names in [HIDDEN, LAYERS, HEADS, &["vocab_size"]] {
        if given(fields, names).is_none() {
            return Err(message!(reading::lacks, field = names[0]));
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
    let (like, assumed) = if gated {
        ("Llama", message!(reading::as_llama))
    } else {
        ("GPT-NeoX", message!(reading::as_gpt_neox))
    };
    Finding::warning(key, message!(reading::like_known, shown, like, assumed))
}
