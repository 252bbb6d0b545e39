//! Fields of Doge that Llama lacks (`models/doge` of transformers 5.23).

use crate::ask::{EvaluationKind, Finding, SEQ_LEN, Scenario, message};
use crate::model::Architecture;
use crate::model::ConfigFields;

/// Keys that a token keeps; mixtures of experts and windows are refused.
pub(crate) fn kept_keys(fields: &mut ConfigFields<'_>) -> u64 {
    if fields.flag("is_moe", false) {
        let key = fields.key("is_moe");
        fields.push(Finding::error(&key, message!(doge::experts)).with_fix(&key, false));
    }
    if fields.get("sliding_window").is_some() {
        let key = fields.key("sliding_window");
        fields.push(
            Finding::error(&key, message!(doge::window)).with_fix(&key, serde_json::Value::Null),
        );
    }
    fields.optional("keep_window_size", &SEQ_LEN, 2048)
}

/// Refuses samples of which tokens would choose the keys that they see.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Architecture::Decoder(config) = architecture else {
        return;
    };
    // The last of new tokens sees all before it.
    let new = match scenario.evaluation.kind {
        EvaluationKind::Generate => scenario.evaluation.max_new_tokens.saturating_sub(1),
        _ => 0,
    };
    let seen = scenario.padded(scenario.seq_len).saturating_add(new);
    let Some(kept) = config.kept_keys.filter(|&kept| seen > kept) else {
        return;
    };
    findings.push(
        Finding::error("seq_len", message!(doge::keys_chosen, kept))
            .with_fix("seq_len", kept.saturating_sub(new).max(2)),
    );
}
