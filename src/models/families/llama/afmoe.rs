//! `afmoe` (`models/afmoe, transformers 5.23`).

use crate::families::deepseek::{EXPERTS, SHARED};
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Correction, EmbeddingScale, ExpertRule, Family, Flag, Gate, HeadDim, HeadNorm, LayerNames,
    LogitsDtype, Masks, NormKind, Options, Parts, Piece, Proof, Reader, RotaryLayers, Routing,
    SharedForm, SharedWidth, SigmoidScores, Sizes, SparseLayers, Style, Window, WindowLayers,
    WindowOn,
};

/// `afmoe`.
pub(crate) const AFMOE: Family = Family {
    model_types: &["afmoe"],
    source: "models/afmoe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2048,
        inner: 6144,
        heads: 16,
        vocabulary: 200_192,
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        scales_embedding: Flag::Said("mup_enabled", false),
        rotary_layers: RotaryLayers::Windowed,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(Some("global_attn_every_n_layers"), 4),
        width: 1024,
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 64),
        per_token: 6,
        width: Some(1408),
        shared: SharedWidth::Times(SHARED, 2),
        shared_form: SharedForm::Between,
        normalized: Flag::Always,
        routing: Routing::Sigmoids(SigmoidScores {
            logits: LogitsDtype::WideBehindGate,
            correction: Correction::Fixed,
        }),
        built_first: false,
        layers: SparseLayers::After(1),
        ..EXPERTS
    }),
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
        blind_masks: true,
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
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: &[],
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[
        ("trinity-nano", 6_120_003_328),
        ("trinity-mini", 26_123_974_400),
    ]),
    ..LLAMA
};
