//! `arcee` (`models/arcee, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, MlpNames};

/// `arcee`.
pub(crate) const ARCEE: Family = Family {
    model_types: &["arcee"],
    source: "models/arcee, transformers 5.23",
    decoder: Some(DecoderType::Arcee),
    // Sizes and options.
    // Names.
    names: LayerNames {
        mlp: MlpNames::Plain(["up_proj", "down_proj"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["smollm3_exaone4_seed_oss.jsonl"],
    published: &[],
    ..LLAMA
};
