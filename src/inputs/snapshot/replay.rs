//! A trace replayed backwards: what was held at the end is known, what was held at the start is not.

use super::contents::{Action, Event, Segment, Stack};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What is held at a moment, in bytes. Less than nothing where the ring lost one half of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// By tensors.
    pub allocated: i64,
    /// By tensors, and by blocks that wait for a stream.
    pub active: i64,
    /// In segments.
    pub reserved: i64,
}

/// A block at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Where it begins.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What was asked for.
    pub requested: u64,
    /// The event that made it; nothing where it was there when recording began.
    pub since: Option<usize>,
    /// Who asked.
    pub stack: Stack,
}

/// Memory of the driver's at a moment, and what of it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Where it begins.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What tensors hold of it.
    pub allocated: u64,
    /// The largest piece that no tensor holds.
    pub largest_free: u64,
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// What the segments hold at the end.
pub(super) fn at_end(segments: &[Segment]) -> Held {
    let mut held = Held::default();
    for segment in segments {
        held.reserved = held.reserved.saturating_add(signed(segment.size));
        for block in &segment.blocks {
            let size = signed(block.size);
            if block.allocated {
                held.allocated = held.allocated.saturating_add(size);
            }
            if block.active {
                held.active = held.active.saturating_add(size);
            }
        }
    }
    held
}

/// What was held before an event, by what was held after it.
pub(super) fn before(after: Held, event: &Event) -> Held {
    let size = signed(event.size);
    let mut held = after;
    match event.action {
        Action::Alloc => {
            held.allocated = held.allocated.saturating_sub(size);
            held.active = held.active.saturating_sub(size);
        }
        Action::FreeRequested => held.allocated = held.allocated.saturating_add(size),
        Action::FreeCompleted => held.active = held.active.saturating_add(size),
        Action::SegmentAlloc | Action::SegmentMap => {
            held.reserved = held.reserved.saturating_sub(size);
        }
        Action::SegmentFree | Action::SegmentUnmap => {
            held.reserved = held.reserved.saturating_add(size);
        }
        Action::Oom | Action::Snapshot | Action::Other => {}
    }
    held
}

/// The blocks that tensors hold after so many events.
pub(super) fn live(events: &[Event], segments: &[Segment], position: usize) -> Vec<Live> {
    let (past, future) = events.split_at(position.min(events.len()));
    let mut made: HashMap<u64, Live> = HashMap::new();
    for (place, event) in past.iter().enumerate() {
        match event.action {
            Action::Alloc => {
                let live = Live {
                    address: event.address,
                    size: event.size,
                    requested: event.requested,
                    since: Some(place),
                    stack: event.stack,
                };
                made.insert(event.address, live);
            }
            Action::FreeRequested => {
                made.remove(&event.address);
            }
            _ => {}
        }
    }
    let mut seen = HashSet::new();
    let mut old = Vec::new();
    let mut keep = |address, size, requested, stack| {
        old.push(Live {
            address,
            size,
            requested,
            since: None,
            stack,
        });
    };
    for event in future {
        let first = match event.action {
            Action::Alloc | Action::FreeRequested => seen.insert(event.address),
            _ => false,
        };
        let freed = event.action == Action::FreeRequested;
        if first && freed && !made.contains_key(&event.address) {
            keep(event.address, event.size, event.requested, Stack::default());
        }
    }
    let blocks = segments.iter().flat_map(|segment| &segment.blocks);
    for block in blocks.filter(|block| block.allocated) {
        if !seen.contains(&block.address) && !made.contains_key(&block.address) {
            keep(block.address, block.size, block.requested, block.stack);
        }
    }
    old.extend(made.into_values());
    old.sort_unstable_by_key(|live| live.address);
    old
}

/// The memory that was taken from the driver after so many events, by address.
pub(super) fn mapped(events: &[Event], segments: &[Segment], position: usize) -> Vec<Mapped> {
    let whole = |segment: &Segment| (segment.address, segment.size);
    let mut ranges: BTreeMap<u64, u64> = segments.iter().map(whole).collect();
    for event in events.iter().skip(position).rev() {
        match event.action {
            Action::SegmentAlloc | Action::SegmentMap => {
                subtract(&mut ranges, event.address, event.size);
            }
            Action::SegmentFree | Action::SegmentUnmap => {
                ranges.insert(event.address, event.size);
            }
            _ => {}
        }
    }
    let mut mapped: Vec<Mapped> = Vec::with_capacity(ranges.len());
    let mut blocks = live(events, segments, position).into_iter().peekable();
    for (address, size) in ranges {
        let end = address.saturating_add(size);
        let mut own = Mapped {
            address,
            size,
            allocated: 0,
            largest_free: 0,
        };
        let mut free_from = address;
        while let Some(block) = blocks.next_if(|block| block.address < end) {
            own.allocated = own.allocated.saturating_add(block.size);
            let gap = block.address.saturating_sub(free_from);
            own.largest_free = own.largest_free.max(gap);
            free_from = free_from.max(block.address.saturating_add(block.size));
        }
        own.largest_free = own.largest_free.max(end.saturating_sub(free_from));
        mapped.push(own);
    }
    mapped
}

/// Takes a part out of ranges of addresses.
fn subtract(ranges: &mut BTreeMap<u64, u64>, address: u64, size: u64) {
    let end = address.saturating_add(size);
    let Some((&start, &length)) = ranges.range(..=address).next_back() else {
        return;
    };
    let last = start.saturating_add(length);
    if last <= address {
        return;
    }
    ranges.remove(&start);
    if start < address {
        ranges.insert(start, address - start);
    }
    if end < last {
        ranges.insert(end, last - end);
    }
}
