//! Blocks: stretches of a segment, linked to their neighbours.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

use super::settings::MIN_BLOCK;
use crate::units::{Stream, Streams};

/// Index of a block; valid until the block is merged into a neighbour or given back.
pub type BlockId = u32;

/// No neighbour: what lies around a segment, a block of its own that is never free.
pub(super) const EDGE: BlockId = 0;

/// The state of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// In use by a tensor, or freed while another stream uses it.
    Allocated,
    /// Cached: backed by memory, in a pool's free list.
    Free,
    /// Address space of an expandable segment without memory behind it.
    Unmapped,
}

/// A stretch of a segment: half a line of a processor's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Block {
    /// The address, a multiple of [`MIN_BLOCK`]; its low bits say what the block is. Of blocks of one
    /// pool in one state it orders as the address does.
    pub place: u64,
    pub size: u64,
    pub prev: BlockId,
    pub next: BlockId,
    /// Its neighbours in the list of its bin, while it is free.
    pub before: BlockId,
    pub after: BlockId,
}

/// The bits of a place: the state, whether a small pool serves it, and the stream.
const STATE: u64 = 3;
const SMALL: u64 = 4;
const STREAM: u64 = 7 << STREAM_SHIFT;
const STREAM_SHIFT: u32 = 3;
const _: () = assert!(STREAM >> STREAM_SHIFT == Stream::COUNT as u64 - 1);
/// The bit of a place that says that another stream uses the block, too.
const RECORDED: u64 = 1 << 6;
const _: () = assert!((STATE | SMALL | STREAM) & RECORDED == 0 && RECORDED < MIN_BLOCK);

/// A pool of one stream: for small requests or for the others. Its bits are the bits of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PoolId(u64);

impl PoolId {
    #[inline(always)]
    pub fn new(small: bool, stream: Stream) -> Self {
        Self(if small { SMALL } else { 0 } | u64::from(stream.number()) << STREAM_SHIFT)
    }

    /// Whether it serves small requests.
    #[inline(always)]
    pub fn is_small(self) -> bool {
        self.0 & SMALL != 0
    }

    /// Whether it is of another stream than the main one.
    #[inline(always)]
    pub fn is_side(self) -> bool {
        self.0 & STREAM != 0
    }

    /// Its number among those of side streams, two a stream.
    pub fn side(self) -> usize {
        (self.0.saturating_sub(1 << STREAM_SHIFT) / SMALL) as usize
    }
}

impl Block {
    /// A stretch without neighbours.
    pub fn new(address: u64, size: u64, pool: PoolId, state: State) -> Self {
        Self {
            place: address | pool.0 | state as u64,
            size,
            prev: EDGE,
            next: EDGE,
            before: EDGE,
            after: EDGE,
        }
    }

    /// Its first address.
    #[inline(always)]
    pub fn address(&self) -> u64 {
        self.place & !(MIN_BLOCK - 1)
    }

    /// The pool that serves it.
    #[inline(always)]
    pub fn pool(&self) -> PoolId {
        PoolId(self.place & (SMALL | STREAM))
    }

    #[inline(always)]
    pub fn state(&self) -> State {
        match self.place & STATE {
            0 => State::Allocated,
            1 => State::Free,
            _ => State::Unmapped,
        }
    }

    /// Whether another block is in the same state and served by the same pool.
    #[inline(always)]
    pub fn is_like(&self, other: &Self) -> bool {
        (self.place ^ other.place) & (STATE | SMALL) == 0
    }

    /// Whether another stream uses it, too, while it is allocated.
    #[inline(always)]
    pub fn is_recorded(&self) -> bool {
        self.place & RECORDED != 0
    }

    /// Records that other `streams` use the block, too. They are kept in the field that links free neighbours.
    pub fn record(&mut self, streams: Streams) {
        self.place |= RECORDED;
        self.before = streams.bits().into();
    }

    /// Takes the streams that use it; from here on none does.
    pub fn take_recorded(&mut self) -> Streams {
        let streams = if self.is_recorded() { self.before } else { 0 };
        self.place &= !RECORDED;
        Streams::of_bits(u8::try_from(streams).unwrap_or(u8::MAX))
    }

    #[inline(always)]
    pub fn set_state(&mut self, state: State) {
        self.place = self.place & !STATE | state as u64;
    }
}

/// The head of an empty list.
fn head(id: BlockId) -> Block {
    Block {
        before: id,
        after: id,
        ..Block::new(0, u64::MAX, PoolId(0), State::Allocated)
    }
}

