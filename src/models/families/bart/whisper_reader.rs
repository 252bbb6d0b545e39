//! Whisper (`models/whisper/configuration_whisper.py` of transformers 5.23, 4.51 and 4.48): BART's
//! stacks with norms first, over recordings instead of text.

use super::reader as bart;
use crate::ask::{SEQ_LEN, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::{BartConfig, BartKind, Dropout, Family, Recordings};

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> BartConfig {
    let d_model = fields.optional("d_model", &WIDTH, 384);
    let dropped = fields.drops("dropout", false);
    BartConfig {
        family,
        kind: BartKind::Bart,
        alone: false,
        repeats_nothing: false,
        d_model,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 51_865),
        position_rows: fields.optional("max_target_positions", &SEQ_LEN, 448),
        encoder: bart::stack(fields, bart::ENCODER, d_model, [4, 1536, 6]),
        decoder: bart::stack(fields, bart::DECODER, d_model, [4, 1536, 6]),
        activation: fields.activation("activation_function", "gelu"),
        activation_dropout: fields.drops("activation_dropout", false),
        dropout: Dropout {
            embedding: dropped,
            attention: fields.drops("attention_dropout", false),
            residual: dropped,
        },
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        recordings: Some(Recordings {
            num_mel_bins: fields.optional("num_mel_bins", &WIDTH, 80),
            max_source_positions: fields.optional("max_source_positions", &SEQ_LEN, 1500),
        }),
    }
}
