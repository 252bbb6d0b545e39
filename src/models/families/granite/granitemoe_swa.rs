//! `granitemoe_swa` (`models/granitemoe_swa, transformers 5.23`).

use super::granite_swa;
use crate::families::llama::LLAMA;
use crate::model::{
    EmbeddingScale, ExpertRule, Family, LayerNames, Masks, Options, Parts, Proof, Reader, Routing,
    SPARSE, SharedForm, SharedWidth, Sinks, StoredExperts, Style, Window, WindowLayers, WindowOn,
};

/// `granitemoe_swa`.
pub(crate) const GRANITEMOE_SWA: Family = Family {
    model_types: &["granitemoe_swa"],
    source: "models/granitemoe_swa, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(granite_swa::read),
    options: Options::PLAIN,
    window: Window {
        on: WindowOn::Needed,
        layers: WindowLayers::AfterEvery(4),
        width: 128,
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        stored: StoredExperts::Stacked,
        shared: SharedWidth::FieldOrNone("shared_intermediate_size", 0),
        shared_form: SharedForm::Beside,
        routing: Routing::Largest { biased: false },
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        block: SPARSE,
        router: "router",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        masks: Masks::Both,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        sinks: Some(Sinks::Scale),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    plain_logits: false,
    attention_support: crate::model::AttentionSupport::SINKS,
    tensor_plan: &[],
    fixtures: Proof::of(&["granite_swa.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
