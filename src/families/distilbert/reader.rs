//! `DistilBERT` (`models/distilbert/configuration_distilbert.py` of transformers 5.23 and 4.51).

use crate::ask::{HEADS, LAYERS, SEQ_LEN, Task, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::{
    DistilBertConfig, Dropout, Family, Module, ModuleKind, embedding, linear, norm,
};

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DistilBertConfig {
    let dim = fields.optional("dim", &WIDTH, 768);
    let n_heads = fields.optional("n_heads", &HEADS, 12);
    let dropped = fields.drops("dropout", true);
    DistilBertConfig {
        family,
        dim,
        hidden_dim: fields.optional("hidden_dim", &WIDTH, 3072),
        n_layers: fields.optional("n_layers", &LAYERS, 6),
        n_heads,
        head_dim: fields.divided(dim, n_heads, "n_heads"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 30_522),
        max_position_embeddings: fields.optional("max_position_embeddings", &SEQ_LEN, 512),
        activation: fields.activation("activation", "gelu"),
        dropout: Dropout {
            embedding: dropped,
            attention: fields.drops("attention_dropout", true),
            residual: dropped,
        },
        classifier_dropout: fields.drops("seq_classif_dropout", true),
        qa_dropout: fields.drops("qa_dropout", true),
        num_labels: fields.labels(2),
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &DistilBertConfig, task: Task) -> Vec<Module> {
    let mut all = vec![
        embedding("distilbert.embeddings.word_embeddings"),
        embedding("distilbert.embeddings.position_embeddings"),
        norm("distilbert.embeddings.LayerNorm"),
    ];
    for i in 0..c.n_layers {
        let at = |name: &str| format!("distilbert.transformer.layer.{i}.{name}");
        all.extend(
            ["q_lin", "k_lin", "v_lin", "out_lin"]
                .map(|name| linear(at(&format!("attention.{name}")), true)),
        );
        all.extend([
            norm(at("sa_layer_norm")),
            linear(at("ffn.lin1"), true),
            linear(at("ffn.lin2"), true),
            norm(at("output_layer_norm")),
        ]);
    }
    if let Some(name) = task.head_of_each() {
        all.push(linear(name, true));
    } else if task == Task::SequenceClassification {
        all.extend(["pre_classifier", "classifier"].map(|name| linear(name, true)));
    } else {
        all.push(linear("vocab_transform", true));
        all.push(norm("vocab_layer_norm"));
        all.push(Module {
            path: "vocab_projector".to_owned(),
            kind: ModuleKind::Output,
            parameters: &["bias"],
        });
    }
    all
}
