//! The configs and modules of GPT-2 and `GPTBigCode` (`models/{gpt2,gpt_bigcode}` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use super::modules::{Module, embedding, linear, norm, output};
use super::{Activation, DecoderConfig, DecoderType, Dropout};

/// Reads the config with transformers' defaults for absent fields.
pub(super) fn read(model_type: DecoderType, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let hidden_size = fields.named(&["n_embd", "hidden_size"], &WIDTH, 768);
    let num_attention_heads = fields.named(&["n_head", "num_attention_heads"], &HEADS, 12);
    let num_hidden_layers = fields.named(&["n_layer", "num_hidden_layers"], &LAYERS, 12);
    let is_big_code = model_type == DecoderType::GptBigCode;
    let activation = if is_big_code {
        fields.activation("activation_function", "gelu_pytorch_tanh")
    } else {
        fields.check_activation("activation_function", &["gelu_new"]);
        Activation::GeluNew
    };
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("n_inner", &WIDTH, 4 * hidden_size),
        num_key_value_heads: if is_big_code && fields.flag("multi_query", true) {
            1
        } else {
            num_attention_heads
        },
        activation,
        head_dim: fields.divided(hidden_size, num_attention_heads, "n_head"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 50_257),
        position_rows: fields.named(&["n_positions", "max_position_embeddings"], &SEQ_LEN, 1024),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        dropout: Dropout {
            embedding: fields.drops("embd_pdrop", true),
            attention: fields.drops("attn_pdrop", true),
            residual: fields.drops("resid_pdrop", true),
        },
        ..DecoderConfig::plain(
            model_type,
            hidden_size,
            num_hidden_layers,
            num_attention_heads,
        )
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(config: &DecoderConfig) -> Vec<Module> {
    let mut all = vec![embedding("transformer.wte"), embedding("transformer.wpe")];
    for layer in 0..config.num_hidden_layers {
        let at = |name| format!("transformer.h.{layer}.{name}");
        all.extend([
            norm(at("ln_1")),
            linear(at("attn.c_attn"), true),
            linear(at("attn.c_proj"), true),
            norm(at("ln_2")),
            linear(at("mlp.c_fc"), true),
            linear(at("mlp.c_proj"), true),
        ]);
    }
    all.push(norm("transformer.ln_f"));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}
