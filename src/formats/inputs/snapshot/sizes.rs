//! The sizes of blocks, which a trace does not say.
//!
//! An event has the size that was asked for, what PyTorch counts as allocated is the size of the block: rounded up,
//! and with what the allocator does not split off (`DeviceCachingAllocator::should_split`, 2.0 to 2.15: up to 1 MiB
//! in segments of large blocks that cannot grow). The blocks around it tell: an allocator's free blocks in such
//! segments are larger than that, so that a gap that is not belongs to the block before it.

use super::contents::{Action, Event, Rules, Segment};
use super::replay::live;
use std::collections::BTreeMap;

/// Blocks are multiples of this (`kMinBlockSize`).
const ROUND: u64 = 512;
/// The largest rest of a large block that stays with it (`kSmallSize`).
const KEPT: u64 = 1 << 20;
/// The size of a segment for small blocks (`kSmallBuffer`).
const SMALL_SEGMENT: u64 = 2 << 20;

/// A part of the address space that is taken from the driver.
#[derive(Clone, Copy)]
struct Range {
    end: u64,
    /// Whether blocks are split to the last 512 bytes.
    fine: bool,
}

/// Gives each event of a block the block's size.
pub(super) fn give_sizes(events: &mut [Event], segments: &[Segment], rules: &Rules) {
    let mut space = Space::at_start(events, segments, rules);
    for event in events {
        let (address, size) = (event.address, event.size);
        match event.action {
            Action::Alloc => {
                let end = space.end_of(address, rules.rounded(size), rules);
                space.blocks.insert(address, end);
                event.size = end.saturating_sub(address);
            }
            Action::FreeRequested => event.size = space.size(address, rules.rounded(size)),
            Action::FreeCompleted => {
                event.size = space.size(address, rules.rounded(size));
                space.blocks.remove(&address);
            }
            Action::SegmentAlloc => {
                space.take(address, size, rules.expandable || size == SMALL_SEGMENT);
            }
            Action::SegmentMap => space.take(address, size, true),
            Action::SegmentFree | Action::SegmentUnmap => space.give(address, size),
            Action::Oom | Action::Snapshot | Action::Other => {}
        }
    }
}

/// Segments and the blocks in them that are held, each by its first byte.
struct Space {
    ranges: BTreeMap<u64, Range>,
    blocks: BTreeMap<u64, u64>,
}

impl Space {
    fn at_start(events: &[Event], segments: &[Segment], rules: &Rules) -> Space {
        let mut space = Space {
            ranges: BTreeMap::new(),
            blocks: BTreeMap::new(),
        };
        for segment in segments {
            let fine = !segment.large || segment.expandable || rules.expandable;
            space.take(segment.address, segment.size, fine);
        }
        for event in events.iter().rev() {
            match event.action {
                Action::SegmentAlloc | Action::SegmentMap => space.give(event.address, event.size),
                Action::SegmentFree => {
                    let fine = rules.expandable || event.size == SMALL_SEGMENT;
                    space.take(event.address, event.size, fine);
                }
                Action::SegmentUnmap => space.take(event.address, event.size, true),
                _ => {}
            }
        }
        // From the last on, so that each finds the block behind it.
        for block in live(events, segments, 0).iter().rev() {
            let end = space.end_of(block.address, rules.rounded(block.size), rules);
            space.blocks.insert(block.address, end);
        }
        space
    }

    fn take(&mut self, address: u64, size: u64, fine: bool) {
        let end = address.saturating_add(size);
        self.ranges.insert(address, Range { end, fine });
    }

    fn give(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        let found = self.ranges.range(..=address).next_back();
        let Some((&start, &range)) = found.filter(|(_, range)| range.end > address) else {
            return;
        };
        self.ranges.remove(&start);
        if start < address {
            let before = Range {
                end: address,
                ..range
            };
            self.ranges.insert(start, before);
        }
        if end < range.end {
            self.ranges.insert(end, range);
        }
    }

    /// The end of a block that is made for a rounded size.
    fn end_of(&self, address: u64, rounded: u64, rules: &Rules) -> u64 {
        let end = address.saturating_add(rounded);
        let range = self.ranges.range(..=address).next_back();
        let range = range.filter(|(_, range)| range.end >= end && !range.fine);
        let Some((_, range)) = range else {
            return end;
        };
        let next = self.blocks.range(end..).next();
        let limit = next.map_or(range.end, |(next, _)| range.end.min(*next));
        let never_split = rules.max_split_size.is_some_and(|most| rounded >= most);
        if limit - end <= KEPT || never_split {
            limit
        } else {
            end
        }
    }

    fn size(&self, address: u64, rounded: u64) -> u64 {
        let end = self.blocks.get(&address);
        end.map_or(rounded, |end| end.saturating_sub(address))
    }
}

impl Rules {
    /// The allocator's size of a request (`round_size`).
    fn rounded(&self, size: u64) -> u64 {
        let up = |size: u64| size.max(1).div_ceil(ROUND).saturating_mul(ROUND);
        if self.divisions.is_empty() || size < ROUND {
            return up(size);
        }
        // The setting has a number for each power of two from 1 MiB on.
        let power = size.ilog2();
        let place = usize::try_from(power.saturating_sub(20)).unwrap_or(0);
        let place = place.min(self.divisions.len() - 1);
        let divisions = self.divisions[place];
        if divisions <= 1 || size <= ROUND.saturating_mul(divisions) || size.is_power_of_two() {
            return up(size);
        }
        let step = (1_u64 << power) >> divisions.ilog2();
        match step {
            0 => 1 << (power + 1),
            step => size.div_ceil(step).saturating_mul(step),
        }
    }
}
