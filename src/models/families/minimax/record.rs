//! `minimax` (`models/minimax, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ExpertRule, Family, LayerNames, Options, Parts, Piece, Proof, Reader, Routing, Sizes,
    StoredExperts, Style, Window, WindowLayers, WindowOn,
};

/// `minimax`.
pub(crate) const MINIMAX: Family = Family {
    model_types: &["minimax"],
    source: "models/minimax, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        inner: 14_336,
        kv_heads: Some(8),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Given,
        layers: WindowLayers::All,
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        stored: StoredExperts::Numbered,
        routing: Routing::WideSoftmax,
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        order: [Piece::Mixer, Piece::Norms, Piece::Mlp, Piece::Beside],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        adds_to_normalized: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::Never,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    training_cache: crate::model::CacheSupport {
        counts: true,
        ..crate::model::CacheSupport::USUAL
    },
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_MIXTRAL,
    tensor_plan: crate::model::EXPERTS_PLAN,
    fixtures: Proof::of(&["minimax.jsonl"]),
    published: Proof::of(&[("minimax-text-01", 456_089_655_296)]),
    ..LLAMA
};
