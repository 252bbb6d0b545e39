//! `phi3` (`models/phi3, transformers 5.23`).

use super::phi3_reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Dropout, DropoutFields, Family, HeadDim, MaskingIn4, Options, Proof, Reader,
    RotaryColumns, Sizes, Style, Window, WindowLayers, WindowOn,
};

/// `phi3`.
pub(crate) const PHI3: Family = Family {
    model_types: &["phi3"],
    source: "models/phi3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(phi3_reader::read),
    sizes: Sizes {
        hidden: 3072,
        inner: 8192,
        vocabulary: 32_064,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 1000),
        dropout: DropoutFields {
            residual: Some(("resid_pdrop", false)),
            modules: Dropout::BESIDE_ATTENTION,
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Given,
        layers: WindowLayers::AllUnlessListed,
        ..Window::NONE
    },
    // Names.
    // Parts.
    style: Style {
        masking_in_4: MaskingIn4::Compared,
        ..Style::LLAMA
    },
    // Programs.
    // Support.
    liger: Some(crate::model::LigerSupport::SWIGLU),
    fixtures: Proof::of(&["phi3.jsonl"]),
    published: Proof::of(&[
        ("phi-3-medium", 13_960_238_080),
        ("phi-3.5-mini", 3_821_079_552),
        ("phi-4-mini", 3_836_021_760),
        ("phi-4", 14_659_507_200),
        ("phi-3-mini", 3_821_079_552),
    ]),
    ..LLAMA
};
