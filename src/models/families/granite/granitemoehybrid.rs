//! `granitemoehybrid` (`models/granitemoehybrid, transformers 5.23`).

use crate::ask::WIDTH;
use crate::families::hybrid::reader::{self, Mixers};
use crate::families::llama::LLAMA;
use crate::model::{
    BESIDE, ConfigFields, DecoderConfig, EmbeddingScale, ExpertRule, Family, HeadDim, LayerNames,
    Mixing, MlpNames, Options, Parts, Piece, Proof, Reader, Routing, SPARSE, SharedForm,
    SharedWidth, Sizes, StoredExperts, Style,
};

/// `granitemoehybrid`.
pub(crate) const GRANITEMOEHYBRID: Family = Family {
    model_types: &["granitemoehybrid"],
    source: "models/granitemoehybrid, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    experts: Some(ExpertRule {
        stored: StoredExperts::Linear,
        none: Some(0),
        shared: SharedWidth::FieldOrNone("shared_intermediate_size", SHARED),
        shared_form: SharedForm::Beside,
        routing: Routing::Largest { biased: false },
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        block: SPARSE,
        router: "router",
        dense: Some((
            "shared_mlp",
            MlpNames::Fused {
                names: BESIDE,
                gate_first: true,
            },
        )),
        mixer: "mamba",
        order: [Piece::Norms, Piece::Mlp, Piece::Beside, Piece::Mixer],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        blind_masks: true,
        passes_positions: false,
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    plain_logits: false,
    tensor_plan: &[],
    fixtures: Proof::of(&["granite_hybrid.jsonl"]),
    published: Proof::of(&[("granite-4.0-h-tiny", 6_939_037_248)]),
    ..LLAMA
};

/// The default of `shared_intermediate_size`.
const SHARED: u64 = 1024;

/// The MLP is as wide as the expert beside the mixture where there is none, and positions rotate nothing unless
/// the config says so.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let frame = reader::frame(family, fields);
    let attends = reader::attending(frame.layers, |_| false, fields);
    let mixers = Mixers {
        kinds: frame.kinds(&attends, Mixing::StateSpace),
        space: reader::state_space(frame.inner(fields), fields),
    };
    let width = reader::width(family, fields);
    let mut config = reader::read(family, frame, width, mixers, fields);
    if config.experts.is_none() {
        config.intermediate_size = fields.optional("shared_intermediate_size", &WIDTH, SHARED);
    }
    if fields.text("position_embedding_type") != Some("rope") {
        config.rotary_dim = 0;
    }
    config
}
