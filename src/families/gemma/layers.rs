//! What the layers of Gemma 4 share with each other, and what each has of its own
//! (`models/gemma4` of transformers 5.23).

use super::gemma3n_reader as gemma3n;
use crate::ask::{Finding, VOCABULARY, WIDTH, message};
use crate::families::reading::experts;
use crate::model::ConfigFields;
use crate::model::{
    Activation, DecoderConfig, EXPERTS, ExpertForm, Experts, GEMMA_NORMS, GemmaLayers,
    KeysAndValues, Module, ModuleKind, Routing, SharedForm, embedding, linear, other,
};

/// Reads what the layers of Gemma 4 have, whose attention has `heads` heads.
pub(crate) fn read(
    (heads, kv_heads): (u64, u64),
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
        routing: Routing::WideSoftmax,
        built_first: false,
        balanced: false,
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

/// The modules of a layer's attention, in the order in which they are built.
pub(crate) fn attention(
    config: &DecoderConfig,
    layer: usize,
    at: impl Fn(&str) -> String,
) -> Vec<Module> {
    let own = config.keys_and_values(layer) != KeysAndValues::Read;
    let keys_are_values = config
        .gemma_layers
        .is_some_and(|layers| layers.keys_are_values);
    let values = !keys_are_values || config.is_windowed(layer);
    let of = |name: &str| at(&format!("self_attn.{name}"));
    let project = |name: &str| linear(of(name), config.attention_bias);
    let mut all = vec![project("q_proj"), other(of("q_norm"))];
    let nano = config.altup.is_some();
    if own {
        all.extend((!nano).then(|| other(of("k_norm"))));
        all.push(project("k_proj"));
        all.extend(values.then(|| project("v_proj")));
        all.extend(nano.then(|| other(of("k_norm"))));
    }
    all.push(project("o_proj"));
    all
}

/// What a layer has after its norms.
pub(crate) fn beside(config: &DecoderConfig, at: impl Fn(&str) -> String) -> Vec<Module> {
    let Some(layers) = &config.gemma_layers else {
        return Vec::new();
    };
    let mut all = gemma3n::beside(config, &at);
    if layers.input_columns > 0 {
        all.extend([
            linear(at("per_layer_input_gate"), false),
            linear(at("per_layer_projection"), false),
            other(at("post_per_layer_input_norm")),
        ]);
    }
    if config.experts.is_some() {
        let own = |name, parameters| Module {
            parameters,
            ..other(at(name))
        };
        all.extend([
            own("router", &["scale", "per_expert_scale"]),
            linear(at("router.proj"), false),
            Module {
                kind: ModuleKind::Matrices,
                ..own("experts", &["gate_up_proj", "down_proj"])
            },
        ]);
        all.extend(GEMMA_NORMS.map(|name| other(at(name))));
    }
    all
}

/// What the model has after its last norm.
pub(crate) fn inputs(config: &DecoderConfig) -> Vec<Module> {
    if config
        .gemma_layers
        .is_none_or(|layers| layers.input_columns == 0)
    {
        return Vec::new();
    }
    let mut all = vec![
        embedding("model.embed_tokens_per_layer"),
        linear("model.per_layer_model_projection", false),
        other("model.per_layer_projection_norm"),
    ];
    all.extend(gemma3n::around(config));
    all
}
