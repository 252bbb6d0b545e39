//! `deepseek_v3` (`models/deepseek_v3, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Flag, Groups, Latent, LatentRotary, Options, Parts, Proof, Reader, Routing,
    SharedForm, SharedWidth, Sizes, SparseLayers,
};

/// `deepseek_v3`.
pub(crate) const DEEPSEEK_V3: Family = Family {
    model_types: &["deepseek_v3"],
    source: "models/deepseek_v3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 7168,
        inner: 18_432,
        layers: 61,
        heads: 128,
        vocabulary: 129_280,
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    latent: Some(Latent {
        query_rank: Some(1536),
        rank: 512,
        straight: 128,
        rotated: 64,
        value: 128,
        rotary: LatentRotary::Pairs,
        indexer: None,
    }),
    experts: Some(EXPERTS),
    // Names.
    // Parts.
    layers: Parts {
        sums_by_weights_in_4: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    later_tasks: &[(
        crate::ask::Task::SequenceClassification,
        crate::model::Since::V5,
    )],
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: &[],
    fixtures: Proof::of(&["moe.jsonl"]),
    published: Proof::of(&[("deepseek-v3", 671_026_404_352)]),
    ..LLAMA
};

/// The fields of how many experts all tokens go through.
pub(crate) const SHARED: &[&str] = &["n_shared_experts", "num_shared_experts"];

/// Its mixture of experts, which others have with other numbers.
pub(crate) const EXPERTS: ExpertRule = ExpertRule {
    count: (
        &["n_routed_experts", "num_experts", "num_local_experts"],
        256,
    ),
    per_token: 8,
    width: Some(2048),
    shared: SharedWidth::Times(SHARED, 1),
    shared_form: SharedForm::Plain,
    normalized: Flag::Said("norm_topk_prob", true),
    routing: Routing::Corrected(Groups { count: 8, kept: 4 }),
    built_first: true,
    balanced: Flag::Never,
    layers: SparseLayers::After(3),
    ..ExpertRule::PLAIN
};
