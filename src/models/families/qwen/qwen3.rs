//! `qwen3` (`models/qwen3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    Family, HeadDim, HeadNorm, MaskingIn4, Masks, NormKind, Options, Parts, Proof, Sizes, Style,
    Window, WindowLayers, WindowOn,
};

/// `qwen3`.
pub(crate) const QWEN3: Family = Family {
    model_types: &["qwen3"],
    source: "models/qwen3, transformers 5.23",
    // Sizes and options.
    sizes: Sizes {
        inner: 22_016,
        vocabulary: 151_936,
        kv_heads: Some(32),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    window: Window {
        on: WindowOn::Asked,
        layers: WindowLayers::From(28),
        idle: true,
        ..Window::NONE
    },
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        only_needed_masks: true,
        masking_in_4: MaskingIn4::Window,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Rows(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: Some(crate::model::LigerSupport::SWIGLU),
    fixtures: Proof::of(&["llama_family.jsonl"]),
    published: Proof::of(&[
        ("qwen3-0.6b", 596_049_920),
        ("qwen3-1.7b", 1_720_574_976),
        ("qwen3-4b", 4_022_468_096),
        ("qwen3-8b", 8_190_735_360),
        ("qwen3-14b", 14_768_307_200),
        ("qwen3-32b", 32_762_123_264),
    ]),
    ..LLAMA
};
