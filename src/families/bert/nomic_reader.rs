//! `NomicBERT` (`models/nomic_bert/configuration_nomic_bert.py` of transformers 5.23): BERT with rotary
//! positions and gated feed-forward layers.

use crate::ask::{HEADS, LAYERS, Task, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::{
    Activation, BertConfig, BertKind, Dropout, Family, Module, embedding, linear, norm, other,
    output,
};

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> BertConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let hidden = fields.drops("hidden_dropout_prob", false);
    fields.check_activation("hidden_act", &["silu"]);
    let head_dim = if fields.get("head_dim").is_some() {
        fields.optional("head_dim", &WIDTH, 64)
    } else {
        fields.divided(hidden_size, heads, "num_attention_heads")
    };
    BertConfig {
        family,
        kind: BertKind::Nomic,
        hidden_size,
        embedding_size: hidden_size,
        output_embedding_size: hidden_size,
        rotary_value: false,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 30_528),
        max_position_embeddings: fields.optional("max_position_embeddings", &VOCABULARY, 2048),
        type_vocab_size: fields.optional("type_vocab_size", &VOCABULARY, 2),
        task_type_vocab_size: 0,
        activation: Activation::Silu,
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", false),
            residual: hidden,
        },
        classifier_dropout: fields.drops("classifier_dropout", hidden),
        num_labels: fields.labels(2),
        page_positions: 0,
        buckets: 0,
        relative: None,
        esm: None,
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &BertConfig, task: Task) -> Vec<Module> {
    let mut all = vec![
        embedding("nomic_bert.embeddings.word_embeddings"),
        embedding("nomic_bert.embeddings.token_type_embeddings"),
        norm("nomic_bert.embeddings.LayerNorm"),
    ];
    if task == Task::SequenceClassification {
        all.push(linear("nomic_bert.pooler.dense", true));
    }
    for layer in 0..c.num_hidden_layers {
        let at = |name: &str| format!("nomic_bert.layers.{layer}.{name}");
        let plain = |name: &str| linear(at(name), false);
        all.push(norm(at("post_attention_layernorm")));
        all.extend(["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"].map(plain));
        let attention = ["q_proj", "k_proj", "v_proj", "o_proj"];
        all.extend(attention.map(|name| plain(&format!("self_attn.{name}"))));
        all.push(norm(at("post_mlp_layernorm")));
    }
    if task != Task::MaskedLm {
        all.push(linear("classifier", true));
        return all;
    }
    all.push(Module {
        parameters: &["bias"],
        ..other("cls.predictions")
    });
    all.push(linear("cls.predictions.transform.dense", true));
    all.push(norm("cls.predictions.transform.layer_norm"));
    all.push(output("cls.predictions.decoder", true));
    all
}
