//! `olmo_hybrid` (`models/olmo_hybrid, transformers 5.23`).

use super::olmo_hybrid_reader;
use crate::families::llama::LLAMA;
use crate::model::{
    DeltaRule, Family, Flag, HeadNorm, LayerNames, NormKind, Options, Parts, Piece, Proof, Reader,
    RotaryKind, Sizes, Style,
};

/// `olmo_hybrid`.
pub(crate) const OLMO_HYBRID: Family = Family {
    model_types: &["olmo_hybrid"],
    source: "models/olmo_hybrid, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(olmo_hybrid_reader::read),
    sizes: Sizes {
        hidden: 3840,
        heads: 30,
        vocabulary: 100_352,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        mixer: "linear_attn",
        order: [Piece::Mlp, Piece::Norms, Piece::Mixer, Piece::Beside],
        attending: Some((
            [
                None,
                Some("post_attention_layernorm"),
                None,
                Some("post_feedforward_layernorm"),
            ],
            [Piece::Mixer, Piece::Mlp, Piece::Norms, Piece::Beside],
        )),
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::WideRoot,
        wide_rotary: true,
        turns_alone: true,
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WideHalves,
        head_norm: HeadNorm::Whole(NormKind::WideRoot),
        delta_rule: DeltaRule::Each,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        check: Some(crate::families::hybrid::check_delta_rule),
        ..crate::model::AttentionSupport::ALL
    },
    tensor_plan: crate::model::GATHERED_PLAN,
    fixtures: Proof::of(&["olmo_hybrid.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
