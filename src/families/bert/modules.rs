//! The modules of BERT's kin, by their names in transformers.

use super::{esm_reader as bert_esm, nomic_reader as nomic_bert};
use crate::ask::Task;
use crate::families::deberta::reader as deberta;
use crate::model::{
    BertConfig, BertKind, Module, biased_output, embedding, linear, norm, other, output,
};

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &BertConfig, task: Task) -> Vec<Module> {
    if let Some(relative) = c.relative {
        return deberta::modules(c, relative, task);
    }
    if let Some(esm) = c.esm {
        return bert_esm::modules(c, esm, task);
    }
    if c.kind == BertKind::Nomic {
        return nomic_bert::modules(c, task);
    }
    let mpnet = c.kind == BertKind::Mpnet;
    let roberta = c.kind.of_roberta();
    let tables = tables(c);
    let base = c.family.base_model;
    let mut all: Vec<Module> = tables
        .iter()
        .map(|name| other(format!("{base}.embeddings.{name}_embeddings")))
        .collect();
    let at = match tables.len() {
        _ if roberta => 2,
        // That of tasks comes behind the norm.
        4 => 3,
        all => all,
    };
    if c.kind.norms_embeddings() {
        all.insert(at, norm(format!("{base}.embeddings.LayerNorm")));
    }
    if c.kind == BertKind::Albert {
        all.extend(of_albert());
    } else if c.kind == BertKind::RemBert {
        all.push(linear(
            format!("{base}.encoder.embedding_hidden_mapping_in"),
            true,
        ));
    } else if c.embedding_size != c.hidden_size {
        all.push(linear(format!("{base}.embeddings_project"), true));
    }
    if c.kind == BertKind::RoFormer {
        all.push(embedding(format!("{base}.encoder.embed_positions")));
    }
    all.extend(c.kind.pre_norm().into_iter().flat_map(|n| n.modules(c)));
    for i in 0..c.built_layers() {
        let at = |name: &str| format!("{base}.encoder.layer.{i}.{name}");
        let (attention, after) = if mpnet { MPNET } else { BERT };
        all.extend(attention.map(|name| linear(at(name), true)));
        all.extend([
            norm(at(after)),
            linear(at("intermediate.dense"), true),
            linear(at("output.dense"), true),
            norm(at("output.LayerNorm")),
        ]);
    }
    all.extend(mpnet.then(|| embedding("mpnet.encoder.relative_attention_bias")));
    if c.kind == BertKind::LayoutLm && task != Task::SequenceClassification {
        all.push(linear(format!("{base}.pooler.dense"), true));
    }
    all.extend(head(c, task));
    all
}

/// The modules of the head of a task, in the order in which they are built.
fn head(c: &BertConfig, task: Task) -> Vec<Module> {
    let mut all = Vec::new();
    let base = c.family.base_model;
    if let Some(name) = task.head_of_each() {
        all.push(linear(name, true));
    } else if task == Task::SequenceClassification && c.kind == BertKind::Albert {
        all.extend(["albert.pooler", "classifier"].map(|name| linear(name, true)));
    } else if task == Task::SequenceClassification && !c.kind.pools() {
        all.push(linear("classifier.dense", true));
        all.push(linear("classifier.out_proj", true));
    } else if task == Task::SequenceClassification {
        all.push(linear(format!("{base}.pooler.dense"), true));
        all.push(linear("classifier", true));
    } else if c.kind == BertKind::Albert {
        all.push(bias("predictions"));
        all.push(norm("predictions.LayerNorm".to_owned()));
        all.push(linear("predictions.dense", true));
        all.push(output("predictions.decoder", true));
    } else if c.kind == BertKind::RemBert {
        let at = |name: &str| format!("cls.predictions.{name}");
        all.push(linear(at("dense"), true));
        all.push(biased_output(&at("decoder"), false));
        all.push(norm(at("LayerNorm")));
    } else if c.kind == BertKind::Electra {
        all.push(norm("generator_predictions.LayerNorm".to_owned()));
        all.push(linear("generator_predictions.dense", true));
        all.push(biased_output("generator_lm_head", true));
    } else if c.kind.of_roberta() || c.kind == BertKind::Mpnet {
        all.push(bias("lm_head"));
        all.push(linear("lm_head.dense", true));
        all.push(norm("lm_head.layer_norm".to_owned()));
        all.push(output("lm_head.decoder", true));
    } else {
        all.push(bias("cls.predictions"));
        all.push(linear("cls.predictions.transform.dense", true));
        all.push(norm("cls.predictions.transform.LayerNorm".to_owned()));
        all.push(output("cls.predictions.decoder", true));
    }
    all
}

/// The bias of a decoder whose weight is tied, held by the head.
fn bias(path: &str) -> Module {
    Module {
        parameters: &["bias"],
        ..other(path)
    }
}

/// The tables of the embeddings, in the order in which they are built.
fn tables(c: &BertConfig) -> &'static [&'static str] {
    match c.kind {
        kind if kind.of_roberta() => &["word", "token_type", "position"],
        _ if c.task_type_vocab_size > 0 => &["word", "position", "token_type", "task_type"],
        BertKind::Mpnet => &["word", "position"],
        BertKind::RoFormer => &["word", "token_type"],
        BertKind::LayoutLm => &[
            "word",
            "position",
            "x_position",
            "y_position",
            "h_position",
            "w_position",
            "token_type",
        ],
        _ => &["word", "position", "token_type"],
    }
}

/// The linear layers of a layer of the kinds whose norms are modules beside them.
pub(crate) const LAYER_LINEARS: [&str; 6] = [
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
];

/// The linear layers of attention and the norm behind it.
type AttentionNames = ([&'static str; 4], &'static str);

const BERT: AttentionNames = (
    [
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
    ],
    "attention.output.LayerNorm",
);

const MPNET: AttentionNames = (
    [
        "attention.attn.q",
        "attention.attn.k",
        "attention.attn.v",
        "attention.attn.o",
    ],
    "attention.LayerNorm",
);

/// ALBERT's layer, which stands for all, behind the projection of the embeddings.
fn of_albert() -> Vec<Module> {
    let at = |name: &str| format!("{ALBERT_LAYER}.{name}");
    let full = |name: &str| linear(at(name), true);
    let mut all = vec![
        linear("albert.encoder.embedding_hidden_mapping_in", true),
        norm(at("full_layer_layer_norm")),
    ];
    all.extend(["query", "key", "value", "dense"].map(|name| full(&format!("attention.{name}"))));
    all.push(norm(at("attention.LayerNorm")));
    all.extend(["ffn", "ffn_output"].map(full));
    all
}

/// The path of ALBERT's layer.
const ALBERT_LAYER: &str = "albert.encoder.albert_layer_groups.0.albert_layers.0";
