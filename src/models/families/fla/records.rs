//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, FlaMixer, Proof};

/// How they generate.
const GENERATION: crate::model::Generation = crate::model::Generation {
    positions: false,
    prepares_as_usual: crate::model::Since::V5,
    drops_mask: true,
    ..crate::model::Generation::DECODER
};

/// `gla of flash-linear-attention`.
pub(crate) const GLA: Family = Family {
    model_types: &["gla"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: GENERATION,
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    fixtures: Proof::of(&[
        "evaluation_fla_whisper.jsonl",
        "fla_attention.jsonl",
        "fla_generation.jsonl",
        "gla.jsonl",
    ]),
    published: Proof::of(&[("gla-1.3b", 1_365_514_240), ("gla-340m", 374_475_776)]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::Gla, fields))
    })
};

/// `gated_deltanet of flash-linear-attention`.
pub(crate) const GATED_DELTANET: Family = Family {
    model_types: &["gated_deltanet"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: GENERATION,
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    fixtures: Proof::of(&[
        "evaluation_fla_whisper.jsonl",
        "fla_attention.jsonl",
        "fla_generation.jsonl",
        "linear_attention.jsonl",
    ]),
    published: Proof::of(&[("gated-deltanet-1.3b", 1_387_348_732)]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::GatedDeltaNet, fields))
    })
};

/// `retnet of flash-linear-attention`.
pub(crate) const RETNET: Family = Family {
    model_types: &["retnet"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: GENERATION,
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    fixtures: Proof::of(&[
        "evaluation_fla_whisper.jsonl",
        "fla_attention.jsonl",
        "fla_generation.jsonl",
        "linear_attention.jsonl",
    ]),
    published: Proof::of(&[("retnet-1.3b", 1_351_727_104)]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::RetNet, fields))
    })
};

/// `hgrn of flash-linear-attention`.
pub(crate) const HGRN: Family = Family {
    model_types: &["hgrn"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: GENERATION,
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    fixtures: Proof::of(&["hgrn.jsonl"]),
    published: Proof::of(&[("hgrn-1.3b", 1_364_396_032)]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::Hgrn, fields))
    })
};

/// `hgrn2 of flash-linear-attention`.
pub(crate) const HGRN2: Family = Family {
    model_types: &["hgrn2"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: GENERATION,
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    fixtures: Proof::of(&[
        "evaluation_fla_whisper.jsonl",
        "fla_attention.jsonl",
        "fla_generation.jsonl",
        "hgrn2.jsonl",
    ]),
    published: Proof::of(&[("hgrn2-1.3b", 1_364_396_032)]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::Hgrn2, fields))
    })
};

/// `transformer of flash-linear-attention`.
pub(crate) const FLA_TRANSFORMER: Family = Family {
    model_types: &["transformer"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: GENERATION,
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    fixtures: Proof::of(&[
        "evaluation_fla_whisper.jsonl",
        "fla_attention.jsonl",
        "fla_generation.jsonl",
    ]),
    published: Proof::of(&[("transformer-1.3b", 1_364_297_728)]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::Attention, fields))
    })
};

/// `delta_net of flash-linear-attention`.
pub(crate) const DELTA_NET: Family = Family {
    model_types: &["delta_net"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: GENERATION,
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    fixtures: Proof::of(&[
        "evaluation_fla_whisper.jsonl",
        "fla_attention.jsonl",
        "fla_generation.jsonl",
        "linear_attention.jsonl",
    ]),
    published: Proof::of(&[
        ("deltanet-1.3b", 1_365_677_056),
        ("deltanet-340m", 374_362_112),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::DeltaNet, fields))
    })
};

/// `mamba of flash-linear-attention`.
pub(crate) const FLA_MAMBA: Family = Family {
    model_types: &["mamba"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::Never,
        ..GENERATION
    },
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    fixtures: Proof::of(&["fla_mamba.jsonl"]),
    published: Proof::of(&[("mamba-1.3b", 1_400_276_992), ("mamba-2.7b", 2_803_468_800)]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::Mamba, fields))
    })
};

/// `mamba2 of flash-linear-attention`.
pub(crate) const FLA_MAMBA2: Family = Family {
    model_types: &["mamba2"],
    source: "flash-linear-attention 0.6",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::Never,
        ..GENERATION
    },
    check: Some(super::config::check),
    // Support.
    attention_support: crate::model::AttentionSupport::KEPT_MASKS,
    training_cache: crate::model::CacheSupport::EVALUATED,
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    fixtures: Proof::of(&["fla_mamba2.jsonl"]),
    published: Proof::of(&[("mamba2-1.3b", 1_371_839_488)]),
    ..Family::new(|family, _, fields| {
        Architecture::Fla(reader::read(family, FlaMixer::Mamba2, fields))
    })
};
