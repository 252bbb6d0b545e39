//! Checks of the caching allocator's settings, by the rules of PyTorch's own parser
//! (`c10/core/AllocatorConfig.cpp` of torch 2.15).

use crate::ask::{AllocatorSettings, Finding, RoundupDivisions, message};
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
                message!(
                    allocator::max_split_size,
                    mib,
                    large_segment_mib = LARGE_SEGMENT_MIB
                ),
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
                message!(allocator::garbage_collection, share),
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
        message!(allocator::roundup, shown),
    )
    .with_fix("allocator.roundup_power2_divisions", nearest)
}
