//! OPT's config and modules (`models/opt` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use super::modules::{Module, embedding, linear, norm, output};
use super::{DecoderConfig, DecoderType, Dropout};

/// Rows of the table of positions before the first (`OPTLearnedPositionalEmbedding.offset`).
const POSITION_OFFSET: u64 = 2;

/// Reads the config with transformers' defaults for absent fields.
pub(super) fn read(fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 768);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, 12);
    fields.check_activation("activation_function", &["relu"]);
    let dropped = fields.drops("dropout", true);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("ffn_dim", &WIDTH, 3072),
        embedding_size: fields.optional("word_embed_proj_dim", &WIDTH, hidden_size),
        head_dim: fields.divided(hidden_size, num_attention_heads, "num_attention_heads"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 50_272),
        position_rows: fields.optional("max_position_embeddings", &SEQ_LEN, 2048) + POSITION_OFFSET,
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        attention_bias: fields.flag("enable_bias", true),
        norm_after: !fields.flag("do_layer_norm_before", true),
        dropout: Dropout {
            embedding: false,
            attention: fields.drops("attention_dropout", false),
            residual: dropped,
        },
        ..DecoderConfig::plain(
            DecoderType::Opt,
            hidden_size,
            fields.optional("num_hidden_layers", &LAYERS, 12),
            num_attention_heads,
        )
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(config: &DecoderConfig) -> Vec<Module> {
    let bias = config.attention_bias;
    let mut all = vec![
        embedding("model.decoder.embed_tokens"),
        embedding("model.decoder.embed_positions"),
    ];
    if config.embedding_size != config.hidden_size {
        all.push(linear("model.decoder.project_out", false));
        all.push(linear("model.decoder.project_in", false));
    }
    if !config.norm_after {
        all.push(norm("model.decoder.final_layer_norm"));
    }
    for layer in 0..config.num_hidden_layers {
        let at = |name| format!("model.decoder.layers.{layer}.{name}");
        all.extend(
            ["k_proj", "v_proj", "q_proj", "out_proj"]
                .map(|name| linear(at("self_attn.") + name, bias)),
        );
        all.extend([
            norm(at("self_attn_layer_norm")),
            linear(at("fc1"), bias),
            linear(at("fc2"), bias),
            norm(at("final_layer_norm")),
        ]);
    }
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}
