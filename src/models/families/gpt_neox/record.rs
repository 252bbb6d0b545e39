//! `gpt_neox` (`models/gpt_neox, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Dropout, DropoutFields, Family, Flag, HeadDim, LayerNames, NormKind, Options, Proof,
    Reader, RotaryColumns, Sizes, Style, Transformers,
};

/// `gpt_neox`.
pub(crate) const GPT_NEOX: Family = Family {
    model_types: &["gpt_neox"],
    source: "models/gpt_neox, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 6144,
        inner: 24_576,
        layers: 44,
        heads: 64,
        vocabulary: 50_432,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::attention(Flag::Said("attention_bias", true)),
        parallel_residual: Flag::Said("use_parallel_residual", true),
        rotary_columns: RotaryColumns::Share("rotary_pct", 250),
        dropout: DropoutFields {
            embedding: Some(("hidden_dropout", false)),
            residual: Some(("hidden_dropout", false)),
            modules: Dropout::BESIDE_ATTENTION,
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        model: "gpt_neox",
        embedding: "embed_in",
        last_norm: "final_layer_norm",
        head_in_4: "embed_out",
        cast_back: ["embed_in", "embed_out"],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        ..Style::LLAMA
    },
    put_together: |_, version, style, _| {
        let early = version == Transformers::V448;
        (style.narrow_loss, style.whole_head) = (early, early);
    },
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V451),
        caches_in_4: [
            crate::model::CacheIn4::Returned,
            crate::model::CacheIn4::Given,
        ],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    fixtures: Proof::of(&["gpt_neox.jsonl"]),
    published: Proof::of(&[
        ("redpajama-incite-3b", 2_775_864_320),
        ("pythia-12b", 11_846_072_320),
        ("pythia-6.9b", 6_857_302_016),
        ("pythia-2.8b", 2_775_208_960),
        ("pythia-1b", 1_011_781_632),
        ("pythia-410m", 405_334_016),
        ("pythia-70m", 70_426_624),
        ("pythia-160m", 162_322_944),
        ("pythia-1.4b", 1_414_647_808),
    ]),
    ..LLAMA
};
