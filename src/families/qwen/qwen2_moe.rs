//! `qwen2_moe` (`models/qwen2_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, MaskingIn4, Masks, Parts, Style};

/// `qwen2_moe`.
pub(crate) const QWEN2_MOE: Family = Family {
    model_types: &["qwen2_moe"],
    source: "models/qwen2_moe, transformers 5.23",
    decoder: Some(DecoderType::Qwen2Moe),
    // Sizes and options.
    // Names.
    names: LayerNames {
        shared: "shared_expert",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        masks: Masks::Both,
        masking_in_4: MaskingIn4::Window,
        ..Style::LLAMA
    },
    layers: Parts {
        contiguous_for_mask_in_4: true,
        unread_rotary_in_4: true,
        forgets_weights_in_4: true,
        ..Parts::LLAMA
    },
    // Programs.
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["moe.jsonl"],
    published: &[("qwen1.5-moe-a2.7b", 14_315_784_192)],
    ..LLAMA
};
