//! `hy_v3` (`models/hy_v3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, NormKind, Parts};

/// `hy_v3`.
pub(crate) const HY_V3: Family = Family {
    model_types: &["hy_v3"],
    source: "models/hy_v3, transformers 5.23",
    decoder: Some(DecoderType::HyV3),
    // Sizes and options.
    // Names.
    // Parts.
    layers: Parts {
        head_norm: HeadNorm::Heads(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("hy3-295b-a21b", 295_033_528_320)],
    ..LLAMA
};
