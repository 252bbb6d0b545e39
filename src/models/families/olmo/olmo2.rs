//! `olmo2` (`models/olmo2, transformers 5.23`).

use super::olmo2_reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Family, Flag, HeadNorm, LayerNames, NormKind, Options, Parts, Proof, Reader, RotaryKind, Sizes,
    Style, Transformers,
};

/// `olmo2`.
pub(crate) const OLMO2: Family = Family {
    model_types: &["olmo2"],
    source: "models/olmo2, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(olmo2_reader::read),
    sizes: Sizes {
        vocabulary: 50_304,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
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
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WideHalves,
        head_norm: HeadNorm::Whole(NormKind::WideRoot),
        ..Parts::LLAMA
    },
    put_together: |_, version, style, parts| {
        // Weights of norms and rotary embeddings are applied in float32 since transformers 5.
        if version != Transformers::V5 {
            style.norm = NormKind::Root;
            style.wide_rotary = false;
            parts.rotary_kind = RotaryKind::Halves;
            parts.head_norm = HeadNorm::Whole(NormKind::Root);
        }
    },
    // Programs.
    later_tasks: &[(
        crate::ask::Task::SequenceClassification,
        crate::model::Since::V5,
    )],
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: Some(crate::model::LigerSupport {
        norms_in_place: false,
        ..crate::model::LigerSupport::SWIGLU
    }),
    tensor_plan: crate::model::GATHERED_PLAN,
    fixtures: Proof::of(&["olmo2.jsonl"]),
    published: Proof::of(&[
        ("olmo-2-32b", 32_234_279_936),
        ("olmo-2-13b", 13_716_198_400),
        ("olmo-2-7b", 7_298_617_344),
        ("olmo-2-1b", 1_484_916_736),
    ]),
    ..LLAMA
};
