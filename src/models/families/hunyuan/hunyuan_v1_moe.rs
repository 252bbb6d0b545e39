//! `hunyuan_v1_moe` (`models/hunyuan_v1_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    ExpertRule, Family, Flag, HeadNorm, LayerNames, NormKind, Options, Parts, Proof, Reader,
    Routing, SharedForm, SharedWidth, Sizes,
};

/// `hunyuan_v1_moe`.
pub(crate) const HUNYUAN_V1_MOE: Family = Family {
    model_types: &["hunyuan_v1_moe"],
    source: "models/hunyuan_v1_moe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        vocabulary: 290_943,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 1),
        per_token: 1,
        shared: SharedWidth::Same,
        shared_form: SharedForm::First,
        routing: Routing::WideGate,
        balanced: Flag::Never,
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        head_norms: ["query_layernorm", "key_layernorm"],
        shared: "shared_mlp",
        ..LayerNames::LLAMA
    },
    // Parts.
    layers: Parts {
        head_norm: HeadNorm::AfterRotary(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: &[],
    fixtures: Proof::of(&["hunyuan_ernie_moe.jsonl"]),
    published: Proof::of(&[("hunyuan-a13b", 80_393_183_232)]),
    ..LLAMA
};
