//! Limits: inside of them no sum or product of the engine overflows and no trace grows without
//! bound.

use super::finding::{Finding, Severity};
use super::message::{Message, message};
use std::ops::RangeInclusive;

/// Samples per forward pass.
pub const MICRO_BATCH_SIZE: RangeInclusive<u64> = 1..=1 << 20;

/// Tokens per sample.
pub const SEQ_LEN: RangeInclusive<u64> = 1..=1 << 24;

/// Micro-batches per optimizer step.
pub const ACCUMULATION: RangeInclusive<u64> = 1..=1 << 16;

/// Layers of a model.
pub const LAYERS: RangeInclusive<u64> = 1..=1024;

/// Hidden and intermediate sizes and features.
pub const WIDTH: RangeInclusive<u64> = 1..=1 << 24;

/// Heads.
pub const HEADS: RangeInclusive<u64> = 1..=1 << 16;

/// Tokens of a vocabulary.
pub const VOCABULARY: RangeInclusive<u64> = 1..=1 << 26;

/// Bytes of one tensor: 16 TiB, a hundred times what any accelerator holds.
pub const TENSOR_BYTES: u64 = 1 << 44;

/// Bytes of host memory and swap.
pub const HOST_BYTES: u64 = 1 << 54;

/// Bytes of a data set: 4 PiB, more than the disks of one machine (36 of 122 TB) hold.
pub const DATASET_BYTES: u64 = 1 << 52;

/// An error about a number outside of `allowed`, repaired by the nearest number inside. The start of an empty range
/// repairs everything: what bounds it from above is refused by itself.
pub fn outside(key: &str, value: u64, allowed: &RangeInclusive<u64>) -> Finding {
    let (low, high) = (allowed.start(), allowed.end());
    Finding::error(key, message!(ask::outside, key, value, low, high))
        .with_fix(key, value.min(*high).max(*low))
}

/// Adds to an error about `key` why there is a limit.
pub fn explain(findings: &mut [Finding], key: &str, reason: &Message) {
    let mut about = findings.iter_mut().filter(|finding| finding.key == key);
    if let Some(finding) = about.find(|finding| finding.severity == Severity::Error) {
        let problem = &finding.message;
        finding.message = message!(ask::with_reason, problem, reason);
    }
}

/// Reports `value` when it lies outside of `allowed`.
pub fn check_range(
    key: &str,
    value: u64,
    allowed: &RangeInclusive<u64>,
    findings: &mut Vec<Finding>,
) {
    if !allowed.contains(&value) {
        findings.push(outside(key, value, allowed));
    }
}
