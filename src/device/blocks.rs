//! Blocks: stretches of a segment, linked to their neighbours.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

/// Index of a block; valid until the block is merged into a neighbour or given back.
pub type BlockId = u32;

/// No neighbour: what lies around a segment, a block of its own that is never free.
pub(super) const EDGE: BlockId = 0;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// In use by a tensor.
    Allocated,
    /// Cached: backed by memory, in a pool's free list.
    Free,
    /// Address space of an expandable segment without memory behind it.
    Unmapped,
}

/// A stretch of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub address: u64,
    pub size: u64,
    pub prev: BlockId,
    pub next: BlockId,
    /// Its neighbours in the list of its bin, while it is free.
    pub before: BlockId,
    pub after: BlockId,
    pub state: State,
    pub small: bool,
    /// The pool's count of searches when the block became free, for garbage collection.
    pub free_since: u32,
}

impl Block {
    /// Address space without memory and without neighbours.
    pub fn unmapped(address: u64, size: u64, small: bool) -> Self {
        Self {
            address,
            size,
            prev: EDGE,
            next: EDGE,
            before: EDGE,
            after: EDGE,
            state: State::Unmapped,
            small,
            free_since: 0,
        }
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
    /// No blocks, and the heads of so many lists, numbered from 1.
    pub fn with_heads(heads: BlockId) -> Self {
        let head = |id| Block {
            before: id,
            after: id,
            state: State::Allocated,
            ..Block::unmapped(0, u64::MAX, false)
        };
        Self {
            all: (EDGE..=heads).map(head).collect(),
            spare: EDGE,
        }
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

    /// Forgets a block that nothing refers to any more.
    #[inline(always)]
    pub fn remove(&mut self, id: BlockId) {
        let spare = std::mem::replace(&mut self.spare, id);
        self.get_mut(id).next = spare;
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
        let front = Block {
            size,
            next: id,
            state,
            ..*block
        };
        block.address += size;
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
        let back = self.add(Block {
            address: front.address + size,
            size: front.size - size,
            prev: id,
            state,
            ..front
        });
        self.get_mut(front.next).prev = back;
        let block = self.get_mut(id);
        block.size = size;
        block.next = back;
        back
    }

    /// Merges the neighbour `other` into `id` and forgets it.
    #[inline(always)]
    pub fn absorb(&mut self, id: BlockId, other: BlockId) {
        let &Block {
            address,
            size,
            prev,
            next,
            ..
        } = self.get(other);
        let block = self.get_mut(id);
        block.size += size;
        if block.prev == other {
            block.address = address;
            block.prev = prev;
            self.get_mut(prev).next = id;
        } else {
            block.next = next;
            self.get_mut(next).prev = id;
        }
        self.remove(other);
    }
}
