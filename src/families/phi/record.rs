//! `phi` (`models/phi, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, NormKind, Style};

/// `phi`.
pub(crate) const PHI: Family = Family {
    model_types: &["phi"],
    source: "models/phi, transformers 5.23",
    decoder: Some(DecoderType::Phi),
    // Sizes and options.
    // Names.
    names: LayerNames {
        last_norm: "final_layernorm",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        head_bias: true,
        ..Style::LLAMA
    },
    // Programs.
    // Support.
    fixtures: &["phi.jsonl"],
    published: &[("phi-2", 2_779_683_840)],
    ..LLAMA
};
