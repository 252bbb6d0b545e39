//! `persimmon` (`models/persimmon, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, Family, HeadNorm, Holds, LayerNames, MlpNames, NormKind, Parts, Style, Turn,
};

/// `persimmon`.
pub(crate) const PERSIMMON: Family = Family {
    model_types: &["persimmon"],
    source: "models/persimmon, transformers 5.23",
    decoder: Some(DecoderType::Persimmon),
    // Sizes and options.
    // Names.
    names: LayerNames {
        head_norms: ["q_layernorm", "k_layernorm"],
        attention_output: "dense",
        last_norm: "final_layernorm",
        projections: &["query_key_value"],
        mlp: MlpNames::Plain(["dense_h_to_4h", "dense_4h_to_h"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::Part,
        holds: Holds::Turned,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| {
        parts.head_norm = HeadNorm::Rows(NormKind::Layer).when(c.head_norms);
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("persimmon-8b", 9_397_175_296)],
    ..LLAMA
};
