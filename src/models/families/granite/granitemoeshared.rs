//! `granitemoeshared` (`models/granitemoeshared, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    EmbeddingScale, ExpertRule, Family, LayerNames, Options, Parts, Proof, Reader, Routing, SPARSE,
    SharedForm, SharedWidth, StoredExperts, Style, Transformers,
};

/// `granitemoeshared`.
pub(crate) const GRANITEMOESHARED: Family = Family {
    model_types: &["granitemoeshared"],
    source: "models/granitemoeshared, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    options: Options::PLAIN,
    experts: Some(ExpertRule {
        stored: StoredExperts::Linear,
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
        embedding_scale: EmbeddingScale::Replaced,
        scaled_logits: true,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        contiguous_for_mask_in_4: true,
        ..Parts::LLAMA
    },
    put_together: |_, version, style, _| {
        if version != Transformers::V5 {
            style.embedding_scale = EmbeddingScale::Number;
            style.widened_for_loss = true;
            style.whole_head = true;
        }
    },
    // Programs.
    since: crate::model::Since::V451,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    plain_logits: false,
    tensor_plan: &[],
    fixtures: Proof::of(&["granitemoe_before_5.jsonl", "mixtures.jsonl", "moe.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
