//! `gemma` (`models/gemma, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gemma`.
pub(crate) const GEMMA: Family = Family {
    model_types: &["gemma"],
    source: "models/gemma, transformers 5.23",
    decoder: Some(DecoderType::Gemma),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: Some(crate::model::LigerSupport::GEGLU),
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-2b", 2_506_172_416)],
    ..LLAMA
};
