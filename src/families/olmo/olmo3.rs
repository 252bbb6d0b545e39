//! `olmo3` (`models/olmo3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, Family, HeadNorm, LayerNames, Masks, NormKind, Parts, Style, Turn,
};

/// `olmo3`.
pub(crate) const OLMO3: Family = Family {
    model_types: &["olmo3"],
    source: "models/olmo3, transformers 5.23",
    decoder: Some(DecoderType::Olmo3),
    // Sizes and options.
    // Names.
    names: LayerNames {
        norms: [
            None,
            Some("post_attention_layernorm"),
            None,
            Some("post_feedforward_layernorm"),
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::WideRoot,
        wide_rotary: true,
        masks: Masks::Both,
        local_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::WideHalves,
        head_norm: HeadNorm::Whole(NormKind::WideRoot),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("olmo-3-7b", 7_298_011_136)],
    ..LLAMA
};
