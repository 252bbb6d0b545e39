//! Refuses tensors that no accelerator could hold, so that no product or sum overflows.

use crate::ask::{
    Attention, EvaluationKind, Finding, Scenario, SdpaBackend, TENSOR_BYTES, message,
};
use crate::model::{Architecture, Dimensions};
use serde_json::Value;

/// Bytes of the widest element that appears, a 64-bit integer.
const ELEMENT: u128 = 8;

/// Checks the largest weight and the largest activation.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let (weight, sample) = match (architecture, architecture.dimensions()) {
        (_, Some(model)) => (largest_weight(&model), largest_sample(scenario, &model)),
        (Architecture::Linear(layer), None) => (
            bytes(&[layer.in_features, layer.out_features]),
            bytes(&[layer.in_features.max(layer.out_features)]),
        ),
        (_, None) => return,
    };
    let limit = u128::from(TENSOR_BYTES);
    if weight > limit {
        findings.push(Finding::error("model", message!(sizes::weight)));
        return;
    }
    let batch = scenario.micro_batch_size.max(scenario.evaluated_samples());
    let refuse = |key: &str| Finding::error(key, message!(sizes::micro_batch));
    let of_images = architecture.tokens().is_some();
    if sample > limit && of_images {
        findings.push(refuse("model"));
    } else if sample > limit {
        let (key, value) = shorter(scenario);
        findings.push(refuse(&key).with_fix(&key, value));
    } else if sample.saturating_mul(u128::from(batch)) > limit {
        let fits = u64::try_from(limit / sample.max(1)).unwrap_or(1);
        let times = scenario.evaluated_times().max(1);
        let (key, value) = if scenario.micro_batch_size > fits {
            ("micro_batch_size", fits)
        } else if times <= fits {
            ("evaluation.micro_batch_size", fits / times)
        } else if scenario.asked_evaluation().kind == EvaluationKind::Trainer {
            ("evaluation.batches", fits)
        } else {
            ("evaluation.num_beams", fits)
        };
        findings.push(refuse(key).with_fix(key, value));
    }
}

/// The setting that makes samples shorter: the padding, then generated tokens, then the samples themselves.
fn shorter(scenario: &Scenario) -> (String, Value) {
    let (key, value) = if scenario.pad_to_multiple_of.is_some() {
        ("pad_to_multiple_of", Value::Null)
    } else if scenario.evaluated_tokens() > scenario.seq_len.saturating_mul(2) {
        let tokens = scenario.evaluation.max_new_tokens / 2;
        ("evaluation.max_new_tokens", tokens.into())
    } else {
        ("seq_len", (scenario.seq_len / 2).into())
    };
    (key.to_owned(), value)
}

fn bytes(sizes: &[u64]) -> u128 {
    sizes
        .iter()
        .map(|&n| u128::from(n))
        .fold(ELEMENT, u128::saturating_mul)
}

fn largest_weight(model: &Dimensions) -> u128 {
    bytes(&[
        model.widest.max(model.position_rows),
        model.inner,
        model.experts,
    ])
}

/// The largest tensor of one sample.
fn largest_sample(scenario: &Scenario, model: &Dimensions) -> u128 {
    let seq = model.tokens.unwrap_or_else(|| scenario.evaluated_tokens());
    let tokens = bytes(&[seq, model.widest, model.experts_per_token]);
    if holds_scores(scenario, model) {
        tokens.max(bytes(&[model.heads, seq, seq]))
    } else {
        tokens
    }
}

/// Whether a matrix of tokens by tokens can appear: scores, or a mask of them.
fn holds_scores(scenario: &Scenario, model: &Dimensions) -> bool {
    /// Columns to which the memory-efficient kernel's heads are aligned in every precision;
    /// others may fall back to the math kernel.
    const ALIGNMENT: u64 = 8;
    match scenario.attention {
        Attention::Eager => true,
        Attention::FlashAttention2 => false,
        Attention::Sdpa => {
            scenario.has_padding()
                || scenario.sdpa_backend == Some(SdpaBackend::Math)
                || model.masked
                || !model.head_dim.is_multiple_of(ALIGNMENT)
        }
    }
}
