//! Context parallelism.

use super::mesh::divisor;
use super::refusal::not_estimated;
use super::sizes::{Sizes, must_divide};
use crate::ask::{ContextParallelKind, Finding, Scenario, message};

/// The key of its ranks.
const SIZE: &str = "parallelism.cp.size";

/// Context parallelism is not estimated yet.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.parallelism.cp.size > 1 {
        let what = message!(parallelism::context_parallelism);
        findings.push(not_estimated(SIZE, &what, 1));
    }
}

/// Refuses ranks that the sequence is not divided among: ring attention gives each of them a piece from the
/// head and one from the tail (`_HeadTailLoadBalancer`, torch 2.15), Ulysses exchanges pieces for heads.
pub(super) fn check(scenario: &Scenario, sizes: &Sizes, findings: &mut Vec<Finding>) {
    let asked = scenario.parallelism.cp;
    let tokens = scenario.seq_len;
    match asked.kind {
        ContextParallelKind::Ring => {
            let pieces = asked.size.saturating_mul(2);
            if asked.size > 1 && !tokens.is_multiple_of(pieces) {
                let finding = Finding::error(
                    SIZE,
                    message!(
                        parallelism::ring_pieces,
                        key = SIZE,
                        size = asked.size,
                        tokens,
                        pieces
                    ),
                );
                let even = tokens.is_multiple_of(2);
                let ranks = if even {
                    divisor(tokens / 2, asked.size)
                } else {
                    1
                };
                findings.push(finding.with_fix(SIZE, ranks));
            }
        }
        ContextParallelKind::Ulysses => {
            let whole = [
                (message!(parallelism::tokens), Some(tokens)),
                (message!(parallelism::heads), sizes.heads),
            ];
            must_divide(SIZE, asked.size, &whole, findings);
        }
    }
}
