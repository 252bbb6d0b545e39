//! `stablelm` (`models/stablelm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Dropout, DropoutFields, Family, Flag, HeadNorm, Holds, LayerNames, NormKind, Options,
    Parts, Proof, Reader, RotaryColumns, RotaryKind, Sizes, Style,
};

/// `stablelm`.
pub(crate) const STABLELM: Family = Family {
    model_types: &["stablelm"],
    source: "models/stablelm, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2560,
        inner: 6912,
        vocabulary: 50_304,
        kv_heads: Some(32),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::qkv(Flag::Said("use_qkv_bias", false)),
        head_norms: Flag::Said("qk_layernorm", false),
        parallel_residual: Flag::Said("use_parallel_residual", false),
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 250),
        dropout: DropoutFields {
            residual: Some(("hidden_dropout", false)),
            modules: Dropout::BESIDE_ATTENTION,
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        head_norms: ["q_layernorm", "k_layernorm"],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::Part,
        holds: Holds::Both,
        unread_rotary_in_4: true,
        forgets_weights_in_4: true,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| parts.head_norm = HeadNorm::Apart.when(c.head_norms),
    // Programs.
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    tensor_plan: &[],
    groups_head: false,
    fixtures: Proof::of(&["cohere_stablelm.jsonl"]),
    published: Proof::of(&[
        ("stablelm-3b", 2_795_443_200),
        ("stablelm-2-1.6b", 1_644_515_328),
    ]),
    ..LLAMA
};
