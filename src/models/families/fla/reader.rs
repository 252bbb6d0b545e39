//! Configs of flash-linear-attention, read with the library's defaults for absent fields
//! (`fla/models/*/configuration_*.py` of flash-linear-attention 0.6.0).

use super::attention_reader as fla_attention;
use crate::ask::{Finding, HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH, message};
use crate::families::mamba::{SMALL, reader as mamba};
use crate::model::ConfigFields;
use crate::model::{Family, FlaConfig, FlaFused, FlaMixer, FlaStateSpace, NORM_WIDTH, StateSpace};

/// Columns to which the MLP's width is rounded up (`GatedMLP`, `fla/modules/mlp.py`).
const MLP_MULTIPLE: u64 = 256;

/// Expansion factors, in thousandths.
const FACTOR: std::ops::RangeInclusive<u64> = 1..=64_000;

/// Reads a config. Errors are pushed to `fields`.
pub(crate) fn read(
    family: &'static Family,
    mixer: FlaMixer,
    fields: &mut ConfigFields<'_>,
) -> FlaConfig {
    match mixer {
        FlaMixer::Gla => gla(family, fields),
        FlaMixer::DeltaNet => delta_net(family, fields),
        FlaMixer::GatedDeltaNet => gated_delta_net(family, fields),
        FlaMixer::RetNet => retnet(family, fields),
        FlaMixer::Hgrn => hgrn(family, fields),
        FlaMixer::Hgrn2 => hgrn2(family, fields),
        FlaMixer::Attention => transformer(family, fields),
        FlaMixer::Mamba => mamba(family, fields),
        FlaMixer::Mamba2 => mamba2(family, fields),
    }
}

/// Common fields of all models; heads and options as a plain model has them.
fn common(
    family: &'static Family,
    mixer: FlaMixer,
    fields: &mut ConfigFields<'_>,
    heads: u64,
    ratio: u64,
) -> FlaConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 2048);
    let num_heads = fields.optional("num_heads", &HEADS, heads);
    let ratio = fields.optional("hidden_ratio", &(1..=64), ratio);
    let intermediate = (hidden_size * ratio * 2 / 3).next_multiple_of(MLP_MULTIPLE);
    let activations: &[&str] = match mixer {
        FlaMixer::Mamba | FlaMixer::Mamba2 => &["silu", "swish"],
        _ => &["swish"],
    };
    only(fields, "hidden_act", activations);
    let modes: &[&str] = match mixer {
        FlaMixer::Hgrn => &["fused_recurrent", "chunk"],
        _ => &["chunk"],
    };
    only(fields, "attn_mode", modes);
    for field in ["attnres_block_size", "clamp_min", "feature_map"] {
        refuse(fields, field);
    }
    if fields.flag("use_l2warp", false) {
        refuse(fields, "use_l2warp");
    }
    let layers = match mixer {
        FlaMixer::GatedDeltaNet => 21,
        FlaMixer::Mamba | FlaMixer::Mamba2 => 48,
        _ => 24,
    };
    let num_hidden_layers = fields.optional("num_hidden_layers", &LAYERS, layers);
    FlaConfig {
        family,
        mixer,
        hidden_size,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, intermediate),
        num_hidden_layers,
        num_heads,
        head_k_dim: 1,
        head_v_dim: 1,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 32_000),
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
        short_conv: None,
        output_gate: true,
        affine: fields.flag("elementwise_affine", true),
        max_position_embeddings: fields.optional("max_position_embeddings", &SEQ_LEN, 2048),
        one_by_one: false,
        lower_bounds: false,
        attention: fla_attention::of_layers(fields, hidden_size, num_hidden_layers),
        state_space: None,
        fused: fused(fields),
    }
}

fn fused(fields: &mut ConfigFields<'_>) -> FlaFused {
    let fused = FlaFused {
        norm: fields.flag("fuse_norm", true),
        swiglu: fields.flag("fuse_swiglu", true),
        cross_entropy: fields.flag("fuse_cross_entropy", true),
        linear_cross_entropy: fields.flag("fuse_linear_cross_entropy", false),
    };
    if fused.cross_entropy && fused.linear_cross_entropy {
        let key = fields.key("fuse_cross_entropy");
        fields.push(
            Finding::error(&key, message!(fla::two_losses))
                .with_fix("model_overrides.fuse_cross_entropy", false),
        );
    }
    fused
}

