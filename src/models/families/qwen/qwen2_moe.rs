//! `qwen2_moe` (`models/qwen2_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ExpertRule, Family, Flag, LayerNames, MaskingIn4, Masks, Options, Parts, Proof,
    SharedWidth, Sizes, SparseLayers, Style, Window, WindowLayers, WindowOn,
};

/// `qwen2_moe`.
pub(crate) const QWEN2_MOE: Family = Family {
    model_types: &["qwen2_moe"],
    source: "models/qwen2_moe, transformers 5.23",
    // Sizes and options.
    sizes: Sizes {
        inner: 5632,
        vocabulary: 151_936,
        kv_heads: Some(16),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::qkv(Flag::Said("qkv_bias", true)),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Asked,
        layers: WindowLayers::EverySecondBelow(28),
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 60),
        per_token: 4,
        width: Some(1408),
        shared: SharedWidth::Field("shared_expert_intermediate_size", 5632),
        normalized: Flag::Said("norm_topk_prob", false),
        layers: SparseLayers::Stepped,
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        shared: "shared_expert",
        mixture_is_leaf: true,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        masks: Masks::Both,
        masking_in_4: MaskingIn4::Window,
        ..Style::LLAMA
    },
    layers: Parts {
        contiguous_for_mask_in_4: true,
        unread_rotary_in_4: true,
        forgets_weights_in_4: true,
        ..Parts::LLAMA
    },
    // Programs.
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    tensor_plan: crate::model::MIXED_PLAN,
    fixtures: Proof::of(&["moe.jsonl"]),
    published: Proof::of(&[("qwen1.5-moe-a2.7b", 14_315_784_192)]),
    ..LLAMA
};
