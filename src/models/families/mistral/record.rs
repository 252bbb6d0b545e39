//! `mistral` (`models/mistral, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Family, MaskingIn4, Options, Proof, Sizes, Style, Window, WindowLayers, WindowOn,
};

/// `mistral`.
pub(crate) const MISTRAL: Family = Family {
    model_types: &["mistral"],
    source: "models/mistral, transformers 5.23",
    // Sizes and options.
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
        layers: WindowLayers::All,
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
    // `modeling_mistral.CrossEntropyLoss`; the loss is another module's function.
    liger: Some(crate::model::LigerSupport {
        misses_loss: true,
        ..crate::model::LigerSupport::SWIGLU
    }),
    fixtures: Proof::of(&["llama_family.jsonl"]),
    published: Proof::of(&[
        ("ministral-8b-2410", 8_019_808_256),
        ("mistral-7b", 7_241_732_096),
        ("mistral-7b-v0.2", 7_241_732_096),
        ("mistral-7b-v0.3", 7_248_023_552),
        ("pixtral-12b", 12_247_782_400),
        ("mistral-nemo-12b", 12_247_782_400),
        ("mistral-small-22b", 22_247_282_688),
        ("mistral-small-24b", 23_572_403_200),
        ("mistral-large-123b", 122_610_069_504),
    ]),
    ..LLAMA
};
