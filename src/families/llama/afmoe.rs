//! `afmoe` (`models/afmoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, EmbeddingScale, Family, Gate, HeadNorm, LayerNames, Masks, NormKind, Parts, Piece,
    Style,
};

/// `afmoe`.
pub(crate) const AFMOE: Family = Family {
    model_types: &["afmoe"],
    source: "models/afmoe, transformers 5.23",
    decoder: Some(DecoderType::Afmoe),
    // Sizes and options.
    // Names.
    names: LayerNames {
        router: "router",
        order: [Piece::Mixer, Piece::Norms, Piece::Mlp, Piece::Beside],
        norms: [
            Some("input_layernorm"),
            Some("post_attention_layernorm"),
            Some("pre_mlp_layernorm"),
            Some("post_mlp_layernorm"),
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::WideRoot,
        masks: Masks::Both,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Together(NormKind::WideRoot),
        gate: Gate::Own,
        ..Parts::LLAMA
    },
    put_together: |c, _, style, _| {
        if c.scales_embedding {
            style.embedding_scale = EmbeddingScale::Late;
        }
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[
        ("trinity-nano", 6_120_003_328),
        ("trinity-mini", 26_123_974_400),
    ],
    ..LLAMA
};
