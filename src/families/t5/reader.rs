//! T5 and mT5 (`models/{t5,mt5}/configuration_*.py` of transformers 5.23 and 4.51).

use crate::ask::{HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::{Activation, Family, Module, ModuleKind, T5Config, T5Kind};

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
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

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &T5Config) -> Vec<Module> {
    const WEIGHT: &[&str] = &["weight"];
    let module = |path: String, kind| Module {
        path,
        kind,
        parameters: WEIGHT,
    };
    let mut all = vec![module("shared".to_owned(), ModuleKind::Other)];
    for (stack, layers) in [("encoder", c.num_layers), ("decoder", c.num_decoder_layers)] {
        let decoder = stack == "decoder";
        for i in 0..layers {
            let mut attention = |index: u64, name: &str| {
                let layer = format!("{stack}.block.{i}.layer.{index}");
                for projection in ["q", "k", "v", "o"] {
                    all.push(module(
                        format!("{layer}.{name}.{projection}"),
                        ModuleKind::Linear,
                    ));
                }
                if (i == 0 || c.kind == T5Kind::Umt5) && index == 0 {
                    let path = format!("{layer}.{name}.relative_attention_bias");
                    all.push(module(path, ModuleKind::Other));
                }
                all.push(module(format!("{layer}.layer_norm"), ModuleKind::Other));
            };
            attention(0, "SelfAttention");
            if decoder {
                attention(1, "EncDecAttention");
            }
            let layer = format!("{stack}.block.{i}.layer.{}", if decoder { 2 } else { 1 });
            let linear: &[&str] = if c.gated {
                &["wi_0", "wi_1", "wo"]
            } else {
                &["wi", "wo"]
            };
            for name in linear {
                let path = format!("{layer}.DenseReluDense.{name}");
                all.push(module(path, ModuleKind::Linear));
            }
            all.push(module(format!("{layer}.layer_norm"), ModuleKind::Other));
        }
        all.push(module(
            format!("{stack}.final_layer_norm"),
            ModuleKind::Other,
        ));
    }
    all.push(Module {
        path: "lm_head".to_owned(),
        kind: ModuleKind::Output,
        parameters: if c.tie_word_embeddings { &[] } else { WEIGHT },
    });
    all
}
