//! `codegen` (`models/codegen, transformers 5.23`).

use super::reader;
use crate::ask::{Finding, message};
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, Dropout, DropoutFields, Family, Flag, HeadDim,
    MlpFunction, Options, Proof, Reader, RotaryColumns, Sizes,
};

/// `codegen`.
pub(crate) const CODEGEN: Family = Family {
    model_types: &["codegen"],
    source: "models/codegen, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        inner: 16_384,
        layers: 28,
        heads: 16,
        vocabulary: 50_400,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        rotary_columns: RotaryColumns::Count("rotary_dim", 64),
        parallel_residual: Flag::Always,
        function: MlpFunction::Named("activation_function", "gelu_new"),
        dropout: DropoutFields {
            embedding: Some(("embd_pdrop", false)),
            attention: Some(("attn_pdrop", false)),
            residual: Some(("resid_pdrop", false)),
            modules: Dropout::ALL,
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: crate::model::Style {
        returns_several: true,
        ..crate::model::Style::LLAMA
    },
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    attention_support: crate::families::gpt2::EAGER_ATTENTION,
    fixtures: Proof::of(&["gpt_neo_gptj_codegen.jsonl"]),
    published: Proof::of(&[
        ("codegen-350m", 356_712_448),
        ("codegen-2b", 2_779_356_160),
        ("codegen-6b", 7_064_213_504),
        ("codegen-16b", 16_032_155_648),
    ]),
    ..LLAMA
};

/// Heads lie in four blocks.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let config = reader::read_wide(family, "n_head", fields);
    check_blocks(config.hidden_size, config.num_attention_heads, fields);
    config
}

/// `CodeGenAttention` cuts its projection into four blocks of as many heads each (`mp_num`).
fn check_blocks(hidden_size: u64, heads: u64, fields: &mut ConfigFields<'_>) {
    if heads.is_multiple_of(4) {
        return;
    }
    let key = fields.key("n_head");
    let fits = (1..=hidden_size / 4).map(|n| 4 * n);
    let fits = fits.filter(|n| hidden_size.is_multiple_of(*n));
    let nearest = fits.min_by_key(|n| n.abs_diff(heads)).unwrap_or(4);
    fields.push(Finding::error(&key, message!(gpt2::codegen_heads, heads)).with_fix(&key, nearest));
}
