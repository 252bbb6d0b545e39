//! `gpt_oss` (`models/gpt_oss, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, Masks, NormKind, Parts, Sinks, Style, Turn};

/// `gpt_oss`.
pub(crate) const GPT_OSS: Family = Family {
    model_types: &["gpt_oss"],
    source: "models/gpt_oss, transformers 5.23",
    decoder: Some(DecoderType::GptOss),
    // Sizes and options.
    // Names.
    names: LayerNames {
        router: "router",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::WideRoot,
        masks: Masks::Both,
        rotary_by_pair: true,
        liger_loss_budget: 8,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::Parts,
        sinks: Some(Sinks::Score),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["mixtures.jsonl"],
    published: &[
        ("gpt-oss-20b", 20_914_757_184),
        ("gpt-oss-120b", 116_829_156_672),
    ],
    ..LLAMA
};
