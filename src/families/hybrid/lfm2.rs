//! `lfm2` (`models/lfm2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, LayerNames, MlpNames, NormKind, Parts, Style};

/// `lfm2`.
pub(crate) const LFM2: Family = Family {
    model_types: &["lfm2"],
    source: "models/lfm2, transformers 5.23",
    decoder: Some(DecoderType::Lfm2),
    // Sizes and options.
    // Names.
    names: LayerNames {
        block: "feed_forward",
        attention_output: "out_proj",
        head_norms: ["q_layernorm", "k_layernorm"],
        mixer: "conv",
        last_norm: "embedding_norm",
        norms: [Some("operator_norm"), None, Some("ffn_norm"), None],
        mlp: MlpNames::Numbered,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Rows(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["lfm2_bamba.jsonl"],
    published: &[
        ("lfm2-350m", 354_483_968),
        ("lfm2-700m", 742_489_344),
        ("lfm2-1.2b", 1_170_340_608),
    ],
    ..LLAMA
};
