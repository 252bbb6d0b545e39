//! `vaultgemma` (`models/vaultgemma, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, EmbeddingScale, Family, LayerNames, Masks, NormKind, Style};

/// `vaultgemma`.
pub(crate) const VAULTGEMMA: Family = Family {
    model_types: &["vaultgemma"],
    source: "models/vaultgemma, transformers 5.23",
    decoder: Some(DecoderType::VaultGemma),
    // Sizes and options.
    // Names.
    names: LayerNames {
        norms: [
            Some("input_layernorm"),
            None,
            Some("pre_feedforward_layernorm"),
            None,
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::OnePlusRoot,
        embedding_scale: EmbeddingScale::Buffer,
        masks: Masks::Both,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[],
    ..LLAMA
};
