//! `diffllama` (`models/diffllama, transformers 5.23`).

use crate::ask::{Finding, HEADS, message};
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    AttentionKind, ConfigFields, DecoderConfig, Family, Options, Parts, Proof, Reader, Sizes,
};

/// `diffllama`.
pub(crate) const DIFFLLAMA: Family = Family {
    model_types: &["diffllama"],
    source: "models/diffllama, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 2048,
        inner: 8192,
        layers: 16,
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    // Names.
    // Parts.
    layers: Parts {
        attention: AttentionKind::Differential,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["diffllama.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};

/// `DiffLlamaAttention` takes no dropout, and parts its key-value heads in halves.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let config = kin::read(family, fields);
    check(config.num_attention_heads, fields);
    config
}

fn check(heads: u64, fields: &mut ConfigFields<'_>) {
    const DROPOUT: &str = "attention_dropout";
    const SHARED: &str = "num_key_value_heads";
    if fields.drops(DROPOUT, false) {
        let key = fields.key(DROPOUT);
        fields.push(Finding::error(&key, message!(llama::diffllama_dropout)).with_fix(&key, 0.0));
    }
    let shared = fields.optional(SHARED, &HEADS, heads);
    if !shared.is_multiple_of(2) {
        let key = fields.key(SHARED);
        fields.push(
            Finding::error(&key, message!(llama::diffllama_odd_heads, shared))
                .with_fix(&key, shared + 1),
        );
    }
}
