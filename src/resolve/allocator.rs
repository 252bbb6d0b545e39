//! Checks of the caching allocator's settings, by the rules of PyTorch's own parser
//! (`c10/core/AllocatorConfig.cpp` of torch 2.15).

use crate::ask::{AllocatorSettings, Finding, RoundupDivisions};
use serde_json::Value;

/// MiB of a large segment; `max_split_size_mb` must be above it.
const LARGE_SEGMENT_MIB: u64 = 20;

/// The most MiB that `max_split_size_mb` can say without overflowing bytes.
const MOST_MIB: u64 = 1 << 30;

/// Checks the settings.
pub(crate) fn check(settings: &AllocatorSettings, findings: &mut Vec<Finding>) {
    if let Some(mib) = settings.max_split_size_mb
        && !(LARGE_SEGMENT_MIB + 1..=MOST_MIB).contains(&mib)
    {
        findings.push(
            Finding::error(
                "allocator.max_split_size_mb",
                format!(
                    "max_split_size_mb is {mib}; PyTorch takes values above {LARGE_SEGMENT_MIB}."
                ),
                format!("max_split_size_mb 为 {mib}；PyTorch 要求大于 {LARGE_SEGMENT_MIB}。"),
            )
            .with_fix(
                "allocator.max_split_size_mb",
                mib.clamp(LARGE_SEGMENT_MIB + 1, MOST_MIB),
            ),
        );
    }
    if let Some(divisions) = &settings.roundup_power2_divisions
        && divisions.by_interval().is_none()
    {
        findings.push(roundup(divisions));
    }
    if let Some(share) = settings.garbage_collection_threshold
        && !(share > 0.0 && share < 1.0)
    {
        findings.push(
            Finding::error(
                "allocator.garbage_collection_threshold",
                format!("garbage_collection_threshold is {share}; it must lie between 0 and 1."),
                format!("garbage_collection_threshold 为 {share}；必须在 0 与 1 之间。"),
            )
            .with_fix("allocator.garbage_collection_threshold", 0.8),
        );
    }
}

fn roundup(divisions: &RoundupDivisions) -> Finding {
    /// Divisions that a fix offers at most.
    const MOST: u64 = 64;
    let (shown, nearest) = match divisions {
        RoundupDivisions::Same(number) => (
            number.to_string(),
            (*number).clamp(1, MOST).next_power_of_two().into(),
        ),
        RoundupDivisions::BySize(list) => (list.chars().take(60).collect(), Value::Null),
    };
    Finding::error(
        "allocator.roundup_power2_divisions",
        format!("roundup_power2_divisions is {shown}; it must be a power of two, or a list such as [256:1,512:2,>:8] of powers of two by size in MiB, in which 0 turns rounding off."),
        format!("roundup_power2_divisions 为 {shown}；必须是 2 的幂，或形如 [256:1,512:2,>:8] 的列表（按 MiB 大小给出 2 的幂，0 表示不取整）。"),
    )
    .with_fix("allocator.roundup_power2_divisions", nearest)
}
