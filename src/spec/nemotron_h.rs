//! Nemotron-H's config (`models/nemotron_h` of transformers 5.23): each layer is a state space, attention
//! or an MLP alone.

use super::config_fields::ConfigFields;
use super::hybrid::refuse_set;
use super::limits::{HEADS, LAYERS, VOCABULARY, WIDTH};
use super::mamba::{self, SMALL};
use super::{DecoderConfig, DecoderType, Dropout, Finding, Mixing, StateSpace};
use serde_json::{Value, json};

/// Reads the config with transformers' defaults for absent fields.
pub(super) fn read(fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let hidden = fields.optional("hidden_size", &WIDTH, 4096);
    let heads = fields.optional("num_attention_heads", &HEADS, 32);
    let mixers = mixers(fields);
    refuse_set(fields, "use_bias");
    let count = fields.optional("mamba_num_heads", &HEADS, 128);
    let columns = fields.optional("mamba_head_dim", &WIDTH, 64);
    DecoderConfig {
        mixers: mixers.clone(),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 21_504),
        num_key_value_heads: fields.shared_heads(heads, 8.min(heads)),
        head_dim: fields.optional("head_dim", &WIDTH, 128),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 131_072),
        tie_word_embeddings: false,
        rotary_dim: 0,
        mlp_bias: fields.flag("mlp_bias", false),
        activation: fields.activation("mlp_hidden_act", "relu2"),
        state_space: Some(StateSpace {
            state_size: fields.optional("ssm_state_size", &SMALL, 128),
            conv_kernel: fields.named(&["mamba_d_conv", "conv_kernel"], &SMALL, 4),
            conv_bias: fields.flag("use_conv_bias", true),
            heads: Some(mamba::scan_heads(
                fields,
                ["n_groups", "chunk_size"],
                [count, columns, 8, 128],
            )),
            ..StateSpace::default()
        }),
        dropout: Dropout {
            attention: fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        ..DecoderConfig::plain(DecoderType::NemotronH, hidden, mixers.len() as u64, heads)
    }
}

/// What each layer is: a list of names, or a letter for each layer.
fn mixers(fields: &mut ConfigFields<'_>) -> Vec<Mixing> {
    let of_name = |name: &str| match name {
        "M" | "mamba" | "linear_attention" => Some(Mixing::StateSpace),
        "*" | "attention" | "full_attention" => Some(Mixing::Attention),
        "-" | "mlp" => Some(Mixing::Nothing),
        _ => None,
    };
    let listed = ["layers_block_type", "layer_types"]
        .into_iter()
        .find_map(|name| Some((name, fields.get(name)?.as_array()?)));
    let (field, names): (_, Vec<&str>) = match (listed, fields.text("hybrid_override_pattern")) {
        (Some((field, names)), _) => {
            let names = names.iter().map(|name| name.as_str().unwrap_or_default());
            (field, names.collect())
        }
        (None, Some(pattern)) => {
            let letters = pattern.split("").filter(|letter| !letter.is_empty());
            ("hybrid_override_pattern", letters.collect())
        }
        (None, None) => (
            "hybrid_override_pattern",
            vec!["linear_attention", "moe", "full_attention", "mlp"],
        ),
    };
    let read: Option<Vec<Mixing>> = names.iter().map(|name| of_name(name)).collect();
    if let Some(read) = read.filter(|read| LAYERS.contains(&(read.len() as u64))) {
        return read;
    }
    let key = fields.key(field);
    let known: Vec<&str> = names
        .into_iter()
        .filter(|name| of_name(name).is_some())
        .take(usize::try_from(*LAYERS.end()).unwrap_or(usize::MAX))
        .collect();
    let repaired: Vec<Mixing> = known.iter().filter_map(|name| of_name(name)).collect();
    let fix: Value = match (field, repaired.is_empty()) {
        ("hybrid_override_pattern", true) => json!("M*-"),
        ("hybrid_override_pattern", false) => {
            let letter = |mixing: &Mixing| match mixing {
                Mixing::StateSpace => 'M',
                Mixing::Attention => '*',
                _ => '-',
            };
            json!(repaired.iter().map(letter).collect::<String>())
        }
        (_, true) => json!(["linear_attention", "full_attention", "mlp"]),
        (_, false) => json!(known),
    };
    fields.push(
        Finding::error(
            &key,
            "Each layer must be a state space (M, linear_attention), attention (*, full_attention) or an MLP (-, mlp); layers of experts (E, moe) are not supported yet.",
            "每层必须是状态空间（M、linear_attention）、注意力（*、full_attention）或 MLP（-、mlp）；暂不支持专家层（E、moe）。",
        )
        .with_fix(&key, fix),
    );
    vec![Mixing::StateSpace, Mixing::Attention, Mixing::Nothing]
}
