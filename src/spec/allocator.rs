//! Checks of the caching allocator's settings, by the rules of PyTorch's own parser
//! (`c10/core/AllocatorConfig.cpp` of torch 2.15).

use super::{AllocatorSettings, Finding};

/// MiB of a large segment; `max_split_size_mb` must be above it.
const LARGE_SEGMENT_MIB: u64 = 20;
/// The most MiB that `max_split_size_mb` can say without overflowing bytes.
const MOST_MIB: u64 = 1 << 30;

/// Checks the settings.
pub(super) fn check(settings: &AllocatorSettings, findings: &mut Vec<Finding>) {
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
    if let Some(divisions) = settings.roundup_power2_divisions
        && !(divisions.is_power_of_two() && divisions <= 64)
    {
        findings.push(
            Finding::error(
                "allocator.roundup_power2_divisions",
                format!("roundup_power2_divisions is {divisions}; it must be a power of two from 1 to 64."),
                format!("roundup_power2_divisions 为 {divisions}；必须是 1 到 64 之间的 2 的幂。"),
            )
            .with_fix("allocator.roundup_power2_divisions", divisions.clamp(1, 64).next_power_of_two()),
        );
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
