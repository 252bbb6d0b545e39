//! The config of `OLMo` Hybrid (`models/olmo_hybrid/configuration_olmo_hybrid.py` of transformers 5.23), whose
//! layers attend or follow the gated delta rule.

use crate::ask::{Finding, HEADS, LAYERS, VOCABULARY, WIDTH, message};
use crate::families::mamba::SMALL;
use crate::families::reading::options;
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{DecoderConfig, Mixing, ScanHeads, StateSpace};
use serde_json::Value;

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let layers = fields.optional("num_hidden_layers", &LAYERS, sizes.layers);
    let heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    fields.check_activation("hidden_act", &["silu", "swish"]);
    let head_dim = fields.divided(hidden, heads, "num_attention_heads");
    let attends = attending(fields, layers);
    let mixing = |attends| {
        if attends {
            Mixing::Attention
        } else {
            Mixing::GatedDelta
        }
    };
    DecoderConfig {
        mixers: attends.into_iter().map(mixing).collect(),
        num_key_value_heads: fields.shared_heads(heads, heads),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        rotary_dim: if rotates(fields) { head_dim } else { 0 },
        intermediate_size: fields.optional("intermediate_size", &WIDTH, sizes.inner),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        attention_bias: options::biases(&rules.biases, fields).output,
        head_norms: options::holds(rules.head_norms, fields),
        state_space: Some(delta_rule(fields, hidden, heads)),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden, layers, heads)
    }
}

/// For each layer, whether it attends: every fourth, and the last where that is none.
fn attending(fields: &mut ConfigFields<'_>, layers: u64) -> Vec<bool> {
    let given = fields.get("layer_types").and_then(Value::as_array);
    let named = |layer: u64| given?.get(usize::try_from(layer).ok()?)?.as_str();
    let all: Vec<bool> = (0..layers)
        .map(|layer| match given {
            Some(_) => named(layer) != Some("linear_attention"),
            None => layer % 4 == 3 || (layers < 4 && layer + 1 == layers),
        })
        .collect();
    let (some, every) = (all.contains(&true), !all.contains(&false));
    if every || !some {
        let key = fields.key("layer_types");
        fields.push(
            Finding::error(&key, message!(olmo::one_kind_of_layers)).with_fix(&key, Value::Null),
        );
    }
    all
}

/// Whether positions rotate queries and keys: not where `rope_theta` is null, as in published models.
fn rotates(fields: &ConfigFields<'_>) -> bool {
    let rotary = fields.get("rope_parameters").and_then(Value::as_object);
    let theta = rotary.and_then(|rotary| rotary.get("rope_theta"));
    !theta.is_some_and(Value::is_null)
}

/// Heads of keys and values of the gated delta rule.
fn delta_rule(fields: &mut ConfigFields<'_>, hidden: u64, heads: u64) -> StateSpace {
    let count = fields.optional("linear_num_value_heads", &HEADS, heads);
    let groups = fields.shared_by("linear_num_key_heads", count, heads.min(count));
    let default = (3 * hidden / (4 * groups.max(1))).max(1);
    let state_size = fields.optional("linear_key_head_dim", &SMALL, default);
    StateSpace {
        state_size,
        conv_kernel: fields.optional("linear_conv_kernel_dim", &SMALL, 4),
        multiplied: fields.flag("linear_allow_neg_eigval", true),
        heads: Some(ScanHeads {
            count,
            columns: fields.optional("linear_value_head_dim", &SMALL, 2 * state_size),
            groups,
            // Tokens of a chunk of flash-linear-attention's kernels (0.6.0).
            chunk: 64,
        }),
        ..StateSpace::default()
    }
}
