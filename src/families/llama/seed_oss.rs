//! `seed_oss` (`models/seed_oss, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Parts};

/// `seed_oss`.
pub(crate) const SEED_OSS: Family = Family {
    model_types: &["seed_oss"],
    source: "models/seed_oss, transformers 5.23",
    decoder: Some(DecoderType::SeedOss),
    // Sizes and options.
    // Names.
    // Parts.
    layers: Parts {
        drops_attended: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["smollm3_exaone4_seed_oss.jsonl"],
    published: &[("seed-oss-36b", 36_151_104_512)],
    ..LLAMA
};
