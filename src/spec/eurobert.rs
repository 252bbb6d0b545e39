//! `EuroBERT` (`models/eurobert/configuration_eurobert.py` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, VOCABULARY, WIDTH};
use super::modules::{Module, ModuleKind, embedding, linear, other};
use super::{Finding, Task};

/// `EuroBERT` as transformers configures it: an encoder of Llama's layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EuroBertConfig {
    /// H.
    pub hidden_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// A.
    pub num_attention_heads: u64,
    /// K.
    pub num_key_value_heads: u64,
    /// D.
    pub head_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// Whether linear layers of attention have biases.
    pub attention_bias: bool,
    /// Whether those of feed-forward layers and of the head have.
    pub mlp_bias: bool,
    /// Whether attention's weights are dropped out in training.
    pub attention_dropout: bool,
    /// Whether the head's table of tokens is the embedding's.
    pub tie_word_embeddings: bool,
    /// What a classifier of texts reads.
    pub pooling: Pooling,
    /// Classes of a classifier.
    pub num_labels: u64,
}

/// What a classifier of texts reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// All tokens, of whose classes it takes the mean.
    Late,
    /// The mean of all tokens.
    Mean,
    /// The first token.
    First,
}

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(fields: &mut ConfigFields<'_>) -> EuroBertConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let head_dim = fields.divided(hidden_size, heads, "num_attention_heads");
    fields.check_activation("hidden_act", &["silu", "swish"]);
    EuroBertConfig {
        hidden_size,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        num_key_value_heads: fields.shared_heads(heads, heads),
        head_dim: fields.optional("head_dim", &WIDTH, head_dim),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 128_256),
        attention_bias: fields.flag("attention_bias", false),
        mlp_bias: fields.flag("mlp_bias", false),
        attention_dropout: fields.drops("attention_dropout", false),
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
        pooling: pooling(fields),
        num_labels: fields.labels(2),
    }
}

fn pooling(fields: &mut ConfigFields<'_>) -> Pooling {
    match fields.text("classifier_pooling").unwrap_or("late") {
        "late" => Pooling::Late,
        "mean" => Pooling::Mean,
        "bos" => Pooling::First,
        name => {
            let key = fields.key("classifier_pooling");
            fields.push(
                Finding::error(
                    &key,
                    format!("EuroBERT's classifier_pooling is late, mean or bos, not {name}."),
                    format!(
                        "EuroBERT 的 classifier_pooling 只能是 late、mean 或 bos，不能是 {name}。"
                    ),
                )
                .with_fix(&key, "late"),
            );
            Pooling::Late
        }
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(c: &EuroBertConfig, task: Task) -> Vec<Module> {
    let mut all = vec![embedding("model.embed_tokens")];
    for i in 0..c.num_hidden_layers {
        let at = |name: &str| format!("model.layers.{i}.{name}");
        let attention = ["q_proj", "k_proj", "v_proj", "o_proj"];
        let attention = attention.map(|name| format!("self_attn.{name}"));
        all.extend(attention.map(|name| linear(at(&name), c.attention_bias)));
        let mlp = ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"];
        all.extend(mlp.map(|name| linear(at(name), c.mlp_bias)));
        all.extend(["input_layernorm", "post_attention_layernorm"].map(|name| other(at(name))));
    }
    all.push(other("model.norm"));
    match task {
        Task::SequenceClassification => {
            all.extend(["dense", "classifier"].map(|name| linear(name, true)));
        }
        Task::TokenClassification => all.push(linear("classifier", true)),
        _ => all.push(Module {
            path: "lm_head".to_owned(),
            kind: ModuleKind::Output,
            parameters: match (c.tie_word_embeddings, c.mlp_bias) {
                (true, true) => &["bias"],
                (true, false) => &[],
                (false, true) => &["weight", "bias"],
                (false, false) => &["weight"],
            },
        }),
    }
    all
}
