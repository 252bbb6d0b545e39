//! `exaone_moe` (`models/exaone_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, Masks, NormKind, Parts, Style};

/// `exaone_moe`.
pub(crate) const EXAONE_MOE: Family = Family {
    model_types: &["exaone_moe"],
    source: "models/exaone_moe, transformers 5.23",
    decoder: Some(DecoderType::ExaoneMoe),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        only_needed_masks: true,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Heads(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("k-exaone-236b-a23b", 236_571_150_336)],
    ..LLAMA
};
