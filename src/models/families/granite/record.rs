//! `granite` (`models/granite, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{Biases, EmbeddingScale, Family, Options, Parts, Proof, Reader, Style};

/// `granite`.
pub(crate) const GRANITE: Family = Family {
    model_types: &["granite"],
    source: "models/granite, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
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
    tasks: crate::model::CAUSAL_LM,
    // Support.
    // Its logits are scaled on each call.
    liger: Some(crate::model::LigerSupport {
        loss: crate::ask::LigerKernel::CrossEntropy,
        lacks: Some(crate::ask::LigerKernel::FusedLinearCrossEntropy),
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    plain_logits: false,
    fixtures: Proof::of(&["starcoder2_granite.jsonl"]),
    published: Proof::of(&[
        ("granite-3.1-2b", 2_533_531_648),
        ("granite-3.1-8b", 8_170_848_256),
    ]),
    ..LLAMA
};