/// Refuses a text that is not one of `known`.
fn only(fields: &mut ConfigFields<'_>, field: &str, known: &[&str]) {
    let Some(given) = fields.text(field).filter(|name| !known.contains(name)) else {
        return;
    };
    let all = known.join(", ");
    let key = fields.key(field);
    let finding = Finding::error(&key, message!(fla::unknown_value, field, given, all));
    fields.push(match known.first() {
        Some(first) => finding.with_fix(&key, *first),
        None => finding,
    });
}

/// Refuses a field that says something, since what it asks for is not modelled.
fn refuse(fields: &mut ConfigFields<'_>, field: &str) {
    if fields.get(field).is_none() {
        return;
    }
    let key = fields.key(field);
    fields.push(
        Finding::error(&key, message!(fla::not_supported, field))
            .with_fix(&key, serde_json::Value::Null),
    );
}

/// `width` times a factor, which must be a whole number that the heads divide: columns of a head.
fn expanded(
    fields: &mut ConfigFields<'_>,
    field: &str,
    default: u64,
    width: u64,
    heads: u64,
) -> u64 {
    let thousandths = match fields.get(field).and_then(serde_json::Value::as_f64) {
        Some(factor) => to_thousandths(factor),
        None if fields.get(field).is_some() => 0,
        None => default,
    };
    let product = width.saturating_mul(thousandths);
    let whole = heads.saturating_mul(1000);
    if FACTOR.contains(&thousandths) && product.is_multiple_of(whole) {
        return product / whole;
    }
    let key = fields.key(field);
    fields.push(
        Finding::error(&key, message!(fla::expansion, field, width, heads)).with_fix(&key, 1),
    );
    1
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked"
)]
fn to_thousandths(factor: f64) -> u64 {
    let thousandths = (factor * 1000.0).round();
    if (1.0..=64_000.0).contains(&thousandths) {
        thousandths as u64
    } else {
        0
    }
}

/// Refuses heads of keys or values that are not as many as those of queries.
fn check_shared(fields: &mut ConfigFields<'_>, field: &str, heads: u64) {
    let given = fields.optional(field, &HEADS, heads);
    if given == heads {
        return;
    }
    let key = fields.key(field);
    fields.push(
        Finding::error(&key, message!(fla::shared_heads, field, given, heads))
            .with_fix(&key, heads),
    );
}

/// `conv_size` of a model whose convolutions are on.
fn short_conv(fields: &mut ConfigFields<'_>, default: bool) -> Option<u64> {
    let on = fields.flag("use_short_conv", default);
    on.then(|| fields.optional("conv_size", &(1..=64), 4))
}

fn gla(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(family, FlaMixer::Gla, fields, 4, 4);
    gated(family, fields, plain, [500, 1000])
}

fn retnet(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(family, FlaMixer::RetNet, fields, 8, 2);
    gated(family, fields, plain, [1000, 2000])
}

/// A model whose keys and values are wider or narrower than the hidden states, by thousandths where
/// the config has none of its own.
fn gated(
    family: &'static Family,
    fields: &mut ConfigFields<'_>,
    plain: FlaConfig,
    [keys, values]: [u64; 2],
) -> FlaConfig {
    let (hidden, heads) = (plain.hidden_size, plain.num_heads);
    check_shared(fields, "num_kv_heads", heads);
    FlaConfig {
        family,
        head_k_dim: expanded(fields, "expand_k", keys, hidden, heads),
        head_v_dim: expanded(fields, "expand_v", values, hidden, heads),
        short_conv: short_conv(fields, false),
        output_gate: fields.flag("use_output_gate", true),
        ..plain
    }
}

fn gated_delta_net(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(family, FlaMixer::GatedDeltaNet, fields, 6, 4);
    let head_dim = fields.optional("head_dim", &WIDTH, 256);
    if fields.flag("allow_neg_eigval", false) {
        refuse(fields, "allow_neg_eigval");
    }
    check_shared(fields, "num_v_heads", plain.num_heads);
    FlaConfig {
        family,
        head_k_dim: head_dim,
        head_v_dim: expanded(fields, "expand_v", 2000, head_dim, 1),
        short_conv: short_conv(fields, true),
        output_gate: fields.flag("use_gate", true),
        ..plain
    }
}

fn delta_net(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(family, FlaMixer::DeltaNet, fields, 16, 4);
    let (hidden, heads) = (plain.hidden_size, plain.num_heads);
    only(fields, "qk_norm", &["l2"]);
    only(fields, "qk_activation", &["silu"]);
    if !fields.flag("use_beta", true) {
        refuse(fields, "use_beta");
    }
    if fields.flag("allow_neg_eigval", false) {
        refuse(fields, "allow_neg_eigval");
    }
    FlaConfig {
        family,
        head_k_dim: expanded(fields, "expand_k", 1000, hidden, heads),
        head_v_dim: expanded(fields, "expand_v", 1000, hidden, heads),
        short_conv: short_conv(fields, true),
        output_gate: fields.flag("use_gate", false),
        ..plain
    }
}

