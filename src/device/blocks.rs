//! Blocks: stretches of a segment, linked to their neighbours.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

/// Index of a block; valid until the block is merged into a neighbour or given back.
pub type BlockId = u32;

/// No neighbour.
pub(super) const NONE: BlockId = BlockId::MAX;

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
    /// Its neighbours in the bin of its pool, while it is free.
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
            prev: NONE,
            next: NONE,
            before: NONE,
            after: NONE,
            state: State::Unmapped,
            small,
            free_since: 0,
        }
    }
}

/// All blocks, with recycled slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    all: Vec<Block>,
    spare: Vec<BlockId>,
}

impl Blocks {
    /// Adds a block.
    pub fn add(&mut self, block: Block) -> BlockId {
        if let Some(id) = self.spare.pop() {
            self.all[id as usize] = block;
            return id;
        }
        let id = BlockId::try_from(self.all.len()).unwrap_or(NONE);
        assert!(id != NONE, "fewer than 2^32 blocks exist at a time");
        self.all.push(block);
        id
    }

    /// Forgets a block that nothing refers to any more.
    #[inline(always)]
    pub fn remove(&mut self, id: BlockId) {
        self.spare.push(id);
    }

    /// The block.
    #[inline(always)]
    pub fn get(&self, id: BlockId) -> &Block {
        &self.all[id as usize]
    }

    /// The block, to change it.
    #[inline(always)]
    pub fn get_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.all[id as usize]
    }

    /// The neighbour, when there is one.
    #[inline(always)]
    pub fn neighbour(&self, id: BlockId) -> Option<&Block> {
        (id != NONE).then(|| self.get(id))
    }

    /// Cuts `size` bytes off the front of `id` as a new block in state `state`; `id` keeps the
    /// rest.
    pub fn split_front(&mut self, id: BlockId, size: u64, state: State) -> BlockId {
        let rest = *self.get(id);
        let front = self.add(Block {
            size,
            next: id,
            state,
            ..rest
        });
        if rest.prev != NONE {
            self.get_mut(rest.prev).next = front;
        }
        let block = self.get_mut(id);
        block.address += size;
        block.size -= size;
        block.prev = front;
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
        if front.next != NONE {
            self.get_mut(front.next).prev = back;
        }
        let block = self.get_mut(id);
        block.size = size;
        block.next = back;
        back
    }

    /// Merges the neighbour `other` into `id` and forgets it.
    pub fn absorb(&mut self, id: BlockId, other: BlockId) {
        let gone = *self.get(other);
        let block = self.get_mut(id);
        block.size += gone.size;
        if block.prev == other {
            block.address = gone.address;
            block.prev = gone.prev;
            if gone.prev != NONE {
                self.get_mut(gone.prev).next = id;
            }
        } else {
            block.next = gone.next;
            if gone.next != NONE {
                self.get_mut(gone.next).prev = id;
            }
        }
        self.remove(other);
    }
}
