//! `flex_olmo` (`models/flex_olmo, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{DecoderType, ExpertRule, Family, Flag, Options, Reader, Sizes};

/// `flex_olmo`.
pub(crate) const FLEX_OLMO: Family = Family {
    model_types: &["flex_olmo"],
    source: "models/flex_olmo, transformers 5.23",
    decoder: Some(DecoderType::FlexOlmo),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        vocabulary: 100_352,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 7),
        per_token: 5,
        normalized: Flag::Said("norm_topk_prob", false),
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("flex-olmo-7x7b", 33_270_665_216)],
    ..LLAMA
};
