//! BART (`models/bart/configuration_bart.py` of transformers 5.23 and 4.51).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use super::modules::{Module, embedding, linear, norm, output};
use super::{Activation, Dropout, Recordings, whisper};

/// Rows of a table of positions before the first (`BartLearnedPositionalEmbedding.offset`).
const POSITION_OFFSET: u64 = 2;

/// BART as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BartConfig {
    /// H.
    pub d_model: u64,
    /// V.
    pub vocab_size: u64,
    /// Rows of each table of positions.
    pub position_rows: u64,
    /// The encoder.
    pub encoder: BartStack,
    /// The decoder.
    pub decoder: BartStack,
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// Whether what that function gives is dropped out.
    pub activation_dropout: bool,
    /// Where else dropout is active in training; what it does to embeddings it does to the residual.
    pub dropout: Dropout,
    /// Whether the config ties the head to the embedding.
    pub tie_word_embeddings: bool,
    /// The recordings that the encoder hears, of Whisper.
    pub recordings: Option<Recordings>,
}

/// The sizes of an encoder or a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BartStack {
    /// L.
    pub layers: u64,
    /// F.
    pub ffn_dim: u64,
    /// A.
    pub attention_heads: u64,
    /// D.
    pub head_dim: u64,
}

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(fields: &mut ConfigFields<'_>) -> BartConfig {
    let d_model = fields.required("d_model", &WIDTH, 1024);
    let encoder = stack(fields, ENCODER, d_model, [12, 4096, 16]);
    let decoder = stack(fields, DECODER, d_model, [12, 4096, 16]);
    let positions = fields.optional("max_position_embeddings", &SEQ_LEN, 1024);
    let dropped = fields.drops("dropout", true);
    BartConfig {
        d_model,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 50_265),
        position_rows: positions + POSITION_OFFSET,
        encoder,
        decoder,
        activation: fields.activation("activation_function", "gelu"),
        activation_dropout: fields.drops("activation_dropout", false),
        dropout: Dropout {
            embedding: dropped,
            attention: fields.drops("attention_dropout", false),
            residual: dropped,
        },
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        recordings: None,
    }
}

/// The fields of the encoder: its layers, their width and their heads.
pub(super) const ENCODER: [&str; 3] = [
    "encoder_layers",
    "encoder_ffn_dim",
    "encoder_attention_heads",
];
/// The same of the decoder.
pub(super) const DECODER: [&str; 3] = [
    "decoder_layers",
    "decoder_ffn_dim",
    "decoder_attention_heads",
];

/// The stack that these fields describe, or that these `defaults` do.
pub(super) fn stack(
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

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(c: &BartConfig) -> Vec<Module> {
    if c.recordings.is_some() {
        return whisper::modules(c);
    }
    let mut all = vec![embedding("model.shared")];
    for (name, stack) in [("encoder", c.encoder), ("decoder", c.decoder)] {
        all.push(embedding(format!("model.{name}.embed_positions")));
        for i in 0..stack.layers {
            let at = |name: &str, part: &str| format!("model.{name}.layers.{i}.{part}");
            let mut attention = |module: &str| {
                for projection in ["k_proj", "v_proj", "q_proj", "out_proj"] {
                    all.push(linear(at(name, &format!("{module}.{projection}")), true));
                }
                all.push(norm(at(name, &format!("{module}_layer_norm"))));
            };
            attention("self_attn");
            if name == "decoder" {
                attention("encoder_attn");
            }
            all.push(linear(at(name, "fc1"), true));
            all.push(linear(at(name, "fc2"), true));
            all.push(norm(at(name, "final_layer_norm")));
        }
        all.push(norm(format!("model.{name}.layernorm_embedding")));
    }
    all.push(output("lm_head", c.tie_word_embeddings));
    all
}
