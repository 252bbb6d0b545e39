//! `lfm2_moe` (`models/lfm2_moe, transformers 5.23`).

use super::{lfm2, reader};
use crate::families::deepseek::EXPERTS;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, Correction, DecoderConfig, DropoutFields, ExpertRule, Family, Flag,
    HeadDim, HeadNorm, LayerNames, LogitsDtype, MlpNames, NormKind, Options, Parts, Proof, Reader,
    Routing, SharedWidth, SigmoidScores, Sizes, SparseLayers, StoredExperts, Style,
};

/// `lfm2_moe`.
pub(crate) const LFM2_MOE: Family = Family {
    model_types: &["lfm2_moe"],
    source: "models/lfm2_moe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 2048,
        inner: 7168,
        vocabulary: 65_536,
        kv_heads: Some(8),
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::NONE,
        head_norms: Flag::Always,
        dropout: DropoutFields::NONE,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        stored: StoredExperts::Numbered,
        count: (EXPERTS.count.0, 32),
        per_token: 4,
        width: Some(1792),
        shared: SharedWidth::None,
        routing: Routing::Sigmoids(SigmoidScores {
            logits: LogitsDtype::Tokens,
            correction: Correction::WideBuffer,
        }),
        corrected: Flag::Said("use_expert_bias", true),
        layers: SparseLayers::After(2),
        ..EXPERTS
    }),
    // Names.
    names: LayerNames {
        block: "feed_forward",
        attention_output: "out_proj",
        head_norms: ["q_layernorm", "k_layernorm"],
        mixer: "conv",
        last_norm: "embedding_norm",
        norms: [Some("operator_norm"), None, Some("ffn_norm"), None],
        mlp: MlpNames::Numbered,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Rows(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["further_decoders.jsonl", "lfm2_bamba.jsonl"]),
    published: Proof::of(&[("lfm2-8b-a1b", 8_339_929_856)]),
    ..LLAMA
};

fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let frame = reader::frame(family, fields);
    let width = reader::width(family, fields);
    lfm2::with_convolutions(family, frame, width, fields)
}
