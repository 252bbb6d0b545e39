//! `falcon_mamba` (`models/falcon_mamba, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `falcon_mamba`.
pub(crate) const FALCON_MAMBA: Family = Family {
    model_types: &["falcon_mamba"],
    source: "models/falcon_mamba, transformers 5.23",
    decoder: Some(DecoderType::FalconMamba),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    training_cache: crate::model::CacheSupport::STATES,
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    fixtures: &["mamba2.jsonl"],
    published: &[("falcon-mamba-7b", 7_272_665_088)],
    ..LLAMA
};
