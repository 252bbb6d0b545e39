//! `granitemoeshared` (`models/granitemoeshared, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    DecoderType, ExpertRule, Family, Options, Reader, Routing, SharedForm, SharedWidth,
};

/// `granitemoeshared`.
pub(crate) const GRANITEMOESHARED: Family = Family {
    model_types: &["granitemoeshared"],
    source: "models/granitemoeshared, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoeShared),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    options: Options::PLAIN,
    experts: Some(ExpertRule {
        shared: SharedWidth::FieldOrNone("shared_intermediate_size", 0),
        shared_form: SharedForm::Beside,
        routing: Routing::Largest { biased: false },
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["granitemoe_before_5.jsonl", "mixtures.jsonl", "moe.jsonl"],
    published: &[],
    ..LLAMA
};
