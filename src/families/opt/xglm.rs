//! `xglm` (`models/xglm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `xglm`.
pub(crate) const XGLM: Family = Family {
    model_types: &["xglm"],
    source: "models/xglm, transformers 5.23",
    decoder: Some(DecoderType::Xglm),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::Never,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["xglm.jsonl"],
    published: &[
        ("xglm-564m", 564_463_616),
        ("xglm-1.7b", 1_732_907_008),
        ("xglm-2.9b", 2_941_505_536),
        ("xglm-4.5b", 4_552_511_488),
        ("xglm-7.5b", 7_492_771_840),
    ],
    ..LLAMA
};
