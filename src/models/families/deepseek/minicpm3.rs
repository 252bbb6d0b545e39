//! `minicpm3` (`models/minicpm3, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, EmbeddingScale, Family, Latent, LatentRotary, Options,
    Parts, Proof, Reader, Sizes, Style,
};
use serde_json::Value;

/// `minicpm3`.
pub(crate) const MINICPM3: Family = Family {
    model_types: &["minicpm3"],
    source: "models/minicpm3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 2560,
        inner: 6400,
        layers: 62,
        heads: 40,
        vocabulary: 73_448,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::ATTENTION_AND_MLP,
        ..Options::PLAIN
    },
    latent: Some(Latent {
        query_rank: Some(768),
        rank: 256,
        straight: 64,
        rotated: 32,
        value: 64,
        rotary: LatentRotary::Halves,
        indexer: None,
    }),
    // Names.
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Buffer,
        scaled_hidden: true,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    plain_logits: false,
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    tensor_plan: &[],
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("minicpm3-4b", 4_073_875_968)]),
    ..LLAMA
};

/// The columns of a head's values are those of a head of all.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = reader::read(family, fields);
    let columns = (config.hidden_size / config.num_attention_heads).max(1);
    if let Some(latent) = &mut config.latent
        && fields.get("v_head_dim").is_none()
    {
        latent.value = columns;
    }
    let scale = fields.get("scale_emb");
    config.scales_by_whole_number = !scale.is_some_and(Value::is_f64);
    config
}
