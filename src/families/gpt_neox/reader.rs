//! The config and modules of `GPT-NeoX` and Pythia (`models/gpt_neox` of transformers 5.23).

use crate::ask::{Framework, HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::families::reading::options;
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{DecoderConfig, Module, embedding, linear, norm, output};

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let head_dim = fields.divided(hidden_size, num_attention_heads, "num_attention_heads");
    fields.check_activation("hidden_act", &["gelu", "gelu_fast", "gelu_pytorch_tanh"]);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, sizes.inner),
        head_dim,
        positions: fields.optional("max_position_embeddings", &SEQ_LEN, 2048),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        rotary_dim: options::rotary_columns(rules.rotary_columns, head_dim, fields),
        attention_bias: options::biases(&rules.biases, fields).output,
        parallel_residual: options::holds(rules.parallel_residual, fields),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(
            family,
            hidden_size,
            fields.optional("num_hidden_layers", &LAYERS, sizes.layers),
            num_attention_heads,
        )
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig, framework: Framework) -> Vec<Module> {
    let mut all = vec![embedding("gpt_neox.embed_in")];
    for layer in 0..config.num_hidden_layers {
        let at = |name| format!("gpt_neox.layers.{layer}.{name}");
        all.extend([
            norm(at("input_layernorm")),
            norm(at("post_attention_layernorm")),
            linear(at("attention.query_key_value"), config.attention_bias),
            linear(at("attention.dense"), config.attention_bias),
            linear(at("mlp.dense_h_to_4h"), true),
            linear(at("mlp.dense_4h_to_h"), true),
        ]);
    }
    all.push(norm("gpt_neox.final_layer_norm"));
    all.push(output(
        config.head_name(framework),
        config.tie_word_embeddings,
    ));
    all
}
