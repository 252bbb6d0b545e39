//! The config of `MiniMax` (`models/minimax/configuration_minimax.py` of transformers 5.23), whose layers attend
//! or follow lightning attention, each with a mixture of experts.

use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::families::hybrid::reader as hybrid;
use crate::families::reading::experts;
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{DecoderConfig, DecoderType, Dropout, Mixing, ScanHeads, StateSpace};

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = DecoderType::MiniMax;
    let hidden = fields.optional("hidden_size", &WIDTH, 4096);
    let layers = fields.optional("num_hidden_layers", &LAYERS, 32);
    let heads = fields.optional("num_attention_heads", &HEADS, 32);
    let width = fields.optional("intermediate_size", &WIDTH, 14_336);
    fields.check_activation("hidden_act", &["silu", "swish"]);
    let head_dim = match fields.get("head_dim") {
        Some(_) => fields.optional("head_dim", &WIDTH, 128),
        None => fields.divided(hidden, heads, "num_attention_heads"),
    };
    let attends = hybrid::attending(fields, model_type, layers);
    let mixing = |attends| {
        if attends {
            Mixing::Attention
        } else {
            Mixing::Lightning
        }
    };
    let window = (!fields.is_null("sliding_window") && fields.get("sliding_window").is_some())
        .then(|| fields.optional("sliding_window", &SEQ_LEN, 4096));
    DecoderConfig {
        mixers: attends.into_iter().map(mixing).collect(),
        num_key_value_heads: fields.shared_heads(heads, 8.min(heads)),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 32_000),
        rotary_dim: head_dim,
        intermediate_size: width,
        experts: experts::read(model_type, layers, width, fields),
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
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
        dropout: Dropout {
            attention: fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        ..DecoderConfig::plain(family, hidden, layers, heads)
    }
}
