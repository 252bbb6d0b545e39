//! The allocator's state when tensors held most, or when a request failed: its segments in pieces, as `memory_viz`
//! draws them, and how full each was over time.

use super::contents::{Action, Event, Segment, frames, own_frame};
use super::guess::{Guess, Purpose};
use super::pickle::Pickle;
use super::replay::{Live, Taken, live, taken};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Segments and what they hold at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocatorState {
    /// The number of events until then.
    pub position: usize,
    /// Bytes that were asked for, where a request failed then: the first that did.
    pub refused: Option<u64>,
    /// The segments, the largest first; of very many only so many.
    pub segments: Vec<SegmentState>,
    /// The others.
    pub rest: Rest,
    /// Bytes of all segments that no tensor holds.
    pub free: Free,
    /// Frames that say who asked for a block, each once.
    pub frames: Vec<String>,
    /// The number of events until the first moment of each stretch of [`SegmentState::over_time`].
    pub moments: Vec<usize>,
}

/// Segments that are not told one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The number of segments.
    pub segments: usize,
    /// Bytes of the segments.
    pub bytes: u64,
}

/// Bytes of segments that no tensor holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Free {
    /// In bytes.
    pub bytes: u64,
    /// In how many pieces.
    pub pieces: usize,
    /// The largest of them, in bytes.
    pub largest: u64,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentState {
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its owner; `None` where it was given back before the recording ended.
    pub owner: Option<Owner>,
    /// Bytes of it that no tensor holds.
    pub free: Free,
    /// Its pieces by address; their sizes add up to its own.
    pub pieces: Vec<Piece>,
    /// The most that tensors held at its addresses in each stretch of time, in bytes.
    pub over_time: Vec<u64>,
}

/// The owner of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The pool.
    pub pool: Pool,
    /// Whether it is for the default stream.
    pub default_stream: bool,
}

/// A pool of the allocator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pool {
    /// Blocks of up to 1 MiB.
    Small,
    /// Larger ones.
    Large,
    /// A private one, as CUDA graphs have.
    Private,
}

/// A part of a segment: a block, the free bytes between two, or several of both that are too small to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Its size in bytes.
    pub size: u64,
    /// Bytes of it that tensors hold.
    pub used: u64,
    /// How many blocks are in it.
    pub blocks: usize,
    /// The purpose of its largest block, where that is guessed.
    pub purpose: Option<Purpose>,
    /// Who asked for that block: a place in [`AllocatorState::frames`].
    pub frame: Option<usize>,
}

impl AllocatorState {
    /// Bytes of all segments.
    pub fn reserved(&self) -> u64 {
        let told = self.segments.iter().map(|own| own.size);
        told.fold(self.rest.bytes, u64::saturating_add)
    }

    /// How many segments there are.
    pub fn count(&self) -> usize {
        self.segments.len().saturating_add(self.rest.segments)
    }

    /// How many of the segments that are told are of such an owner.
    pub fn owned(&self, by: impl Fn(Owner) -> bool) -> usize {
        let owners = self.segments.iter().filter_map(|own| own.owner);
        owners.filter(|owner| by(*owner)).count()
    }

    /// Whether the largest piece that no tensor holds is one of the pieces that are told.
    pub fn largest_is_told(&self) -> bool {
        let mut pieces = self.segments.iter().flat_map(|own| &own.pieces);
        pieces.any(|piece| piece.used == 0 && piece.size == self.free.largest)
    }

    /// The stretch of time in which it is.
    pub fn stretch(&self) -> usize {
        let until = self.moments.partition_point(|from| *from <= self.position);
        until.saturating_sub(1)
    }
}

/// The most segments that are told one by one.
const SEGMENTS: usize = 400;
/// The most stretches of time.
const MOMENTS: usize = 60;
/// A piece is joined with its neighbour if both are smaller than this share of the largest segment, or of so
/// many parts of all of them: less than a pixel, however they are drawn to one scale.
const GRAINS: u64 = 1000;
const PARTS: u64 = 20;

/// The state at the peak, at which these blocks live, or when the first request failed.
pub(super) fn state(
    pickle: &Pickle,
    events: &[Event],
    segments: &[Segment],
    guess: Option<&Guess>,
    (peak, at_peak): (usize, &[Live]),
) -> AllocatorState {
    let failed = events.iter().position(|event| event.action == Action::Oom);
    let position = failed.unwrap_or(peak);
    let then;
    let blocks = if position == peak {
        at_peak
    } else {
        then = live(events, segments, position);
        &then
    };
    let purposes = guess.map(|guess| guess.purposes(events, position, blocks));
    let addresses = blocks.iter().map(|block| block.address);
    let mut asked = Asked {
        pickle,
        purposes: addresses.zip(purposes.into_iter().flatten()).collect(),
        frames: Vec::new(),
        places: HashMap::new(),
    };
    let mut all = taken(events, segments, position, blocks);
    all.sort_by_key(|own| (std::cmp::Reverse(own.size), own.address));
    let free = all.iter().map(free).fold(Free::default(), Free::and);
    let total = |all: &[Taken]| all.iter().map(|own| own.size).fold(0, u64::saturating_add);
    let part = total(&all) / PARTS;
    let grain = all.first().map_or(0, |own| own.size).max(part) / GRAINS;
    let rest = all.split_off(all.len().min(SEGMENTS));
    let stretch = (events.len() + 1).div_ceil(MOMENTS);
    let mut over_time = over_time(events, segments, &all, stretch).into_iter();
    let segment = |own: &Taken| SegmentState {
        address: own.address,
        size: own.size,
        owner: owner(segments, own.address),
        free: self::free(own),
        pieces: asked.pieces(own, grain),
        over_time: over_time.next().unwrap_or_default(),
    };
    let told = all.iter().map(segment).collect();
    AllocatorState {
        position,
        refused: failed.map(|place| events[place].requested),
        segments: told,
        rest: Rest {
            segments: rest.len(),
            bytes: total(&rest),
        },
        free,
        frames: asked.frames,
        moments: (0..=events.len()).step_by(stretch).collect(),
    }
}

