//! `deepseek_v3` (`models/deepseek_v3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Parts};

/// `deepseek_v3`.
pub(crate) const DEEPSEEK_V3: Family = Family {
    model_types: &["deepseek_v3"],
    source: "models/deepseek_v3, transformers 5.23",
    decoder: Some(DecoderType::DeepseekV3),
    // Sizes and options.
    // Names.
    // Parts.
    layers: Parts {
        sums_by_weights_in_4: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    later_tasks: &[(
        crate::ask::Task::SequenceClassification,
        crate::model::Since::V5,
    )],
    // Support.
    fixtures: &["moe.jsonl"],
    published: &[("deepseek-v3", 671_026_404_352)],
    ..LLAMA
};
