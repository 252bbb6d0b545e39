//! `granitemoehybrid` (`models/granitemoehybrid, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    BESIDE, DecoderType, EmbeddingScale, Family, LayerNames, MlpNames, Parts, Piece, SPARSE, Style,
};

/// `granitemoehybrid`.
pub(crate) const GRANITEMOEHYBRID: Family = Family {
    model_types: &["granitemoehybrid"],
    source: "models/granitemoehybrid, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoeHybrid),
    // Sizes and options.
    // Names.
    names: LayerNames {
        block: SPARSE,
        router: "router",
        dense: Some((
            "shared_mlp",
            MlpNames::Fused {
                names: BESIDE,
                gate_first: true,
            },
        )),
        mixer: "mamba",
        order: [Piece::Norms, Piece::Mlp, Piece::Beside, Piece::Mixer],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        passes_positions: false,
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["granite_hybrid.jsonl"],
    published: &[("granite-4.0-h-tiny", 6_939_037_248)],
    ..LLAMA
};
