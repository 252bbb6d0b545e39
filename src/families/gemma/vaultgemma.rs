//! `vaultgemma` (`models/vaultgemma, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `vaultgemma`.
pub(crate) const VAULTGEMMA: Family = Family {
    model_types: &["vaultgemma"],
    source: "models/vaultgemma, transformers 5.23",
    decoder: Some(DecoderType::VaultGemma),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport::EAGER,
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: &["newest_decoders.jsonl"],
    published: &[],
    ..LLAMA
};