/// All blocks, with recycled slots. What has no neighbour has [`EDGE`] for one, and each list of
/// free blocks goes round through a head that is larger than any block: so whoever links or walks
/// never asks whether there is one.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    all: Vec<Block>,
    /// The slot to be taken next, whose `next` is the one after it, or [`EDGE`].
    spare: BlockId,
}

impl Blocks {
    /// No blocks, and the heads of `heads` lists, numbered from 1.
    pub fn with_heads(heads: BlockId) -> Self {
        // With room for as many blocks: what a model of some ten layers has.
        let mut all = Vec::with_capacity(2 * heads as usize);
        all.extend((EDGE..=heads).map(head));
        Self { all, spare: EDGE }
    }

    /// Adds the heads of `heads` lists: the first of them.
    pub fn add_heads(&mut self, heads: BlockId) -> BlockId {
        let first = BlockId::try_from(self.all.len()).unwrap_or(EDGE);
        self.all.extend((first..first + heads).map(head));
        first
    }

    /// Makes room for `used` blocks in use and half as many between them: lists of a hundred thousand
    /// would else be copied to twice their size.
    pub fn make_room(&mut self, used: usize) {
        let all = used + used / 2;
        self.all.reserve_exact(all.saturating_sub(self.all.len()));
    }

    /// Adds a block.
    #[inline(always)]
    pub fn add(&mut self, block: Block) -> BlockId {
        let id = self.spare;
        if id != EDGE {
            self.spare = std::mem::replace(self.get_mut(id), block).next;
            return id;
        }
        let id = BlockId::try_from(self.all.len()).unwrap_or(EDGE);
        assert!(id != EDGE, "fewer than 2^32 blocks exist at a time");
        self.all.push(block);
        id
    }

    /// Forgets a block that nothing refers to any more; its slot is not free memory.
    #[inline(always)]
    pub fn remove(&mut self, id: BlockId) {
        let spare = std::mem::replace(&mut self.spare, id);
        let block = self.get_mut(id);
        block.set_state(State::Allocated);
        block.next = spare;
    }

    /// The block.
    #[inline(always)]
    pub fn get(&self, id: BlockId) -> &Block {
        &self.all.as_slice()[id as usize]
    }

    /// The block, to change it.
    #[inline(always)]
    pub fn get_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.all.as_mut_slice()[id as usize]
    }

    /// Cuts `size` bytes off the front of `id` as a new block in state `state`; `id` keeps the
    /// rest.
    #[inline(always)]
    pub fn split_front(&mut self, id: BlockId, size: u64, state: State) -> BlockId {
        let block = self.get_mut(id);
        let mut front = Block {
            size,
            next: id,
            ..*block
        };
        front.set_state(state);
        block.place += size;
        block.size -= size;
        let before = block.prev;
        let front = self.add(front);
        self.get_mut(id).prev = front;
        self.get_mut(before).next = front;
        front
    }

    /// Cuts everything behind the first `size` bytes off `id` as a new block in state `state`.
    pub fn split_back(&mut self, id: BlockId, size: u64, state: State) -> BlockId {
        let front = *self.get(id);
        let mut back = Block {
            place: front.place + size,
            size: front.size - size,
            prev: id,
            ..front
        };
        back.set_state(state);
        let back = self.add(back);
        self.get_mut(front.next).prev = back;
        let block = self.get_mut(id);
        block.size = size;
        block.next = back;
        back
    }

    /// Merges the neighbour `other` into `id` and forgets it.
    #[inline(always)]
    pub fn absorb(&mut self, id: BlockId, other: BlockId) {
        if self.get(id).prev == other {
            self.absorb_before(id, other);
        } else {
            self.absorb_behind(id, other);
        }
    }

    /// Absorbs `other`, which lies before it.
    #[inline(always)]
    pub fn absorb_before(&mut self, id: BlockId, other: BlockId) {
        let &Block {
            place, size, prev, ..
        } = self.get(other);
        let low = self.get(id).place & (MIN_BLOCK - 1);
        self.remove(other);
        self.get_mut(prev).next = id;
        let block = self.get_mut(id);
        block.size += size;
        block.place = place & !(MIN_BLOCK - 1) | low;
        block.prev = prev;
    }

    /// Absorbs `other`, which lies behind it.
    #[inline(always)]
    pub fn absorb_behind(&mut self, id: BlockId, other: BlockId) {
        let &Block { size, next, .. } = self.get(other);
        self.remove(other);
        self.get_mut(next).prev = id;
        let block = self.get_mut(id);
        block.size += size;
        block.next = next;
    }
}
