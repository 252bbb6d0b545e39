//! `bitnet` (`models/bitnet, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames};

/// `bitnet`.
pub(crate) const BITNET: Family = Family {
    model_types: &["bitnet"],
    source: "models/bitnet, transformers 5.23",
    decoder: Some(DecoderType::BitNet),
    // Sizes and options.
    // Names.
    names: LayerNames {
        sub_norms: [Some("attn_sub_norm"), Some("ffn_sub_norm")],
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("bitnet-b1.58-2b", 2_412_820_480)],
    ..LLAMA
};
