//! `apertus` (`models/apertus, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Activation, Family, Flag, HeadNorm, LayerNames, MlpFunction, MlpNames, NormKind, Options,
    Parts, Proof, Reader, Sizes,
};

/// `apertus`.
pub(crate) const APERTUS: Family = Family {
    model_types: &["apertus"],
    source: "models/apertus, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 14_336,
        vocabulary: 131_072,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        function: MlpFunction::Fixed("hidden_act", &["xielu"], Activation::Silu),
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        norms: [
            Some("attention_layernorm"),
            None,
            Some("feedforward_layernorm"),
            None,
        ],
        mlp: MlpNames::Xielu(["up_proj", "down_proj"]),
        ..LayerNames::LLAMA
    },
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
    tensor_plan: crate::model::PLAIN_MLP_PLAN,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[("apertus-8b", 8_053_338_176)]),
    ..LLAMA
};
