//! `gpt_oss` (`models/gpt_oss, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, ExpertForm, ExpertRule, Family, Flag, HeadDim, LayerNames, Masks, NormKind, Options,
    Parts, Proof, Reader, RotaryKind, Routing, Sinks, Sizes, StoredExperts, Style, Window,
    WindowLayers, WindowOn,
};

/// `gpt_oss`.
pub(crate) const GPT_OSS: Family = Family {
    model_types: &["gpt_oss"],
    source: "models/gpt_oss, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2880,
        inner: 2880,
        layers: 36,
        heads: 64,
        vocabulary: 201_088,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(64),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::attention(Flag::Said("attention_bias", true)),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(None, 2),
        width: 128,
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        stored: StoredExperts::Stacked,
        count: (&["num_local_experts", "num_experts"], 128),
        per_token: 4,
        form: ExpertForm::Clamped,
        routing: Routing::Largest { biased: true },
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        router: "router",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::WideRoot,
        masks: Masks::Both,
        blind_masks: true,
        rotary_by_pair: true,
        liger_loss_budget: 8,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::Parts,
        sinks: Some(Sinks::Score),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    // Its experts are its own.
    liger: Some(crate::model::LigerSupport {
        gated: None,
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    attention_support: crate::model::AttentionSupport::SINKS,
    tensor_plan: &[],
    fixtures: Proof::of(&["mixtures.jsonl"]),
    published: Proof::of(&[
        ("gpt-oss-20b", 20_914_757_184),
        ("gpt-oss-120b", 116_829_156_672),
    ]),
    ..LLAMA
};
