//! `DeBERTa` V2 and V3 (`models/deberta_v2/configuration_deberta_v2.py` of transformers 5.23, 4.51 and
//! 4.48).

use super::bert::{BertConfig, Relative};
use super::config_fields::ConfigFields;
use super::limits::VOCABULARY;
use super::modules::{Module, embedding, linear, norm, other, output};
use super::{Finding, Task};
use serde_json::Value;

/// What is peculiar to `DeBERTa` (`models/deberta_v2/configuration_deberta_v2.py`).
pub(super) fn read(fields: &mut ConfigFields<'_>) -> Relative {
    for (field, needed) in [
        ("relative_attention", true),
        ("share_att_key", true),
        ("legacy", true),
    ] {
        if fields.flag(field, field == "legacy") != needed {
            refuse(fields, field, needed.into());
        }
    }
    for (field, plain) in [("conv_kernel_size", 0), ("z_steps", 0)] {
        if fields
            .get(field)
            .and_then(Value::as_u64)
            .is_some_and(|n| n > plain)
        {
            refuse(fields, field, Value::Null);
        }
    }
    let kinds = fields.get("pos_att_type").map(Value::to_string);
    let has = |name: &str| kinds.as_ref().is_some_and(|kinds| kinds.contains(name));
    let (content_to_position, position_to_content) = (has("c2p"), has("p2c"));
    let positive = |field| fields.get(field).and_then(Value::as_u64).filter(|&n| n > 0);
    let buckets = positive("position_buckets");
    if buckets.is_none() {
        refuse(fields, "position_buckets", 256.into());
    }
    let normalized = fields
        .text("norm_rel_ebd")
        .is_some_and(|norms| norms.contains("layer_norm"));
    Relative {
        rows: 2 * fields.optional("position_buckets", &VOCABULARY, 256),
        normalized,
        content_to_position,
        position_to_content,
        position_biased: fields.flag("position_biased_input", true),
        pooler_dropout: fields.drops("pooler_dropout", false),
    }
}

/// Says that a variant of `DeBERTa` is not estimated.
fn refuse(fields: &mut ConfigFields<'_>, field: &str, fix: Value) {
    let key = fields.key(field);
    fields.push(
        Finding::error(
            &key,
            format!("DeBERTa is estimated as its version 3 is built, which has another {field}."),
            format!("目前按 DeBERTa V3 的结构估算，其 {field} 与此不同。"),
        )
        .with_fix(&key, fix),
    );
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(c: &BertConfig, relative: Relative, task: Task) -> Vec<Module> {
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
        let projections = ["query_proj", "key_proj", "value_proj"];
        all.extend(projections.map(|name| full(&at(&format!("attention.self.{name}")))));
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
