//! The config of `MiniMax` (`models/minimax/configuration_minimax.py` of transformers 5.23), whose layers attend
//! or follow lightning attention, each with a mixture of experts.

use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::families::hybrid::reader as hybrid;
use crate::families::reading::{experts, options, window};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{DecoderConfig, Mixing, ScanHeads, StateSpace};

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let layers = fields.optional("num_hidden_layers", &LAYERS, sizes.layers);
    let heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let width = fields.optional("intermediate_size", &WIDTH, sizes.inner);
    fields.check_activation("hidden_act", &["silu", "swish"]);
    let names_heads = "num_attention_heads";
    let head_dim = options::head_dim(sizes.head_dim, [hidden, heads], names_heads, fields);
    let attends = hybrid::attending(layers, |layer| layer.is_multiple_of(2), fields);
    let mixing = |attends| {
        if attends {
            Mixing::Attention
        } else {
            Mixing::Lightning
        }
    };
    let window = window::read(&family.window, layers, fields).width;
    DecoderConfig {
        mixers: attends.into_iter().map(mixing).collect(),
        num_key_value_heads: fields.shared_heads(heads, sizes.kv_heads.unwrap_or(heads).min(heads)),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        rotary_dim: head_dim,
        intermediate_size: width,
        experts: experts::read(family.experts.as_ref(), layers, width, fields),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        sliding_window: window,
        windowed: vec![window.is_some(); usize::try_from(layers).unwrap_or(0)],
        state_space: Some(StateSpace {
            state_size: head_dim,
            heads: Some(ScanHeads {
                count: heads,
                columns: head_dim,
                groups: heads,
                chunk: fields.optional("block_size", &(1..=*SEQ_LEN.end()), 256),
            }),
            ..StateSpace::default()
        }),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden, layers, heads)
    }
}
