//! The sizes of a model that ranks divide.

use super::mesh::divisor;
use crate::ask::{Finding, Message, message};
use crate::model::Architecture;

/// Sizes that are divided among ranks, where a model has them.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// Layers.
    pub(super) layers: Option<u64>,
    /// Attention heads.
    pub(super) heads: Option<u64>,
    /// Heads of keys and values.
    pub(super) key_value_heads: Option<u64>,
    /// Columns of the MLP.
    pub(super) intermediate: Option<u64>,
}

impl Sizes {
    /// The sizes of a model: all of a decoder's, heads of what else has some.
    pub(super) fn of(architecture: &Architecture) -> Self {
        match architecture {
            Architecture::Decoder(config) => Self {
                layers: Some(config.num_hidden_layers),
                heads: Some(config.num_attention_heads),
                key_value_heads: Some(config.num_key_value_heads),
                intermediate: Some(config.intermediate_size),
            },
            other => Self {
                heads: other.dimensions().map(|sizes| sizes.heads),
                ..Self::default()
            },
        }
    }
}

/// The first of `things`, each a name and a count, whose count is no multiple of `ranks`; none of fewer than 2 ranks.
pub(super) fn undivided(ranks: u64, things: &[(Message, Option<u64>)]) -> Option<(&Message, u64)> {
    let whole = |count: u64| ranks < 2 || count.is_multiple_of(ranks);
    let mut counted = things
        .iter()
        .filter_map(|(things, count)| Some((things, count.filter(|&count| count > 0)?)));
    counted.find(|&(_, count)| !whole(count))
}

/// Refuses `ranks` ranks for the first of some things, with their names, that they do not divide.
pub(super) fn must_divide(
    key: &str,
    ranks: u64,
    things: &[(Message, Option<u64>)],
    findings: &mut Vec<Finding>,
) {
    let Some((things, count)) = undivided(ranks, things) else {
        return;
    };
    let finding = Finding::error(
        key,
        message!(parallelism::not_divided, key, ranks, count, things),
    );
    findings.push(finding.with_fix(key, divisor(count, ranks)));
}
