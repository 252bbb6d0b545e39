//! Whisper (`models/whisper/configuration_whisper.py` of transformers 5.23, 4.51 and 4.48): BART's
//! stacks with norms first, over recordings instead of text.

use super::reader as bart;
use crate::ask::{SEQ_LEN, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::{
    BartConfig, BartKind, Dropout, Family, Module, Recordings, embedding, linear, norm, other,
    output,
};

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
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

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &BartConfig) -> Vec<Module> {
    let with_bias = |path: &str| Module {
        parameters: &["weight", "bias"],
        ..other(path)
    };
    let mut all = ["conv1", "conv2"]
        .map(|name| with_bias(&format!("model.encoder.{name}")))
        .to_vec();
    for (stack, layers) in [("encoder", c.encoder.layers), ("decoder", c.decoder.layers)] {
        let at = |part: &str| format!("model.{stack}.{part}");
        if stack == "decoder" {
            all.push(embedding(at("embed_tokens")));
        }
        all.push(embedding(at("embed_positions")));
        for i in 0..layers {
            let of_layer = |part: &str| at(&format!("layers.{i}.{part}"));
            let mut attention = |module: &str| {
                for (projection, bias) in [
                    ("k_proj", false),
                    ("v_proj", true),
                    ("q_proj", true),
                    ("out_proj", true),
                ] {
                    all.push(linear(of_layer(&format!("{module}.{projection}")), bias));
                }
                all.push(norm(of_layer(&format!("{module}_layer_norm"))));
            };
            attention("self_attn");
            if stack == "decoder" {
                attention("encoder_attn");
            }
            all.extend(["fc1", "fc2"].map(|name| linear(of_layer(name), true)));
            all.push(norm(of_layer("final_layer_norm")));
        }
        all.push(norm(at("layer_norm")));
    }
    all.push(output("proj_out", c.tie_word_embeddings));
    all
}
