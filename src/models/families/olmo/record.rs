//! `olmo` (`models/olmo, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Family, Flag, NormKind, Options, Parts, Proof, Reader, RotaryKind, Sizes, Style, Transformers,
};

/// `olmo`.
pub(crate) const OLMO: Family = Family {
    model_types: &["olmo"],
    source: "models/olmo, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        vocabulary: 50_304,
        ..LLAMA.sizes
    },
    options: Options {
        clips_heads: Flag::Given("clip_qkv"),
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: Style {
        norm: NormKind::BareLayer,
        wide_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WideHalves,
        ..Parts::LLAMA
    },
    put_together: |_, version, style, parts| {
        if version != Transformers::V5 {
            style.wide_rotary = false;
            parts.rotary_kind = RotaryKind::Halves;
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
    liger: None,
    quantized_support: crate::model::QuantizedSupport {
        whole_last: crate::model::Versions::Since5,
        ..crate::model::QuantizedSupport::USUAL
    },
    fixtures: Proof::of(&["olmo_glm_helium.jsonl"]),
    published: Proof::of(&[("olmo-1b", 1_176_764_416), ("olmo-7b", 6_888_095_744)]),
    ..LLAMA
};
