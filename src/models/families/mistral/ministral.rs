//! `ministral` (`models/ministral, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Masks, Options, Proof, Reader, Sizes, Style, Window, WindowLayers, WindowOn,
};

/// `ministral`.
pub(crate) const MINISTRAL: Family = Family {
    model_types: &["ministral"],
    source: "models/ministral, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
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
        on: WindowOn::UnlessNull,
        layers: WindowLayers::AllUnlessListed,
        ..Window::NONE
    },
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    // `modeling_mistral.CrossEntropyLoss`; the loss is another module's function.
    liger: Some(crate::model::LigerSupport {
        misses_loss: true,
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    fixtures: Proof::of(&["smollm3_exaone4_seed_oss.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
