//! A trace replayed backwards: the memory held at the end is known, the memory held at the start is not.

use super::contents::{Action, Event, Segment, Stack};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Memory at a moment, in bytes. Less than nothing where the ring lost one half of a pair.
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
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes that were asked for.
    pub requested: u64,
    /// The event that made it; nothing where it was there when recording began.
    pub since: Option<usize>,
    /// Who asked.
    pub stack: Stack,
}

/// Memory of the driver's at a moment, and what of it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes of it that tensors hold.
    pub allocated: u64,
    /// The largest piece that no tensor holds.
    pub largest_free: u64,
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Memory in the segments at the end.
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

/// Memory before an event, by the memory after it.
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

/// The blocks that tensors hold after `events` events.
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

/// Memory of the driver's at a moment with the blocks of tensors in it, by address.
pub(super) struct Taken {
    pub address: u64,
    pub size: u64,
    pub blocks: Vec<Live>,
}

/// A block, or the free bytes between two.
pub(super) struct Run {
    pub size: u64,
    pub block: Option<Live>,
}

impl Taken {
    /// Its pieces: the sizes add up to its own.
    pub fn runs(&self) -> Vec<Run> {
        let end = self.address.saturating_add(self.size);
        let mut runs = Vec::with_capacity(self.blocks.len().saturating_mul(2) + 1);
        let mut from = self.address;
        let mut add = |to: u64, block: Option<Live>| {
            let to = to.min(end);
            if to > from {
                let size = to - from;
                runs.push(Run { size, block });
                from = to;
            }
        };
        for block in &self.blocks {
            add(block.address, None);
            add(block.address.saturating_add(block.size), Some(*block));
        }
        add(end, None);
        runs
    }
}

/// The memory that was taken from the driver after `events` events, by address, and the blocks in it that live then.
pub(super) fn taken(
    events: &[Event],
    segments: &[Segment],
    position: usize,
    live: &[Live],
) -> Vec<Taken> {
    let whole = |segment: &Segment| (segment.address, segment.size);
    let mut ranges: BTreeMap<u64, u64> = segments.iter().map(whole).collect();
    for event in events.iter().skip(position).rev() {
        match event.action {
            Action::SegmentAlloc | Action::SegmentMap => {
                subtract(&mut ranges, event.address, event.size);
            }
            Action::SegmentFree => {
                ranges.insert(event.address, event.size);
            }
            Action::SegmentUnmap => join(&mut ranges, event.address, event.size),
            _ => {}
        }
    }
    let mut blocks = live.iter().copied().peekable();
    let own = |(address, size): (u64, u64)| {
        let end = address.saturating_add(size);
        let own = std::iter::from_fn(|| blocks.next_if(|block| block.address < end));
        Taken {
            address,
            size,
            blocks: own.collect(),
        }
    };
    ranges.into_iter().map(own).collect()
}

/// The mapped ranges at event `position`, each in few numbers.
pub(super) fn mapped(events: &[Event], segments: &[Segment], position: usize) -> Vec<Mapped> {
    let live = live(events, segments, position);
    let taken = taken(events, segments, position, &live);
    taken.iter().map(Mapped::from).collect()
}

impl From<&Taken> for Mapped {
    fn from(taken: &Taken) -> Self {
        let runs = taken.runs();
        let free = runs.iter().filter(|run| run.block.is_none());
        let held = taken.blocks.iter().map(|block| block.size);
        Self {
            address: taken.address,
            size: taken.size,
            allocated: held.fold(0, u64::saturating_add),
            largest_free: free.map(|run| run.size).max().unwrap_or(0),
        }
    }
}

/// Adds a part of a segment that can grow, which goes on where its neighbours end and begin.
fn join(ranges: &mut BTreeMap<u64, u64>, address: u64, size: u64) {
    let (mut start, mut end) = (address, address.saturating_add(size));
    let before = ranges.range(..address).next_back();
    let touches = |(before, length): &(&u64, &u64)| before.saturating_add(**length) == address;
    if let Some((&before, _)) = before.filter(touches) {
        ranges.remove(&before);
        start = before;
    }
    if let Some(after) = ranges.remove(&end) {
        end = end.saturating_add(after);
    }
    ranges.insert(start, end - start);
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
