//! `lfm2_moe` (`models/lfm2_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, LayerNames, MlpNames, NormKind, Parts, Style};

/// `lfm2_moe`.
pub(crate) const LFM2_MOE: Family = Family {
    model_types: &["lfm2_moe"],
    source: "models/lfm2_moe, transformers 5.23",
    decoder: Some(DecoderType::Lfm2Moe),
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
    fixtures: &["further_decoders.jsonl", "lfm2_bamba.jsonl"],
    published: &[("lfm2-8b-a1b", 8_339_929_856)],
    ..LLAMA
};
