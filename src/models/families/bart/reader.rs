//! BART (`models/bart/configuration_bart.py` of transformers 5.23 and 4.51) and its kin
//! (`models/{mbart,plbart,blenderbot,blenderbot_small,pegasus,marian,m2m_100}/configuration_*.py` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, SEQ_LEN, Task, VOCABULARY, WIDTH, message};
use crate::model::ConfigFields;
use crate::model::{BartConfig, BartKind, BartStack, Dropout, Family};

/// Rows of a table of positions before the first (`BartLearnedPositionalEmbedding.offset`).
const POSITION_OFFSET: u64 = 2;

/// Reads a config, of which the `task` may need the decoder alone. Errors are pushed to `fields`; the
/// sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    kind: BartKind,
    task: Option<Task>,
    fields: &mut ConfigFields<'_>,
) -> BartConfig {
    let multilingual = kind == BartKind::M2m100;
    refuse(kind, fields);
    let d_model = fields.required("d_model", &WIDTH, 1024);
    let defaults = kind.defaults();
    let positions = defaults.positions;
    let encoder = stack(fields, ENCODER, d_model, defaults.encoder);
    let decoder = stack(fields, DECODER, d_model, defaults.decoder);
    let positions = fields.optional("max_position_embeddings", &SEQ_LEN, positions);
    let dropped = fields.drops("dropout", true);
    BartConfig {
        family,
        kind,
        d_model,
        vocab_size: fields.optional(
            "vocab_size",
            &VOCABULARY,
            match kind {
                BartKind::Marian => 58_101,
                BartKind::M2m100 => 128_112,
                BartKind::Plbart => 50_005,
                BartKind::Blenderbot => 8008,
                _ => 50_265,
            },
        ),
        position_rows: if kind.counts_from_zero() {
            positions
        } else {
            positions + POSITION_OFFSET
        },
        encoder,
        decoder,
        activation: fields.activation(
            "activation_function",
            if multilingual { "relu" } else { "gelu" },
        ),
        activation_dropout: fields.drops("activation_dropout", false),
        dropout: Dropout {
            embedding: dropped,
            attention: fields.drops(
                "attention_dropout",
                multilingual || kind == BartKind::Plbart,
            ),
            residual: dropped,
        },
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        alone: task == Some(Task::CausalLm) && !multilingual,
        repeats_nothing: kind == BartKind::Blenderbot
            && fields.optional("encoder_no_repeat_ngram_size", &(0..=*VOCABULARY.end()), 3) > 0,
        recordings: None,
    }
}

/// Refuses options of BART's kin that are not estimated.
fn refuse(kind: BartKind, fields: &mut ConfigFields<'_>) {
    if kind == BartKind::Marian && !fields.flag("share_encoder_decoder_embeddings", true) {
        let key = fields.key("share_encoder_decoder_embeddings");
        fields
            .push(Finding::error(&key, message!(bart::embeddings_not_shared)).with_fix(&key, true));
    }
    if kind == BartKind::M2m100 {
        for field in ["encoder_layerdrop", "decoder_layerdrop"] {
            if fields.drops(field, true) {
                let key = fields.key(field);
                fields.push(
                    Finding::warning(&key, message!(bart::layers_left_out, field))
                        .with_fix(&key, 0),
                );
            }
        }
    }
}

/// The fields of the encoder: its layers, their width and their heads.
pub(crate) const ENCODER: [&str; 3] = [
    "encoder_layers",
    "encoder_ffn_dim",
    "encoder_attention_heads",
];

/// Fields of the decoder.
pub(crate) const DECODER: [&str; 3] = [
    "decoder_layers",
    "decoder_ffn_dim",
    "decoder_attention_heads",
];

/// The stack that these fields describe, or that these `defaults` do.
pub(crate) fn stack(
    fields: &mut ConfigFields<'_>,
    [layers, ffn_dim, heads]: [&str; 3],
    d_model: u64,
    defaults: [u64; 3],
) -> BartStack {
    let attention_heads = fields.optional(heads, &HEADS, defaults[2]);
    BartStack {
        layers: fields.optional(layers, &LAYERS, defaults[0]),
        ffn_dim: fields.optional(ffn_dim, &WIDTH, defaults[1]),
        attention_heads,
        head_dim: fields.divided(d_model, attention_heads, heads),
    }
}
