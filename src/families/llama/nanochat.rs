//! `nanochat` (`models/nanochat, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{DecoderType, Family, Flag, MlpFunction, Options, Reader, Sizes};

/// `nanochat`.
pub(crate) const NANOCHAT: Family = Family {
    model_types: &["nanochat"],
    source: "models/nanochat, transformers 5.23",
    decoder: Some(DecoderType::NanoChat),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 768,
        inner: 8192,
        layers: 12,
        heads: 6,
        vocabulary: 50_304,
        ..LLAMA.sizes
    },
    options: Options {
        function: MlpFunction::Named("hidden_act", "relu2"),
        final_softcap: Flag::UnlessNull("final_logit_softcapping"),
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("nanochat-d32", 1_879_048_192)],
    ..LLAMA
};
