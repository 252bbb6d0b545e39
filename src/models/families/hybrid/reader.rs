//! Decoders whose layers mix tokens in different ways: attention in some, a state space or a short
//! convolution in the others (`models/{bamba,lfm2,lfm2_moe,falcon_h1,granitemoehybrid,jamba,qwen3_next,qwen3_5,qwen3_5_moe}` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, VOCABULARY, WIDTH, message};
use crate::families::mamba::{SMALL, reader as mamba};
use crate::families::reading::{experts, options};
use crate::model::{ConfigFields, DecoderConfig, Family, Mixing, ScanHeads, StateSpace};
use serde_json::Value;

/// The sizes that tell how layers mix tokens.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// H.
    pub(crate) hidden: u64,
    /// L.
    pub(crate) layers: u64,
    /// A.
    pub(crate) heads: u64,
}

/// The module that mixes the tokens of each layer.
pub(crate) struct Mixers {
    /// The kind of each layer.
    pub(crate) kinds: Vec<Mixing>,
    /// The sizes of that which is no attention.
    pub(crate) space: StateSpace,
}

impl Frame {
    /// The columns of a state space: `mamba_expand` times those of the hidden states.
    pub(crate) fn inner(self, fields: &mut ConfigFields<'_>) -> u64 {
        let expand = fields.optional("mamba_expand", &SMALL, 2);
        self.hidden.saturating_mul(expand).min(*WIDTH.end())
    }

    /// Attention in the layers that attend, the other in the rest.
    pub(crate) fn kinds(self, attends: &[bool], other: Mixing) -> Vec<Mixing> {
        let attends = attends.iter().copied().chain(std::iter::repeat(false));
        let kind = |(_, attends)| if attends { Mixing::Attention } else { other };
        (0..self.layers).zip(attends).map(kind).collect()
    }
}

/// Reads those sizes.
pub(crate) fn frame(family: &'static Family, fields: &mut ConfigFields<'_>) -> Frame {
    let sizes = &family.sizes;
    Frame {
        hidden: fields.optional("hidden_size", &WIDTH, sizes.hidden),
        layers: fields.optional("num_hidden_layers", &LAYERS, sizes.layers),
        heads: fields.optional("num_attention_heads", &HEADS, sizes.heads),
    }
}

/// Reads the width of the MLP.
pub(crate) fn width(family: &'static Family, fields: &mut ConfigFields<'_>) -> u64 {
    fields.optional("intermediate_size", &WIDTH, family.sizes.inner)
}

/// Reads the other fields of a config whose mixers and MLPs are known, with transformers' defaults for absent
/// fields.
pub(crate) fn read(
    family: &'static Family,
    frame: Frame,
    width: u64,
    mixers: Mixers,
    fields: &mut ConfigFields<'_>,
) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let Frame {
        hidden,
        layers,
        heads,
    } = frame;
    let names_heads = "num_attention_heads";
    let head_dim = options::head_dim(sizes.head_dim, [hidden, heads], names_heads, fields);
    let shared = sizes.kv_heads.map_or(heads, |shared| shared.min(heads));
    let biased = options::biases(&rules.biases, fields);
    DecoderConfig {
        mixers: mixers.kinds,
        num_key_value_heads: fields.shared_heads(heads, shared),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        rotary_dim: options::rotary_columns(rules.rotary_columns, head_dim, fields),
        intermediate_size: width,
        experts: experts::read(family.experts.as_ref(), layers, width, fields),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        attention_bias: biased.output,
        mlp_bias: biased.mlp,
        activation: options::function(rules.function, fields),
        head_norms: options::holds(rules.head_norms, fields),
        state_space: Some(mixers.space),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden, layers, heads)
    }
}

/// Reads models whose layers without attention follow the gated delta rule: by default all but every fourth.
pub(crate) fn read_delta(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let frame = frame(family, fields);
    let attends = if fields.get("layer_types").is_none() {
        let every = fields.optional("full_attention_interval", &LAYERS, 4);
        let layers = 1..=frame.layers;
        layers.map(|layer| layer.is_multiple_of(every)).collect()
    } else {
        attending(frame.layers, |_| false, fields)
    };
    let mixers = Mixers {
        kinds: frame.kinds(&attends, Mixing::GatedDelta),
        space: delta_rule(fields),
    };
    let width = width(family, fields);
    read(family, frame, width, mixers, fields)
}

/// For each layer, whether it has attention, as lists of layers say, else by `default`.
pub(crate) fn attending(
    layers: u64,
    default: impl Fn(u64) -> bool,
    fields: &ConfigFields<'_>,
) -> Vec<bool> {
    let list = |field| fields.get(field).and_then(Value::as_array);
    if let Some(types) = list("layer_types").or_else(|| list("layers_block_type")) {
        let others = ["conv", "mamba", "linear_attention"];
        let attends = |layer: usize| {
            let kind = types.get(layer).and_then(Value::as_str);
            kind.is_none_or(|kind| !others.contains(&kind))
        };
        return (0..layers)
            .map(|layer| usize::try_from(layer).is_ok_and(attends))
            .collect();
    }
    named(layers, "full_attn_idxs", fields).unwrap_or_else(|| (0..layers).map(default).collect())
}

/// For each layer, whether the list of this field names it.
pub(crate) fn named(layers: u64, field: &str, fields: &ConfigFields<'_>) -> Option<Vec<bool>> {
    let given = fields.get(field).and_then(Value::as_array)?;
    let named = |layer: u64| given.contains(&Value::from(layer));
    Some((0..layers).map(named).collect())
}

/// Refuses a flag that is set.
pub(crate) fn refuse_set(fields: &mut ConfigFields<'_>, field: &str) {
    if !fields.flag(field, false) {
        return;
    }
    let key = fields.key(field);
    fields.push(Finding::error(&key, message!(hybrid::not_supported, field)).with_fix(&key, false));
}

/// The gated delta rule: heads of values in groups that share keys.
fn delta_rule(fields: &mut ConfigFields<'_>) -> StateSpace {
    let count = fields.optional("linear_num_value_heads", &HEADS, 32);
    let groups = fields.shared_by("linear_num_key_heads", count, 16.min(count));
    StateSpace {
        state_size: fields.optional("linear_key_head_dim", &SMALL, 128),
        conv_kernel: fields.optional("linear_conv_kernel_dim", &SMALL, 4),
        heads: Some(ScanHeads {
            count,
            columns: fields.optional("linear_value_head_dim", &SMALL, 128),
            groups,
            // Tokens of a chunk of flash-linear-attention's kernels (0.6.0).
            chunk: 64,
        }),
        ..StateSpace::default()
    }
}

/// A state space of this width with heads.
pub(crate) fn state_space(inner: u64, fields: &mut ConfigFields<'_>) -> StateSpace {
    let count = fields.optional("mamba_n_heads", &HEADS, 128);
    let columns = fields.divided(inner, count, "mamba_n_heads");
    for field in ["mamba_proj_bias", "mamba_rms_norm", "projectors_bias"] {
        refuse_set(fields, field);
    }
    StateSpace {
        state_size: fields.optional("mamba_d_state", &SMALL, 256),
        conv_kernel: fields.optional("mamba_d_conv", &SMALL, 4),
        conv_bias: fields.flag("mamba_conv_bias", true),
        heads: Some(mamba::scan_heads(
            fields,
            ["mamba_n_groups", "mamba_chunk_size"],
            [count, columns, 1, 256],
        )),
        ..StateSpace::default()
    }
}
