//! `falcon` (`models/falcon, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Dropout, DropoutFields, Family, Flag, HeadDim, LayerNames, Options, Proof, Reader,
    Sizes,
};

/// `falcon`.
pub(crate) const FALCON: Family = Family {
    model_types: &["falcon"],
    source: "models/falcon, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 4544,
        inner: 18_176,
        heads: 71,
        vocabulary: 65_024,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    names: LayerNames {
        cast_back: ["word_embeddings", "lm_head"],
        ..LayerNames::LLAMA
    },
    options: Options {
        tied: true,
        biases: Biases::attention(Flag::Said("bias", false)),
        dropout: DropoutFields {
            // Embeddings are not dropped, but what attention adds to the stream is, by this field, too.
            embedding: Some(("attention_dropout", false)),
            residual: Some(("hidden_dropout", false)),
            modules: Dropout::ATTENTION,
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: crate::model::Style {
        blind_masks: true,
        returns_several: true,
        ..crate::model::Style::LLAMA
    },
    // Programs.
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        flash_stand_in: Some(crate::ask::Attention::Sdpa),
        masked: crate::model::Versions::Since5,
        holds_mask: true,
        broadcasts_keys: crate::model::Versions::Before5,
        check: Some(super::support::check),
        ..crate::model::AttentionSupport::ALL
    },
    quantized_support: crate::model::QuantizedSupport {
        whole_linear: crate::model::Versions::Since5,
        ..crate::model::QuantizedSupport::USUAL
    },
    fixtures: Proof::of(&["falcon.jsonl"]),
    published: Proof::of(&[
        ("falcon-rw-1b", 1_311_625_216),
        ("falcon-7b", 6_921_720_704),
        ("falcon-40b", 41_303_293_952),
    ]),
    ..LLAMA
};
