//! `olmo3` (`models/olmo3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Family, Flag, HeadNorm, LayerNames, Masks, NormKind, Options, Parts, Proof, Reader, RotaryKind,
    Sizes, Style, Window, WindowLayers, WindowOn,
};

/// `olmo3`.
pub(crate) const OLMO3: Family = Family {
    model_types: &["olmo3"],
    source: "models/olmo3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        vocabulary: 50_304,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(Some("sliding_window_pattern"), 4),
        ..Window::NONE
    },
    // Names.
    names: LayerNames {
        norms: [
            None,
            Some("post_attention_layernorm"),
            None,
            Some("post_feedforward_layernorm"),
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::WideRoot,
        wide_rotary: true,
        masks: Masks::Both,
        local_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WideHalves,
        head_norm: HeadNorm::Whole(NormKind::WideRoot),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: Some(crate::model::LigerSupport {
        norms_in_place: false,
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    tensor_plan: crate::model::GATHERED_PLAN,
    fixtures: Proof::of(&["olmo_glm_helium.jsonl"]),
    published: Proof::of(&[("olmo-3-7b", 7_298_011_136)]),
    ..LLAMA
};
