//! The allocator's settings and its rules of size.
//!
//! Source of every constant and rule: c10/core/AllocatorConfig.h and
//! c10/cuda/CUDACachingAllocator.cpp, PyTorch 2.6 and 2.15. Confidence: measured (replayed traces
//! of both versions agree to the byte, `tests/allocator.rs`).

use crate::units::{KIB, MIB};

/// `kMinBlockSize`: every request is rounded up to a multiple of it.
pub const MIN_BLOCK: u64 = 512;
/// `kSmallSize`: the largest request that the small pool serves.
pub const SMALL_SIZE: u64 = MIB;
/// `kSmallBuffer`: segments of the small pool.
pub const SMALL_SEGMENT: u64 = 2 * MIB;
/// `kMinLargeAlloc`: requests from here on get a segment of their own size.
pub const MIN_LARGE_ALLOC: u64 = 10 * MIB;
/// `kLargeBuffer`, `large_segment_size`: segments for requests between 1 and 10 MiB.
pub const LARGE_SEGMENT: u64 = 20 * MIB;
/// `kRoundLarge`: segments of 10 MiB and more are rounded up to a multiple of it.
pub const ROUND_LARGE: u64 = 2 * MIB;
/// `max_non_split_rounding_mb`'s default: how much larger than a request an unsplittable block
/// may be.
pub const MAX_NON_SPLIT_ROUNDING: u64 = 20 * MIB;
/// Address space of an expandable segment. PyTorch takes nine eighths of the device's memory;
/// any size that is never exhausted behaves the same.
pub const EXPANDABLE_ADDRESS_SPACE: u64 = 40 * KIB * KIB * MIB;

/// A bound of the allocator's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// Nothing.
    #[default]
    None,
    /// `torch.cuda.set_per_process_memory_fraction`, in bytes: PyTorch itself refuses.
    Fraction(u64),
    /// Memory that the driver can hand out, in bytes.
    Capacity(u64),
    /// Capacity of a run that continues without this limit once it would exceed it; [`super::Replay`] keeps the
    /// allocator as it was before. Not with expandable segments, which find out page by page.
    Watched(u64),
}

/// `PYTORCH_CUDA_ALLOC_CONF` and the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `expandable_segments:True`.
    pub expandable_segments: bool,
    /// `max_split_size_mb` in bytes: blocks of this size and more are never split.
    pub max_split_size: Option<u64>,
    /// `roundup_power2_divisions`, for requests below 2 MiB, 4 MiB, 8 MiB, ... and the rest; 0 or
    /// 1 rounds to multiples of 512 bytes only.
    pub roundup_power2_divisions: [u64; POWER2_INTERVALS],
    /// `garbage_collection_threshold` in bytes of [`Limit::Fraction`]; without that limit PyTorch
    /// ignores it.
    pub garbage_collection_threshold: Option<u64>,
    /// The bound of the allocator's memory.
    pub limit: Limit,
    /// When streams are done with blocks that were freed.
    pub timing: Timing,
}

/// When the events are complete that blocks wait for which are freed while another stream may use them:
/// only a GPU knows, these are the bounds. What is complete is seen at the next request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// At once, as on a device that takes no time.
    #[default]
    AtOnce,
    /// When the host waits for them, or for what comes after them, at the latest: on a device that does nothing before.
    WhenAwaited,
}

/// `kRoundUpPowerOfTwoIntervals`: sizes by power of two from 1 MiB to 64 GiB.
pub const POWER2_INTERVALS: usize = 16;
/// `kRoundUpPowerOfTwoStart`, as a power of two.
const POWER2_START: u32 = 20;

impl Settings {
    /// Whether nothing is set: requests are rounded to whole blocks, and any cached block is split.
    pub(super) fn are_plain(&self) -> bool {
        let Self {
            expandable_segments: false,
            max_split_size: None,
            garbage_collection_threshold: None,
            roundup_power2_divisions,
            limit: _,
            timing: _,
        } = self
        else {
            return false;
        };
        roundup_power2_divisions.iter().all(|&n| n < 2)
    }

    /// Bytes that a request takes of a block: `round_size`.
    pub fn round_size(&self, bytes: u64) -> u64 {
        if bytes < MIN_BLOCK {
            return MIN_BLOCK;
        }
        let divisions = self.divisions(bytes);
        if divisions > 1 && bytes > MIN_BLOCK * divisions {
            next_division(bytes, divisions)
        } else {
            bytes.next_multiple_of(MIN_BLOCK)
        }
    }

    fn divisions(&self, bytes: u64) -> u64 {
        let interval = bytes.ilog2().saturating_sub(POWER2_START) as usize;
        self.roundup_power2_divisions[interval.min(POWER2_INTERVALS - 1)]
    }

    /// Size from which on blocks are never split.
    pub(super) fn max_split_size(&self) -> u64 {
        self.max_split_size.unwrap_or(u64::MAX)
    }

    /// Whether garbage is collected: `set_fraction && garbage_collection_threshold > 0`.
    pub(super) fn collects_garbage_above(&self) -> Option<u64> {
        match self.limit {
            Limit::Fraction(_) => self.garbage_collection_threshold,
            Limit::None | Limit::Capacity(_) | Limit::Watched(_) => None,
        }
    }
}

/// `roundup_power2_next_division`: up to the next of `divisions` equal steps between two powers
/// of two.
fn next_division(bytes: u64, divisions: u64) -> u64 {
    if bytes.is_power_of_two() {
        return bytes;
    }
    let floor = 1u64 << bytes.ilog2();
    let step = floor >> divisions.ilog2();
    if step == 0 {
        return floor << 1;
    }
    bytes.next_multiple_of(step)
}

/// Bytes of the segment that a rounded request asks the driver for: `get_allocation_size`.
pub fn segment_size(size: u64) -> u64 {
    if size <= SMALL_SIZE {
        SMALL_SEGMENT
    } else if size < MIN_LARGE_ALLOC {
        LARGE_SEGMENT
    } else {
        size.next_multiple_of(ROUND_LARGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_rounded_to_512_bytes() {
        let plain = Settings::default();
        assert_eq!(plain.round_size(1), 512);
        assert_eq!(plain.round_size(513), 1024);
        assert_eq!(plain.round_size(3 * MIB), 3 * MIB);
    }

    #[test]
    fn four_divisions_round_1200_kib_to_1280_kib() {
        let four = Settings {
            roundup_power2_divisions: [4; POWER2_INTERVALS],
            ..Settings::default()
        };
        assert_eq!(four.round_size(1200 * KIB), 1280 * KIB);
        assert_eq!(four.round_size(1024 * KIB), 1024 * KIB);
        assert_eq!(four.round_size(1000), 1024);
    }

    #[test]
    fn segments_are_2_mib_20_mib_or_the_request_rounded_to_2_mib() {
        assert_eq!(segment_size(512), 2 * MIB);
        assert_eq!(segment_size(MIB + 512), 20 * MIB);
        assert_eq!(segment_size(10 * MIB), 10 * MIB);
        assert_eq!(segment_size(10 * MIB + 512), 12 * MIB);
    }
}
