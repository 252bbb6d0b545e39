//! `flex_olmo` (`models/flex_olmo, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    ExpertRule, Family, Flag, HeadNorm, LayerNames, NormKind, Options, Parts, Proof, Reader,
    RotaryKind, Sizes, Style,
};

/// `flex_olmo`.
pub(crate) const FLEX_OLMO: Family = Family {
    model_types: &["flex_olmo"],
    source: "models/flex_olmo, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        vocabulary: 100_352,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 7),
        per_token: 5,
        normalized: Flag::Said("norm_topk_prob", false),
        ..ExpertRule::PLAIN
    }),
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
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WideHalves,
        head_norm: HeadNorm::Whole(NormKind::WideRoot),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: crate::model::GATHERED_EXPERTS_PLAN,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[("flex-olmo-7x7b", 33_270_665_216)]),
    ..LLAMA
};
