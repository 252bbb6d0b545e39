//! `nanochat` (`models/nanochat, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Family, Flag, HeadNorm, LayerNames, MlpFunction, MlpNames, NormKind, Options, Parts, Proof,
    Reader, RotaryKind, Sizes, Style,
};

/// `nanochat`.
pub(crate) const NANOCHAT: Family = Family {
    model_types: &["nanochat"],
    source: "models/nanochat, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 768,
        inner: 8192,
        layers: 12,
        heads: 6,
        vocabulary: 50_304,
        ..LLAMA.sizes
    },
    options: Options {
        function: MlpFunction::Named("hidden_act", "relu2"),
        final_softcap: Flag::UnlessNull("final_logit_softcapping"),
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        mlp: MlpNames::Plain(["fc1", "fc2"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::BareRoot,
        norm_before: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::Backwards,
        head_norm: HeadNorm::AfterRotary(NormKind::BareRoot),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("nanochat-d32", 1_879_048_192)]),
    ..LLAMA
};
