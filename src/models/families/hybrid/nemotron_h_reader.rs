//! Nemotron-H's config (`models/nemotron_h` of transformers 5.23): each layer is a state space, attention,
//! an MLP or experts alone.

use super::reader::refuse_set;
use crate::ask::{Finding, HEADS, LAYERS, VOCABULARY, WIDTH, message};
use crate::families::mamba::{SMALL, reader as mamba};
use crate::families::reading::{experts, options};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{
    Activation, DecoderConfig, EXPERTS, ExpertForm, Experts, Groups, Mixing, Routing, SharedForm,
    StateSpace, StoredExperts,
};
use serde_json::{Value, json};

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let layers = layers(fields);
    let mixers: Vec<Mixing> = layers.iter().map(|&(mixing, _)| mixing).collect();
    let activation = options::function(rules.function, fields);
    let sparse: Vec<bool> = layers.iter().map(|&(_, sparse)| sparse).collect();
    let experts = sparse.contains(&true);
    refuse_set(fields, "use_bias");
    let count = fields.optional("mamba_num_heads", &HEADS, 128);
    let columns = fields.optional("mamba_head_dim", &WIDTH, 64);
    DecoderConfig {
        experts: experts.then(|| self::experts(sparse, activation, fields)),
        mixers: mixers.clone(),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, sizes.inner),
        num_key_value_heads: fields.shared_heads(heads, sizes.kv_heads.unwrap_or(heads).min(heads)),
        head_dim: options::head_dim(
            sizes.head_dim,
            [hidden, heads],
            "num_attention_heads",
            fields,
        ),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: rules.tied,
        rotary_dim: 0,
        mlp_bias: options::biases(&rules.biases, fields).mlp,
        activation,
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
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden, mixers.len() as u64, heads)
    }
}

/// The experts of the layers that are a mixture of them.
fn experts(sparse: Vec<bool>, activation: Activation, fields: &mut ConfigFields<'_>) -> Experts {
    let count = fields.optional("n_routed_experts", &EXPERTS, 8);
    let width = |fields: &mut ConfigFields<'_>, name| fields.optional(name, &WIDTH, 7688);
    Experts {
        count,
        per_token: experts::per_token(count, 2, fields),
        intermediate_size: width(fields, "moe_intermediate_size"),
        shared_intermediate_size: Some(width(fields, "moe_shared_expert_intermediate_size")),
        wide_correction: false,
        latent_size: (fields.get("moe_latent_size").is_some())
            .then(|| fields.optional("moe_latent_size", &WIDTH, 1)),
        normalized: fields.flag("norm_topk_prob", true),
        shared: SharedForm::Plain,
        form: ExpertForm::Plain(activation),
        stored: StoredExperts::Apart,
        routing: Routing::Corrected(experts::groups(count, Groups::ONE, fields)),
        built_first: true,
        balanced: false,
        asked: false,
        sparse,
    }
}

/// The module that mixes the tokens of each layer, and whether it is experts: a list of names, or a letter for each
/// layer.
fn layers(fields: &mut ConfigFields<'_>) -> Vec<(Mixing, bool)> {
    let of_name = |name: &str| match name {
        "M" | "mamba" | "linear_attention" => Some((Mixing::StateSpace, false)),
        "*" | "attention" | "full_attention" => Some((Mixing::Attention, false)),
        "-" | "mlp" => Some((Mixing::Nothing, false)),
        "E" | "moe" => Some((Mixing::Nothing, true)),
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
    let read: Option<Vec<_>> = names.iter().map(|name| of_name(name)).collect();
    if let Some(read) = read.filter(|read| LAYERS.contains(&(read.len() as u64))) {
        return read;
    }
    let key = fields.key(field);
    let known: Vec<&str> = names
        .into_iter()
        .filter(|name| of_name(name).is_some())
        .take(usize::try_from(*LAYERS.end()).unwrap_or(usize::MAX))
        .collect();
    let repaired: Vec<_> = known.iter().filter_map(|name| of_name(name)).collect();
    let fix: Value = match (field, repaired.is_empty()) {
        ("hybrid_override_pattern", true) => json!("M*-"),
        ("hybrid_override_pattern", false) => {
            let letter = |layer: &(Mixing, bool)| match layer {
                (Mixing::StateSpace, _) => 'M',
                (Mixing::Attention, _) => '*',
                (_, true) => 'E',
                _ => '-',
            };
            json!(repaired.iter().map(letter).collect::<String>())
        }
        (_, true) => json!(["linear_attention", "full_attention", "mlp"]),
        (_, false) => json!(known),
    };
    fields.push(Finding::error(&key, message!(hybrid::nemotron_layers)).with_fix(&key, fix));
    vec![
        (Mixing::StateSpace, false),
        (Mixing::Attention, false),
        (Mixing::Nothing, false),
    ]
}
