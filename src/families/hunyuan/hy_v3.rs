//! `hy_v3` (`models/hy_v3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `hy_v3`.
pub(crate) const HY_V3: Family = Family {
    model_types: &["hy_v3"],
    source: "models/hy_v3, transformers 5.23",
    decoder: Some(DecoderType::HyV3),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["further_decoders.jsonl"],
    published: &[("hy3-295b-a21b", 295_033_528_320)],
    ..LLAMA
};
