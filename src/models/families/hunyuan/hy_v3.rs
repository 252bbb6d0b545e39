//! `hy_v3` (`models/hy_v3, transformers 5.23`).

use crate::families::deepseek::EXPERTS;
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Correction, ExpertRule, Family, Flag, HeadDim, HeadNorm, LogitsDtype, NormKind,
    Options, Parts, Proof, Reader, Routing, SharedForm, SigmoidScores, Sizes, SparseLayers,
};

/// `hy_v3`.
pub(crate) const HY_V3: Family = Family {
    model_types: &["hy_v3"],
    source: "models/hy_v3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 13_312,
        layers: 80,
        heads: 64,
        vocabulary: 120_832,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 192),
        width: Some(1536),
        shared_form: SharedForm::Last { wide: true },
        normalized: Flag::Always,
        routing: Routing::Sigmoids(SigmoidScores {
            logits: LogitsDtype::WideProduct,
            correction: Correction::Buffer,
        }),
        built_first: false,
        layers: SparseLayers::After(1),
        ..EXPERTS
    }),
    // Names.
    // Parts.
    layers: Parts {
        head_norm: HeadNorm::Heads(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    tensor_plan: crate::model::SHARED_EXPERTS_PLAN,
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("hy3-295b-a21b", 295_033_528_320)]),
    ..LLAMA
};
