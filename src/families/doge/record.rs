//! `doge` (`models/doge, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{AttentionKind, DecoderType, Family, LayerNames, Masks, Parts, Piece, Style};

/// `doge`.
pub(crate) const DOGE: Family = Family {
    model_types: &["doge"],
    source: "models/doge, transformers 5.23",
    decoder: Some(DecoderType::Doge),
    // Sizes and options.
    // Names.
    names: LayerNames {
        order: [Piece::Norms, Piece::Mixer, Piece::Mlp, Piece::Beside],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        masks: Masks::Always,
        ..Style::LLAMA
    },
    layers: Parts {
        attention: AttentionKind::Dynamic,
        trained_residuals: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["doge.jsonl"],
    published: &[],
    ..LLAMA
};
