//! `cohere` (`models/cohere, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Family, Flag, HeadNorm, NormKind, Options, Parts, Proof, Reader, RotaryKind, Sizes, Style,
};

/// `cohere`.
pub(crate) const COHERE: Family = Family {
    model_types: &["cohere"],
    source: "models/cohere, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 8192,
        inner: 22_528,
        layers: 40,
        heads: 64,
        vocabulary: 256_000,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        head_norms: Flag::Said("use_qk_norm", false),
        parallel_residual: Flag::Always,
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: Style {
        norm: NormKind::WideLayer,
        scaled_logits: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WidePairs,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| parts.head_norm = HeadNorm::Each.when(c.head_norms),
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: Proof::of(&["cohere_stablelm.jsonl"]),
    published: Proof::of(&[
        ("aya-23-35b", 34_980_831_232),
        ("command-r-32b-08-2024", 32_296_476_672),
        ("command-r-plus-104b", 103_810_674_688),
        ("command-r-35b", 34_980_831_232),
        ("aya-23-8b", 8_028_033_024),
    ]),
    ..LLAMA
};
