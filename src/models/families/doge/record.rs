//! `doge` (`models/doge, transformers 5.23`).

use super::reader::kept_keys;
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    AttentionKind, Biases, ConfigFields, DecoderConfig, DropoutFields, Family, LayerNames, Masks,
    Options, Parts, Piece, Proof, Reader, Sizes, Style,
};

/// `doge`.
pub(crate) const DOGE: Family = Family {
    model_types: &["doge"],
    source: "models/doge, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 1024,
        inner: 2048,
        heads: 8,
        vocabulary: 32_768,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        dropout: DropoutFields {
            residual: Some(("hidden_dropout", false)),
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
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
    liger: None,
    attention_support: crate::model::AttentionSupport {
        flash_refused: Some(crate::model::FlashRefusal::ChosenKeys),
        check: Some(super::reader::check),
        ..crate::model::AttentionSupport::ALL
    },
    tensor_plan: &[],
    divides_experts: false,
    fixtures: Proof::of(&["doge.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};

/// Reads a config whose tokens attend to `kept_keys` of the keys before them.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = kin::read(family, fields);
    config.kept_keys = Some(kept_keys(fields));
    config
}
