//! `hunyuan_v1_moe` (`models/hunyuan_v1_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `hunyuan_v1_moe`.
pub(crate) const HUNYUAN_V1_MOE: Family = Family {
    model_types: &["hunyuan_v1_moe"],
    source: "models/hunyuan_v1_moe, transformers 5.23",
    decoder: Some(DecoderType::HunyuanMoe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    fixtures: &["hunyuan_ernie_moe.jsonl"],
    published: &[("hunyuan-a13b", 80_393_183_232)],
    ..LLAMA
};
