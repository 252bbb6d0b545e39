//! The configs of Mamba, Falcon Mamba and Mamba 2 (`models/mamba`, `models/falcon_mamba`
//! and `models/mamba2` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH, message};
use crate::families::reading::options;
use crate::model::{ConfigFields, DecoderConfig, Family, ScanHeads, StateSpace};
use serde_json::Value;

/// Columns of a channel's state, tokens of a convolution, factors of expansion.
pub(crate) const SMALL: std::ops::RangeInclusive<u64> = 1..=4096;

/// Reads the config, with transformers' defaults for absent fields and `states` columns of a channel's state.
pub(crate) fn read(
    family: &'static Family,
    states: u64,
    fields: &mut ConfigFields<'_>,
) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let expand = fields.optional("expand", &SMALL, 2);
    let inner = hidden.saturating_mul(expand).min(*WIDTH.end());
    let time_step_rank = rank(fields, "time_step_rank", hidden);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: inner,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        attention_bias: options::biases(&rules.biases, fields).output,
        state_space: Some(StateSpace {
            state_size: fields.optional("state_size", &SMALL, states),
            conv_kernel: fields.optional("conv_kernel", &SMALL, 4),
            time_step_rank,
            conv_bias: fields.flag("use_conv_bias", true),
            wide_residual: fields.flag("residual_in_fp32", true),
            inner,
            ..StateSpace::default()
        }),
        ..DecoderConfig::plain(
            family,
            hidden,
            fields.optional("num_hidden_layers", &LAYERS, sizes.layers),
            sizes.heads,
        )
    }
}

/// Columns from which time steps are projected, by default a sixteenth of the hidden size.
pub(crate) fn rank(fields: &mut ConfigFields<'_>, field: &str, hidden: u64) -> u64 {
    let default = hidden.div_ceil(16);
    if fields.get(field) == Some(&Value::from("auto")) {
        default
    } else {
        fields.optional(field, &WIDTH, default)
    }
}

/// The heads of Mamba 2, which make up the inner width: `count` in `groups` groups by default, as many
/// as there are columns for where nothing is said.
pub(crate) fn heads(
    fields: &mut ConfigFields<'_>,
    inner: u64,
    count: Option<u64>,
    groups: u64,
) -> ScanHeads {
    let columns = fields.optional("head_dim", &WIDTH, 64);
    let fitting = (inner / columns).clamp(*HEADS.start(), *HEADS.end());
    let count = fields.optional("num_heads", &HEADS, count.unwrap_or(fitting));
    if count.checked_mul(columns) != Some(inner) {
        let key = fields.key("num_heads");
        let finding = Finding::error(&key, message!(mamba::head_widths, count, columns, inner));
        fields.push(if inner.is_multiple_of(columns) {
            finding.with_fix(&key, inner / columns)
        } else {
            finding
        });
    }
    scan_heads(
        fields,
        ["n_groups", "chunk_size"],
        [count, columns, groups, 256],
    )
}

/// `count` heads of `columns` columns in groups, as many as by default where the config says nothing.
pub(crate) fn scan_heads(
    fields: &mut ConfigFields<'_>,
    [groups, chunk]: [&str; 2],
    [count, columns, default_groups, default_chunk]: [u64; 4],
) -> ScanHeads {
    let given = fields.optional(groups, &HEADS, default_groups);
    if !count.is_multiple_of(given) {
        let key = fields.key(groups);
        fields.push(
            Finding::error(&key, message!(mamba::groups, groups, given, count)).with_fix(&key, 1),
        );
    }
    ScanHeads {
        count,
        columns,
        groups: if count.is_multiple_of(given) {
            given
        } else {
            1
        },
        chunk: fields.optional(chunk, &(2..=*SEQ_LEN.end()), default_chunk),
    }
}
