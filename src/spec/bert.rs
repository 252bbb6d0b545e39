//! BERT and `RoBERTa` (`models/{bert,roberta}/configuration_*.py` of transformers 5.23 and 4.51).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, VOCABULARY, WIDTH};
use super::modules::{Module, ModuleKind};
use super::{Dropout, Task};

/// BERT or `RoBERTa` as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BertConfig {
    /// Whether it is `RoBERTa`, which numbers positions by the tokens that are not padding.
    pub roberta: bool,
    /// H.
    pub hidden_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// A.
    pub num_attention_heads: u64,
    /// D.
    pub head_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// Rows of the table of positions.
    pub max_position_embeddings: u64,
    /// Rows of the table of segments.
    pub type_vocab_size: u64,
    /// Where dropout is active in training; what it does to embeddings it does to the residual.
    pub dropout: Dropout,
    /// Whether what a classifier reads is dropped out.
    pub classifier_dropout: bool,
    /// Classes of a classifier.
    pub num_labels: u64,
}

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(roberta: bool, fields: &mut ConfigFields<'_>) -> BertConfig {
    let hidden_size = fields.required("hidden_size", &WIDTH, 768);
    let heads = fields.required("num_attention_heads", &HEADS, 12);
    let hidden = fields.drops("hidden_dropout_prob", true);
    fields.check_activation("hidden_act", &["gelu", "gelu_pytorch_tanh"]);
    BertConfig {
        roberta,
        hidden_size,
        intermediate_size: fields.required("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.required("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim: fields.divided(hidden_size, heads, "num_attention_heads"),
        vocab_size: fields.required(
            "vocab_size",
            &VOCABULARY,
            if roberta { 50_265 } else { 30_522 },
        ),
        max_position_embeddings: fields.optional("max_position_embeddings", &VOCABULARY, 512),
        type_vocab_size: fields.optional("type_vocab_size", &VOCABULARY, 2),
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", true),
            residual: hidden,
        },
        classifier_dropout: fields.drops("classifier_dropout", hidden),
        num_labels: fields.labels(2),
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(c: &BertConfig, task: Task) -> Vec<Module> {
    const BOTH: &[&str] = &["weight", "bias"];
    let module = |path: String, kind, parameters| Module {
        path,
        kind,
        parameters,
    };
    let linear = |path| module(path, ModuleKind::Linear, BOTH);
    let norm = |path| module(path, ModuleKind::Other, BOTH);
    let tables = if c.roberta {
        ["word", "token_type", "position"]
    } else {
        ["word", "position", "token_type"]
    };
    let base = if c.roberta { "roberta" } else { "bert" };
    let mut all: Vec<Module> = tables
        .iter()
        .map(|name| {
            let path = format!("{base}.embeddings.{name}_embeddings");
            module(path, ModuleKind::Other, &["weight"])
        })
        .collect();
    let at = if c.roberta { 2 } else { 3 };
    all.insert(at, norm(format!("{base}.embeddings.LayerNorm")));
    for i in 0..c.num_hidden_layers {
        let at = |name: &str| format!("{base}.encoder.layer.{i}.{name}");
        all.extend([
            linear(at("attention.self.query")),
            linear(at("attention.self.key")),
            linear(at("attention.self.value")),
            linear(at("attention.output.dense")),
            norm(at("attention.output.LayerNorm")),
            linear(at("intermediate.dense")),
            linear(at("output.dense")),
            norm(at("output.LayerNorm")),
        ]);
    }
    if task == Task::SequenceClassification && c.roberta {
        all.push(linear("classifier.dense".to_owned()));
        all.push(linear("classifier.out_proj".to_owned()));
    } else if task == Task::SequenceClassification {
        all.push(linear("bert.pooler.dense".to_owned()));
        all.push(linear("classifier".to_owned()));
    } else if c.roberta {
        all.push(module("lm_head".to_owned(), ModuleKind::Other, &["bias"]));
        all.push(linear("lm_head.dense".to_owned()));
        all.push(norm("lm_head.layer_norm".to_owned()));
        let decoder = "lm_head.decoder".to_owned();
        all.push(module(decoder, ModuleKind::Output, &[]));
    } else {
        let head = "cls.predictions".to_owned();
        all.push(module(head, ModuleKind::Other, &["bias"]));
        all.push(linear("cls.predictions.transform.dense".to_owned()));
        all.push(norm("cls.predictions.transform.LayerNorm".to_owned()));
        let decoder = "cls.predictions.decoder".to_owned();
        all.push(module(decoder, ModuleKind::Output, &[]));
    }
    all
}
