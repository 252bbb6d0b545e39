//! Parameters of what mixes tokens in the place of attention, counted by formula.

use super::decoders::experts;
use crate::model::{
    DecoderConfig, DecoderType, FlaConfig, FlaMixer, InnerNorms, Mixing, StateSpace,
};

/// Elements of all layers where they mix tokens in different ways.
pub(crate) fn hybrid_layers(config: &DecoderConfig) -> u64 {
    let (hidden, queries, keys) = (
        config.hidden_size,
        config.num_attention_heads * config.head_dim,
        config.num_key_value_heads * config.head_dim,
    );
    let norms = if config.head_norms {
        2 * config.head_dim
    } else {
        0
    };
    let sizes = config.state_space.expect("a state space");
    // There is a gate beside queries.
    let gate =
        if config.model_type.follows_delta_rule() && config.model_type != DecoderType::OlmoHybrid {
            hidden * queries
        } else {
            0
        };
    let attention = 2 * hidden * (queries + keys) + gate + norms;
    let mixer = |&mixing: &Mixing| match mixing {
        Mixing::Attention => attention,
        Mixing::Both => attention + state_space(config),
        Mixing::StateSpace => state_space(config),
        Mixing::GatedDelta => gated_delta(config),
        Mixing::Nothing => 0,
        Mixing::Lightning => queries * (5 * hidden + 1),
        Mixing::ShortConv => 4 * hidden * hidden + sizes.conv_kernel * hidden,
    };
    let alone = config.model_type == DecoderType::NemotronH;
    let mlp = |layer: usize| match &config.experts {
        _ if alone && config.mixers[layer] != Mixing::Nothing => 0,
        Some(mixture) if alone && mixture.is_sparse(layer) => {
            let columns = mixture.latent_size.unwrap_or(hidden);
            let latent = mixture.latent_size.unwrap_or(0);
            let shared = mixture.shared_intermediate_size.unwrap_or(0);
            mixture.count * (2 * columns * mixture.intermediate_size + hidden)
                + 2 * hidden * (shared + latent)
        }
        _ if alone => 2 * hidden * config.intermediate_size,
        Some(mixture) if mixture.is_sparse(layer) => experts(config),
        _ => 3 * hidden * config.intermediate_size,
    };
    let norms_of_layer = if alone { hidden } else { 2 * hidden };
    config
        .mixers
        .iter()
        .enumerate()
        .map(|(layer, mixing)| mixer(mixing) + mlp(layer) + norms_of_layer)
        .sum()
}

/// Elements of a mixer with the gated delta rule.
fn gated_delta(config: &DecoderConfig) -> u64 {
    let sizes = config.state_space.expect("sizes of the delta rule");
    let heads = sizes.heads.expect("heads");
    let values = heads.width();
    let channels = 2 * heads.groups * sizes.state_size + values;
    let projections = channels + values + 2 * heads.count + values;
    config.hidden_size * projections
        + channels * sizes.conv_kernel
        + 2 * heads.count
        + heads.columns
}

/// Elements of a mixer with a state space.
pub(crate) fn state_space(config: &DecoderConfig) -> u64 {
    let sizes = config.state_space.expect("a state space");
    state_space_of(config.hidden_size, &sizes)
}

/// The same between so many columns.
fn state_space_of(hidden: u64, sizes: &StateSpace) -> u64 {
    let inner = sizes.inner;
    if let Some(heads) = sizes.heads {
        let inner = heads.width();
        let channels = inner + 2 * heads.groups * sizes.state_size;
        return hidden * (inner + channels + heads.count)
            + channels * (sizes.conv_kernel + 1)
            + 3 * heads.count
            + inner * u64::from(!sizes.multiplied)
            + inner * hidden;
    }
    let time_steps = (sizes.time_step_rank + 1) * inner;
    let norms = if sizes.inner_norms == InnerNorms::Trained {
        sizes.time_step_rank + 2 * sizes.state_size
    } else {
        0
    };
    inner * (sizes.state_size + 1)
        + inner * (sizes.conv_kernel + 1)
        + 3 * hidden * inner
        + inner * (sizes.time_step_rank + 2 * sizes.state_size)
        + time_steps
        + norms
}

/// All weights of a model of flash-linear-attention.
pub(crate) fn fla_parameters(c: &FlaConfig) -> u64 {
    /// Columns between the two layers that give the decay.
    const LOW_RANK: u64 = 16;
    let h = c.hidden_size;
    let mixer = match c.mixer {
        FlaMixer::Gla => {
            2 * h * c.key_dim()
                + 3 * h * c.value_dim()
                + h * LOW_RANK
                + LOW_RANK * c.key_dim()
                + c.key_dim()
                + c.head_v_dim
        }
        FlaMixer::GatedDeltaNet => {
            let columns = 2 * c.key_dim() + c.value_dim();
            let convolutions = columns * c.short_conv.unwrap_or(0);
            let projections = columns + 2 * c.num_heads + 2 * c.value_dim();
            h * projections + convolutions + 2 * c.num_heads + c.head_v_dim
        }
        FlaMixer::RetNet => 2 * h * c.key_dim() + 3 * h * c.value_dim() + c.head_v_dim,
        FlaMixer::Hgrn | FlaMixer::Hgrn2 => 4 * h * h + 2 * h,
        FlaMixer::Attention => 4 * h * h,
        FlaMixer::Mamba | FlaMixer::Mamba2 => return fla_state_spaces(c),
        FlaMixer::DeltaNet => {
            let columns = 2 * c.key_dim() + c.value_dim();
            let convolutions = columns * c.short_conv.unwrap_or(0);
            h * (columns + c.num_heads + c.value_dim()) + convolutions + c.head_v_dim
        }
    };
    let layer = mixer + 3 * h * c.intermediate_size + 2 * h;
    2 * c.vocab_size * h + c.num_hidden_layers * layer + h
}

/// The same of one whose layers have no MLP.
fn fla_state_spaces(c: &FlaConfig) -> u64 {
    let (h, own) = (c.hidden_size, c.state_space.expect("a state space"));
    let mixer = state_space_of(h, &own.sizes);
    2 * c.vocab_size * h + c.num_hidden_layers * (mixer + h) + h
}
