//! Tensor parallelism.

use super::refusal::not_estimated;
use super::sizes::{Sizes, must_divide};
use crate::ask::{Finding, Scenario, TensorParallelKind, message};

/// The key of its ranks.
const SIZE: &str = "parallelism.tp.size";

/// Tensor parallelism is not estimated yet.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.parallelism.tp.size > 1 {
        let what = message!(parallelism::tensor_parallelism);
        findings.push(not_estimated(SIZE, &what, 1));
    }
}

/// Refuses ranks that heads, sequence and Megatron-Core's MLP are not divided among. Vocabularies and, in PyTorch, MLPs need
/// not be whole: the last rank has fewer rows, and Megatron-Core pads vocabularies.
pub(super) fn check(scenario: &Scenario, sizes: &Sizes, findings: &mut Vec<Finding>) {
    let asked = scenario.parallelism.tp;
    let mut whole = vec![
        (message!(parallelism::heads), sizes.heads),
        (
            message!(parallelism::key_value_heads),
            sizes.key_value_heads,
        ),
    ];
    if asked.kind == TensorParallelKind::Megatron {
        whole.push((message!(parallelism::mlp_columns), sizes.intermediate));
    }
    if asked.sequence_parallel {
        let tokens = scenario.seq_len / scenario.parallelism.cp.size.max(1);
        whole.push((message!(parallelism::tokens), Some(tokens)));
    }
    must_divide(SIZE, asked.size, &whole, findings);
}
