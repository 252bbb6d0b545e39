//! States that the layers of Gemma 4 share with each other, and parts of each alone
//! (`models/gemma4` of transformers 5.23).

use crate::ask::{Finding, VOCABULARY, WIDTH, message};
use crate::families::reading::experts;
use crate::model::ConfigFields;
use crate::model::{
    Activation, EXPERTS, ExpertForm, Experts, GemmaLayers, Routing, SharedForm, StoredExperts,
};

/// Reads what the layers of Gemma 4 have, whose attention has `heads` heads.
pub(crate) fn read(
    heads: u64,
    kv_heads: u64,
    windowed: &[bool],
    fields: &mut ConfigFields<'_>,
) -> GemmaLayers {
    let layers = windowed.len() as u64;
    let asked = fields.optional("num_kv_shared_layers", &(0..=layers), 0);
    let keys_are_values = fields.flag("attention_k_eq_v", false);
    let input_columns = fields.optional("hidden_size_per_layer_input", &(0..=*WIDTH.end()), 256);
    GemmaLayers {
        full_head_dim: fields.optional("global_head_dim", &WIDTH, 512),
        full_kv_heads: if keys_are_values {
            fields.shared_by("num_global_key_value_heads", heads, kv_heads)
        } else {
            kv_heads
        },
        keys_are_values,
        readers: readers(asked, windowed, fields),
        wide_readers: fields.flag("use_double_wide_mlp", false),
        input_columns,
        input_rows: fields.optional("vocab_size_per_layer_input", &VOCABULARY, 262_144),
    }
}

/// The experts beside the MLPs of all `layers`, if there are any.
pub(crate) fn experts(layers: u64, fields: &mut ConfigFields<'_>) -> Option<Experts> {
    if !fields.flag("enable_moe_block", false) {
        return None;
    }
    let count = fields.optional("num_experts", &EXPERTS, 128);
    Some(Experts {
        count,
        per_token: experts::per_token(count, 8, fields),
        intermediate_size: fields.optional("moe_intermediate_size", &WIDTH, 704),
        shared_intermediate_size: None,
        latent_size: None,
        wide_correction: false,
        normalized: true,
        shared: SharedForm::Plain,
        form: ExpertForm::GatedBy(Activation::Gelu),
        stored: StoredExperts::Stacked,
        routing: Routing::WideSoftmax,
        built_first: false,
        balanced: false,
        asked: false,
        sparse: (0..layers).map(|_| true).collect(),
    })
}

/// Layers at the end that read keys and values of others, of which each kind has one before them.
pub(crate) fn readers(asked: u64, windowed: &[bool], fields: &mut ConfigFields<'_>) -> u64 {
    let has_all = |readers: u64| {
        let before = usize::try_from(windowed.len() as u64 - readers).unwrap_or(0);
        windowed
            .iter()
            .all(|kind| windowed[..before].contains(kind))
    };
    if asked == 0 || has_all(asked) {
        return asked;
    }
    let key = fields.key("num_kv_shared_layers");
    let most = (0..asked).rev().find(|&readers| has_all(readers));
    let most = most.unwrap_or(0);
    fields.push(
        Finding::error(&key, message!(gemma::too_many_share, asked, most)).with_fix(&key, most),
    );
    most
}