fn free(own: &Taken) -> Free {
    let runs = own.runs().into_iter().filter(|run| run.block.is_none());
    let alone = |bytes| Free {
        bytes,
        pieces: 1,
        largest: bytes,
    };
    runs.map(|run| alone(run.size))
        .fold(Free::default(), Free::and)
}

impl Free {
    fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            pieces: self.pieces + other.pieces,
            largest: self.largest.max(other.largest),
        }
    }
}

/// The owner of the memory at an address at the end.
fn owner(segments: &[Segment], address: u64) -> Option<Owner> {
    let holds =
        |own: &&Segment| own.address <= address && address < own.address.saturating_add(own.size);
    let own = segments.iter().find(holds)?;
    let pool = match (own.private, own.large) {
        (true, _) => Pool::Private,
        (false, true) => Pool::Large,
        (false, false) => Pool::Small,
    };
    Some(Owner {
        pool,
        default_stream: own.stream == 0,
    })
}

/// Who asked for blocks, and what for.
struct Asked<'a> {
    pickle: &'a Pickle<'a>,
    purposes: HashMap<u64, Purpose>,
    frames: Vec<String>,
    places: HashMap<String, usize>,
}

impl Asked<'_> {
    fn pieces(&mut self, own: &Taken, grain: u64) -> Vec<Piece> {
        let mut pieces: Vec<(Piece, Option<Live>)> = Vec::new();
        for run in own.runs() {
            let alone = Piece {
                size: run.size,
                used: run.block.map_or(0, |_| run.size),
                blocks: usize::from(run.block.is_some()),
                purpose: None,
                frame: None,
            };
            match pieces.last_mut() {
                Some((last, largest)) if run.size < grain && last.size < grain => {
                    last.size += alone.size;
                    last.used += alone.used;
                    last.blocks += alone.blocks;
                    let larger = run.block.into_iter().chain(*largest);
                    *largest = larger.max_by_key(|block| block.size);
                }
                _ => pieces.push((alone, run.block)),
            }
        }
        let named = |(piece, largest): (Piece, Option<Live>)| Piece {
            purpose: largest.and_then(|block| self.purposes.get(&block.address).copied()),
            frame: largest.and_then(|block| self.frame(block)),
            ..piece
        };
        pieces.into_iter().map(named).collect()
    }

    fn frame(&mut self, block: Live) -> Option<usize> {
        let frame = own_frame(frames(self.pickle, block.stack))?;
        let next = self.frames.len();
        let place = *self.places.entry(frame).or_insert_with_key(|frame| {
            self.frames.push(frame.clone());
            next
        });
        Some(place)
    }
}

/// The most that tensors held at the addresses of each segment in each stretch of `stretch` moments.
fn over_time(
    events: &[Event],
    segments: &[Segment],
    shown: &[Taken],
    stretch: usize,
) -> Vec<Vec<u64>> {
    let starts = shown.iter().enumerate();
    let mut starts: Vec<(u64, usize)> = starts.map(|(own, taken)| (taken.address, own)).collect();
    starts.sort_unstable();
    let place = |address: u64| {
        let before = starts.partition_point(|(start, _)| *start <= address);
        let (start, own) = *starts.get(before.checked_sub(1)?)?;
        (address - start < shown[own].size).then_some(own)
    };
    let mut held = vec![0_i64; shown.len()];
    let signed = |size| i64::try_from(size).unwrap_or(i64::MAX);
    let blocks = segments.iter().flat_map(|segment| &segment.blocks);
    for block in blocks.filter(|block| block.allocated) {
        if let Some(own) = place(block.address) {
            held[own] = held[own].saturating_add(signed(block.size));
        }
    }
    let count = events.len() / stretch + 1;
    let mut most = vec![vec![0; count]; shown.len()];
    let seen = |held: i64| u64::try_from(held).unwrap_or(0);
    let mut last = count;
    for position in (0..=events.len()).rev() {
        let column = position / stretch;
        let changed = events.get(position).and_then(|event| {
            let change = match event.action {
                Action::Alloc => -signed(event.size),
                Action::FreeRequested => signed(event.size),
                _ => return None,
            };
            let own = place(event.address)?;
            held[own] = held[own].saturating_add(change);
            Some(own)
        });
        if column < last {
            for (most, held) in most.iter_mut().zip(&held) {
                most[column] = seen(*held);
            }
            last = column;
        } else if let Some(own) = changed {
            most[own][column] = most[own][column].max(seen(held[own]));
        }
    }
    most
}
