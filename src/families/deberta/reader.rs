//! `DeBERTa` (`models/deberta/configuration_deberta.py` of transformers 5.23), V2 and V3
//! (`models/deberta_v2/configuration_deberta_v2.py` of transformers 5.23, 4.51 and 4.48).

use crate::ask::{Finding, Task, VOCABULARY, message};
use crate::model::ConfigFields;
use crate::model::{
    BertConfig, BertKind, Module, Relative, embedding, linear, norm, other, output,
};
use serde_json::Value;

/// What is peculiar to `DeBERTa`, if a model is of that kind.
pub(crate) fn read(kind: BertKind, fields: &mut ConfigFields<'_>) -> Option<Relative> {
    let needed: &[(&str, bool)] = match kind {
        BertKind::DebertaV1 => &[
            ("relative_attention", true),
            ("talking_head", false),
            ("legacy", true),
        ],
        BertKind::Deberta => &[
            ("relative_attention", true),
            ("share_att_key", true),
            ("legacy", true),
        ],
        _ => return None,
    };
    for &(field, needed) in needed {
        if fields.flag(field, field == "legacy") != needed {
            refuse(fields, field, needed.into());
        }
    }
    let kinds = fields.get("pos_att_type").map(Value::to_string);
    let has = |name: &str| kinds.as_ref().is_some_and(|kinds| kinds.contains(name));
    let later = kind == BertKind::Deberta;
    Some(Relative {
        rows: 2 * if later {
            buckets(fields)
        } else {
            distances(fields)
        },
        normalized: later
            && fields
                .text("norm_rel_ebd")
                .is_some_and(|norms| norms.contains("layer_norm")),
        content_to_position: has("c2p"),
        position_to_content: has("p2c"),
        position_biased: fields.flag("position_biased_input", true),
        pooler_dropout: fields.drops("pooler_dropout", false),
    })
}

/// Distances of the first version to either side.
fn distances(fields: &mut ConfigFields<'_>) -> u64 {
    match positive(fields, "max_relative_positions") {
        Some(_) => fields.optional("max_relative_positions", &VOCABULARY, 512),
        None => fields.optional("max_position_embeddings", &VOCABULARY, 512),
    }
}

fn positive(fields: &ConfigFields<'_>, field: &str) -> Option<u64> {
    fields.get(field).and_then(Value::as_u64).filter(|&n| n > 0)
}

/// Buckets of distances of the later versions to either side.
fn buckets(fields: &mut ConfigFields<'_>) -> u64 {
    for (field, plain) in [("conv_kernel_size", 0), ("z_steps", 0)] {
        if fields
            .get(field)
            .and_then(Value::as_u64)
            .is_some_and(|n| n > plain)
        {
            refuse(fields, field, Value::Null);
        }
    }
    if positive(fields, "position_buckets").is_none() {
        refuse(fields, "position_buckets", 256.into());
    }
    fields.optional("position_buckets", &VOCABULARY, 256)
}

/// Says that a variant of `DeBERTa` is not estimated.
fn refuse(fields: &mut ConfigFields<'_>, field: &str, fix: Value) {
    let key = fields.key(field);
    fields
        .push(Finding::error(&key, message!(deberta::not_as_published, field)).with_fix(&key, fix));
}

/// Those of the first version's attention at `path`.
fn joined(path: &str, relative: Relative) -> Vec<Module> {
    let at = |name: &str| format!("{path}.{name}");
    let mut all = vec![
        Module {
            parameters: &["q_bias", "v_bias"],
            ..other(path)
        },
        linear(at("in_proj"), false),
    ];
    let of_keys = relative.content_to_position;
    all.extend(of_keys.then(|| linear(at("pos_proj"), false)));
    let of_queries = relative.position_to_content;
    all.extend(of_queries.then(|| linear(at("pos_q_proj"), true)));
    all
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &BertConfig, relative: Relative, task: Task) -> Vec<Module> {
    let full = |path: &str| linear(path, true);
    let mut all = vec![embedding("deberta.embeddings.word_embeddings")];
    let tables = [
        (relative.position_biased, "position_embeddings"),
        (c.type_vocab_size > 0, "token_type_embeddings"),
    ];
    let tables = tables.into_iter().filter(|(there, _)| *there);
    all.extend(tables.map(|(_, name)| embedding(format!("deberta.embeddings.{name}"))));
    all.push(norm("deberta.embeddings.LayerNorm"));
    for i in 0..c.num_hidden_layers {
        let at = |name: &str| format!("deberta.encoder.layer.{i}.{name}");
        if c.kind == BertKind::DebertaV1 {
            all.extend(joined(&at("attention.self"), relative));
        } else {
            let projections = ["query_proj", "key_proj", "value_proj"];
            all.extend(projections.map(|name| full(&at(&format!("attention.self.{name}")))));
        }
        all.extend([
            full(&at("attention.output.dense")),
            norm(at("attention.output.LayerNorm")),
            full(&at("intermediate.dense")),
            full(&at("output.dense")),
            norm(at("output.LayerNorm")),
        ]);
    }
    all.push(embedding("deberta.encoder.rel_embeddings"));
    if relative.normalized {
        all.push(norm("deberta.encoder.LayerNorm"));
    }
    if let Some(name) = task.head_of_each() {
        all.push(full(name));
        return all;
    }
    if task == Task::SequenceClassification {
        all.extend(["pooler.dense", "classifier"].map(full));
        return all;
    }
    all.push(full("cls.predictions.transform.dense"));
    all.push(norm("cls.predictions.transform.LayerNorm"));
    all.push(Module {
        parameters: &["bias"],
        ..other("cls.predictions")
    });
    all.push(output("cls.predictions.decoder", true));
    all
}
