//! The indexer, which chooses the keys that a token sees (`DeepSeek` V3.2 and GLM-5: `models/{deepseek_v32,
//! glm_moe_dsa}` of transformers 5.23).

use crate::ask::{Finding, HEADS, SEQ_LEN, WIDTH, message};
use crate::model::ConfigFields;
use crate::model::Indexer;
use serde_json::Value;

/// Reads the indexer of a model whose heads have `rotated` rotated columns, with its defaults.
pub(crate) fn read(default: Indexer, rotated: u64, fields: &mut ConfigFields<'_>) -> Indexer {
    const COLUMNS: &str = "index_head_dim";
    let columns = fields.optional(COLUMNS, &WIDTH, default.columns);
    if columns < rotated {
        let key = fields.key(COLUMNS);
        fields.push(
            Finding::error(
                &key,
                message!(deepseek::indexer_too_narrow, rotated, columns),
            )
            .with_fix(&key, rotated),
        );
    }
    Indexer {
        heads: fields.optional("index_n_heads", &HEADS, default.heads),
        columns,
        kept: fields.optional("index_topk", &SEQ_LEN, default.kept),
        hands_on: default.hands_on,
    }
}

/// For each layer, whether it has an indexer, where indexers hand on the keys that they choose; a layer without one
/// sees the keys of the layer before.
pub(crate) fn layers(
    indexer: Option<&Indexer>,
    count: u64,
    fields: &mut ConfigFields<'_>,
) -> Vec<bool> {
    if !indexer.is_some_and(|indexer| indexer.hands_on) {
        return Vec::new();
    }
    let period = fields.optional("index_topk_freq", &(0..=count), 1).max(1);
    let offset = fields.optional("index_skip_topk_offset", &(0..=count), 2);
    let given = fields.get("indexer_types").and_then(Value::as_array);
    let named = |layer: u64| given?.get(usize::try_from(layer).ok()?)?.as_str();
    let pattern = fields.text("index_topk_pattern");
    let letter = |layer: u64| pattern?.chars().nth(usize::try_from(layer).ok()?);
    let is_full = |layer: u64| match (given, pattern) {
        (Some(_), _) => named(layer) == Some("full"),
        (None, Some(_)) => letter(layer) == Some('F'),
        (None, None) => (layer + 1).saturating_sub(offset).is_multiple_of(period),
    };
    let all: Vec<bool> = (0..count).map(is_full).collect();
    if all.first() == Some(&false) {
        let key = fields.key("indexer_types");
        fields.push(
            Finding::error(&key, message!(deepseek::first_layer_without_indexer))
                .with_fix(&key, Value::Null),
        );
    }
    all
}
