//! `olmoe` (`models/olmoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Flag, HeadNorm, MaskingIn4, NormKind, Options, Parts, Proof, Sizes, Style,
};

/// `olmoe`.
pub(crate) const OLMOE: Family = Family {
    model_types: &["olmoe"],
    source: "models/olmoe, transformers 5.23",
    // Sizes and options.
    sizes: Sizes {
        inner: 2048,
        vocabulary: 50_304,
        ..LLAMA.sizes
    },
    options: Options {
        clips_heads: Flag::Given("clip_qkv"),
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 64),
        per_token: 8,
        normalized: Flag::Said("norm_topk_prob", false),
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    style: Style {
        masking_in_4: MaskingIn4::Window,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Whole(NormKind::Root),
        contiguous_for_mask_in_4: true,
        forgets_weights_in_4: true,
        ..Parts::LLAMA
    },
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: crate::model::GATHERED_EXPERTS_PLAN,
    fixtures: Proof::of(&["moe.jsonl"]),
    published: Proof::of(&[("olmoe-1b-7b", 6_919_161_856)]),
    ..LLAMA
};
