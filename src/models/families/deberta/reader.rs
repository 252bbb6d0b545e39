//! `DeBERTa` (`models/deberta/configuration_deberta.py` of transformers 5.23), V2 and V3
//! (`models/deberta_v2/configuration_deberta_v2.py` of transformers 5.23, 4.51 and 4.48).

use crate::ask::{Finding, VOCABULARY, message};
use crate::model::ConfigFields;
use crate::model::{BertKind, Relative};
use serde_json::Value;

/// Peculiarities of `DeBERTa`, if a model is of that kind.
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
