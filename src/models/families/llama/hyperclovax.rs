//! `hyperclovax` (`models/hyperclovax, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{Biases, EmbeddingScale, Family, Flag, Options, Parts, Proof, Reader, Style};

/// `hyperclovax`.
pub(crate) const HYPERCLOVAX: Family = Family {
    model_types: &["hyperclovax"],
    source: "models/hyperclovax, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        post_norms: Flag::Said("use_post_norm", true),
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
