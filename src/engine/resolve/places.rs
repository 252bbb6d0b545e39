//! Caches of transformers 4 with places for keys and values that are made beforehand (`HybridCache`).

use crate::ask::{Attention, Finding, Framework, Precision, Scenario, SdpaBackend, message};
use crate::model::{Architecture, CacheIn4};

/// Masks whose rows have a multiple of this number of keys are given to the memory-efficient kernel as they are.
const ROWS: u64 = 8;

/// The first key in 16 bits that is `p.attn_bias_ptr` (`kernel_forward.h`) is a multiple of that.
const START: u64 = 4;

/// Refuses texts at which that kernel fails: a layer with a window is given the last columns of the mask.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Some(window) = architecture.windows().into_iter().flatten().next() else {
        return;
    };
    let sixteen_bits = matches!(scenario.precision, Precision::Bf16 | Precision::Fp16);
    if scenario.framework != Framework::Torch26Transformers451
        || architecture.generation().cache_in(scenario.framework) != CacheIn4::Places
        || scenario.attention != Attention::Sdpa
        || scenario.sdpa_backend == Some(SdpaBackend::Math)
        || !sixteen_bits
    {
        return;
    }
    let new = scenario.asked_evaluation().max_new_tokens;
    let places = scenario.evaluated_tokens().saturating_sub(1);
    let prompt = places + 1 - new.min(places);
    let mut later = (prompt + 1..=places).map(|seen| seen.saturating_sub(window));
    if places.is_multiple_of(ROWS) && later.any(|from| !from.is_multiple_of(START)) {
        findings.push(misplaced(new));
    }
}

fn misplaced(new: u64) -> Finding {
    const KEY: &str = "evaluation.max_new_tokens";
    Finding::error(KEY, message!(attention::misplaced_mask)).with_fix(KEY, new + 1)
}

#[cfg(test)]
mod tests {
    use crate::resolve::refused::tests::refused;
    use serde_json::json;

    #[test]
    fn windows_at_odd_places_fail_where_the_mask_is_taken_as_it_is() {
        let asked = |attention: &str, seq_len: u64, new: u64| {
            refused(&json!({
                "model": "command-r7b", "framework": "torch-2.6/transformers-4.51", "precision": "bf16",
                "attention": attention, "seq_len": seq_len,
                "evaluation": {"kind": "generate", "max_new_tokens": new},
            }))
        };
        let repaired = |new: u64| Some(("evaluation.max_new_tokens".to_owned(), json!(new)));
        assert_eq!(asked("sdpa", 4090, 23), repaired(24));
        assert_eq!(asked("sdpa", 4090, 24), None);
        assert_eq!(asked("sdpa", 4010, 23), None);
        assert_eq!(asked("eager", 4090, 23), None);
    }
}
