//! T5 and mT5 (`models/{t5,mt5}/configuration_*.py` of transformers 5.23 and 4.51).

use crate::ask::{HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::{Activation, Family, T5Config, T5Kind};

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    kind: T5Kind,
    fields: &mut ConfigFields<'_>,
) -> T5Config {
    /// Buckets of relative positions.
    const BUCKETS: std::ops::RangeInclusive<u64> = 1..=1 << 16;
    let multilingual = kind != T5Kind::T5;
    let by_type = |t5, mt5| if multilingual { mt5 } else { t5 };
    let num_layers = fields.required("num_layers", &LAYERS, by_type(6, 8));
    let (gated, activation) = feed_forward(multilingual, fields);
    T5Config {
        family,
        kind,
        d_model: fields.required("d_model", &WIDTH, 512),
        d_kv: fields.optional("d_kv", &WIDTH, 64),
        d_ff: fields.required("d_ff", &WIDTH, by_type(2048, 1024)),
        num_layers,
        num_decoder_layers: fields.optional("num_decoder_layers", &LAYERS, num_layers),
        num_heads: fields.required("num_heads", &HEADS, by_type(8, 6)),
        vocab_size: fields.required("vocab_size", &VOCABULARY, by_type(32_128, 250_112)),
        relative_attention_num_buckets: fields.optional(
            "relative_attention_num_buckets",
            &BUCKETS,
            32,
        ),
        gated,
        activation,
        tie_word_embeddings: kind == T5Kind::Umt5
            || fields.flag("tie_word_embeddings", !multilingual),
        dropout: fields.get("dropout_rate").is_none() || fields.permille("dropout_rate") > 0,
    }
}

/// `feed_forward_proj`: a function, or `gated-` and one. `gated-gelu` means `gelu_new`.
fn feed_forward(multilingual: bool, fields: &mut ConfigFields<'_>) -> (bool, Activation) {
    let default = if multilingual { "gated-gelu" } else { "relu" };
    let name = fields.text("feed_forward_proj").unwrap_or(default);
    let (gated, function) = match name.strip_prefix("gated-") {
        Some("gelu") => (true, "gelu_new"),
        Some(function) => (true, function),
        None => (false, name),
    };
    let activation = fields.known_activation("feed_forward_proj", function, "relu");
    (gated, activation)
}