fn hgrn(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(family, FlaMixer::Hgrn, fields, 1, 4);
    if fields.flag("use_short_conv", false) {
        refuse(fields, "use_short_conv");
    }
    if fields.optional("expand_ratio", &(1..=64), 1) != 1 {
        refuse(fields, "expand_ratio");
    }
    FlaConfig {
        family,
        one_by_one: fields.text("attn_mode") != Some("chunk"),
        lower_bounds: fields.flag("use_lower_bound", true),
        ..plain
    }
}

fn hgrn2(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    /// Columns of a head.
    const EXPAND_RATIO: u64 = 128;
    let plain = common(family, FlaMixer::Hgrn2, fields, 1, 4);
    let hidden = plain.hidden_size;
    let (num_heads, columns) = if fields.is_null("expand_ratio") {
        let heads = plain.num_heads;
        (heads, fields.divided(hidden, heads, "num_heads"))
    } else {
        let columns = fields.optional("expand_ratio", &WIDTH, EXPAND_RATIO);
        (fields.divided(hidden, columns, "expand_ratio"), columns)
    };
    FlaConfig {
        family,
        num_heads,
        head_k_dim: columns,
        head_v_dim: columns,
        short_conv: short_conv(fields, false),
        output_gate: false,
        lower_bounds: fields.flag("use_lower_bound", true),
        ..plain
    }
}

fn transformer(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    let plain = common(family, FlaMixer::Attention, fields, 32, 4);
    let layers = (0..plain.num_hidden_layers).collect();
    FlaConfig {
        family,
        attention: vec![fla_attention::read(
            fields,
            plain.hidden_size,
            layers,
            plain.num_heads,
        )],
        ..plain
    }
}

fn mamba(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    // The names of 0.6.0 and 0.2.2.
    let rank = match fields.get("dt_rank") {
        Some(_) => "dt_rank",
        None => "time_step_rank",
    };
    let hidden = fields.optional("hidden_size", &WIDTH, 2048);
    if !fields.flag("use_conv_bias", true) {
        refuse(fields, "use_conv_bias");
    }
    state_space(family, FlaMixer::Mamba, fields, |fields, sizes| {
        StateSpace {
            state_size: fields.optional("state_size", &SMALL, 16),
            time_step_rank: mamba::rank(fields, rank, hidden),
            wide_residual: fields.flag("residual_in_fp32", false),
            ..sizes
        }
    })
}

fn mamba2(family: &'static Family, fields: &mut ConfigFields<'_>) -> FlaConfig {
    if fields.flag("D_has_hdim", false) {
        refuse(fields, "D_has_hdim");
    }
    if !fields.flag("rmsnorm", true) {
        refuse(fields, "rmsnorm");
    }
    state_space(family, FlaMixer::Mamba2, fields, |fields, sizes| {
        let heads = mamba::heads(fields, sizes.inner, None, 1);
        if heads.width() / heads.groups > NORM_WIDTH {
            let key = fields.key("n_groups");
            let finding =
                Finding::error(&key, message!(fla::norm_too_wide, norm_width = NORM_WIDTH));
            fields.push(finding.with_fix(&key, heads.groups * 2));
        }
        StateSpace {
            state_size: fields.optional("state_size", &SMALL, 128),
            conv_bias: fields.flag("use_conv_bias", true),
            wide_residual: fields.flag("residual_in_fp32", true),
            heads: Some(heads),
            ..sizes
        }
    })
}

/// A model whose layers are a state space alone, of `own` sizes.
fn state_space(
    family: &'static Family,
    mixer: FlaMixer,
    fields: &mut ConfigFields<'_>,
    own: impl FnOnce(&mut ConfigFields<'_>, StateSpace) -> StateSpace,
) -> FlaConfig {
    let plain = common(family, mixer, fields, 1, 4);
    let inner = plain.hidden_size * fields.optional("expand", &SMALL, 2);
    let sizes = StateSpace {
        inner: inner.min(*WIDTH.end()),
        conv_kernel: fields.optional("conv_kernel", &SMALL, 4),
        conv_bias: true,
        ..StateSpace::default()
    };
    FlaConfig {
        family,
        state_space: Some(FlaStateSpace {
            sizes: own(fields, sizes),
            bias: fields.flag("use_bias", false),
        }),
        // Its norms are fused whatever the config says.
        fused: FlaFused {
            norm: true,
            ..plain.fused
        },
        ..plain
    }
}
