//! `cohere2_moe` (`models/cohere2_moe, transformers 5.23`).

use crate::ask::{LAYERS, WIDTH};
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::families::reading::layer_lists;
use crate::model::{
    ConfigFields, DecoderConfig, ExpertRule, Family, Flag, HeadDim, HeadNorm, Masks, NormKind,
    Options, Parts, Proof, Reader, RotaryKind, Routing, SharedForm, SharedWidth, Sizes,
    SparseLayers, Style, Window, WindowLayers, WindowOn,
};

/// `cohere2_moe`.
pub(crate) const COHERE2_MOE: Family = Family {
    model_types: &["cohere2_moe"],
    source: "models/cohere2_moe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 8192,
        inner: 22_528,
        layers: 40,
        heads: 64,
        vocabulary: 256_000,
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        parallel_residual: Flag::Always,
        root_norms: Flag::Given("rms_norm_eps"),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(Some("sliding_window_pattern"), 4),
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        shared: SharedWidth::TimesOrNone("num_shared_experts", 0),
        shared_form: SharedForm::Averaged,
        normalized: Flag::Said("norm_topk_prob", true),
        routing: Routing::Chosen { sigmoid: false },
        balanced: Flag::Never,
        layers: SparseLayers::After(0),
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    style: Style {
        norm: NormKind::WideLayer,
        scaled_logits: true,
        masks: Masks::Both,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WidePairs,
        ..Parts::LLAMA
    },
    put_together: |c, _, style, parts| {
        if c.root_norms {
            style.norm = NormKind::Root;
        }
        parts.head_norm = HeadNorm::Each.when(c.head_norms);
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    plain_logits: false,
    tensor_plan: crate::model::MIXED_PLAN,
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};

/// The layers before the first with experts have an MLP of a width of their own, and windows with a period of
/// their own.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = kin::read(family, fields);
    let layers = config.num_hidden_layers;
    let width = config.intermediate_size;
    config.intermediate_size = fields.optional("prefix_dense_intermediate_size", &WIDTH, width);
    let dense = fields.optional("first_k_dense_replace", &(0..=*LAYERS.end()), 0);
    let period = fields.optional("prefix_dense_sliding_window_pattern", &LAYERS, 1);
    if config.sliding_window.is_some() && fields.get("layer_types").is_none() {
        let before = (0..dense.min(layers)).map(|layer| !(layer + 1).is_multiple_of(period));
        let after = std::mem::take(&mut config.windowed).into_iter();
        let all = before.chain(after).zip(0..layers);
        config.windowed = all.map(|(near, _)| near).collect();
    }
    let sparse = layer_lists::sparse(layers, |layer| layer >= dense, fields);
    // `force_rope`: dense layers are rotated where none of them has a window.
    let forced = period == 1;
    let straight = |(i, sparse): (usize, bool)| !config.is_windowed(i) && (sparse || !forced);
    config.unturned = sparse.into_iter().enumerate().map(straight).collect();
    config
}
