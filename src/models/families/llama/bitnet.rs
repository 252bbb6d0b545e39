//! `bitnet` (`models/bitnet, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{Activation, Family, LayerNames, MlpFunction, Options, Proof, Reader, Sizes};

/// `bitnet`.
pub(crate) const BITNET: Family = Family {
    model_types: &["bitnet"],
    source: "models/bitnet, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2560,
        inner: 6912,
        layers: 30,
        heads: 20,
        vocabulary: 128_256,
        kv_heads: Some(5),
        ..LLAMA.sizes
    },
    options: Options {
        function: MlpFunction::Fixed("hidden_act", &["relu2"], Activation::Relu2),
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        sub_norms: [Some("attn_sub_norm"), Some("ffn_sub_norm")],
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("bitnet-b1.58-2b", 2_412_820_480)]),
    ..LLAMA
};
