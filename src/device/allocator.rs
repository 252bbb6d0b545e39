//! `CUDACachingAllocator` on one stream: finding, splitting and merging blocks.
//!
//! Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6 and 2.15; methods name the function
//! they mirror.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

use super::blocks::{Block, BlockId, Blocks, EDGE, State};
use super::pool::{BINS, Pool};
use super::replay::Held;
use super::settings::{
    Limit, MAX_NON_SPLIT_ROUNDING, MIN_BLOCK, ROUND_LARGE, SMALL_SIZE, Settings, segment_size,
};

/// A request that cannot be served, with what was asked of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes of the segment that could not be had ("Tried to allocate ...").
    pub tried: u64,
}

/// The caching allocator.
#[derive(Clone, Debug)]
pub struct Allocator {
    pub(super) settings: Settings,
    pub(super) blocks: Blocks,
    pub(super) small: Pool,
    pub(super) large: Pool,
    pub(super) next_address: u64,
    pub(super) reserved: u64,
    allocated: u64,
}

/// A request on its way: rounded, with the pool that serves it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params {
    /// Rounded bytes.
    pub size: u64,
    /// Whether the small pool serves it.
    pub small: bool,
}

impl Allocator {
    /// An allocator that holds nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            blocks: Blocks::with_heads(2 * BINS),
            small: Pool::new(EDGE + 1),
            large: Pool::new(EDGE + 1 + BINS),
            next_address: ROUND_LARGE,
            reserved: 0,
            allocated: 0,
        }
    }

    /// Bytes of whole blocks in use, and bytes held from the driver.
    pub fn held(&self) -> Held {
        Held {
            allocated: self.allocated,
            reserved: self.reserved,
        }
    }

    /// The pool that serves small requests or the others, with the blocks in it.
    #[inline(always)]
    pub(super) fn pool(&mut self, small: bool) -> (&mut Pool, &mut Blocks) {
        let pool = if small {
            &mut self.small
        } else {
            &mut self.large
        };
        (pool, &mut self.blocks)
    }

    fn params(&self, bytes: u64) -> Params {
        let size = self.settings.round_size(bytes);
        Params {
            size,
            small: size <= SMALL_SIZE,
        }
    }

    /// Serves a request of `bytes` bytes, more than zero: `malloc`.
    pub fn malloc(&mut self, bytes: u64) -> Result<BlockId, OutOfMemory> {
        let params = self.params(bytes);
        let block = match self.get_free_block(params) {
            Some(block) => block,
            None => self.get_new_block(params).ok_or(OutOfMemory {
                tried: segment_size(params.size),
            })?,
        };
        Ok(self.alloc_found_block(block, params))
    }

    /// What would be held between a request and its free, when the cache serves it and both
    /// together leave no trace: a block that was split is merged again.
    pub fn held_for_a_moment(&self, bytes: u64) -> Option<Held> {
        if self.settings.collects_garbage_above().is_some() {
            return None;
        }
        let params = self.params(bytes);
        let found = self.find_free_block(params)?;
        let whole = self.blocks.get(found).size;
        let taken = if self.should_split(whole, params) {
            params.size
        } else {
            whole
        };
        Some(Held {
            allocated: self.allocated + taken,
            reserved: self.reserved,
        })
    }

    /// Gives a block back to the cache: `free`.
    pub fn free(&mut self, id: BlockId) {
        self.allocated -= self.blocks.get(id).size;
        self.blocks.get_mut(id).state = State::Free;
        self.merge_neighbours(id);
        self.insert_free(id);
    }

    /// `get_free_block`: best fit in the cache, taken out of its pool.
    fn get_free_block(&mut self, params: Params) -> Option<BlockId> {
        if self.settings.collects_garbage_above().is_some() {
            self.pool(params.small).0.searches += 1;
        }
        let found = self.find_free_block(params)?;
        let (pool, blocks) = self.pool(params.small);
        pool.remove(blocks, found);
        Some(found)
    }

    #[inline(always)]
    fn find_free_block(&self, params: Params) -> Option<BlockId> {
        let pool = if params.small {
            &self.small
        } else {
            &self.large
        };
        let mut found = pool.best_fit(&self.blocks, params.size)?;
        if self.settings.expandable_segments {
            for next in pool.from(&self.blocks, Some(found)).skip(1) {
                if self.expandable_size(next) >= self.expandable_size(found) {
                    break;
                }
                found = next;
            }
        }
        let size = self.blocks.get(found).size;
        let max_split = self.settings.max_split_size();
        let oversize_for_request = params.size < max_split && size >= max_split;
        let too_generous = params.size >= max_split && size >= params.size + MAX_NON_SPLIT_ROUNDING;
        (!oversize_for_request && !too_generous).then_some(found)
    }

    /// The driver's part of `malloc`: garbage collection, a new segment, and the two retries.
    fn get_new_block(&mut self, params: Params) -> Option<BlockId> {
        if let Some(threshold) = self.settings.collects_garbage_above() {
            self.garbage_collect_cached_blocks(threshold);
        }
        if let Some(block) = self.alloc_block(params) {
            return Some(block);
        }
        if self.release_available_cached_blocks(params)
            && let Some(block) = self.alloc_block(params)
        {
            return Some(block);
        }
        self.release_cached_blocks();
        self.alloc_block(params)
    }

    /// `alloc_block`: a new segment from the driver.
    fn alloc_block(&mut self, params: Params) -> Option<BlockId> {
        let size = segment_size(params.size);
        if let Limit::Fraction(allowed) = self.settings.limit
            && self.reserved.saturating_add(size) > allowed
        {
            return None;
        }
        if self.settings.expandable_segments {
            return self.try_allocate_expandable_block(params);
        }
        if !self.driver_has(size) {
            return None;
        }
        let block = Block {
            state: State::Free,
            ..Block::unmapped(self.next_address, size, params.small)
        };
        let id = self.blocks.add(block);
        self.next_address += size.next_multiple_of(ROUND_LARGE) + ROUND_LARGE;
        self.reserved += size;
        Some(id)
    }

    /// Whether the driver can hand out `size` bytes more.
    pub(super) fn driver_has(&self, size: u64) -> bool {
        match self.settings.limit {
            Limit::Capacity(bytes) => self.reserved.saturating_add(size) <= bytes,
            Limit::None | Limit::Fraction(_) => true,
        }
    }

    /// `should_split`: whether a request leaves the rest of a block of `size` bytes to others.
    fn should_split(&self, size: u64, params: Params) -> bool {
        let remaining = size - params.size;
        if params.small || self.settings.expandable_segments {
            remaining >= MIN_BLOCK
        } else {
            params.size < self.settings.max_split_size() && remaining > SMALL_SIZE
        }
    }

    /// `alloc_found_block`: takes what the request needs of a block that is in no pool any more.
    fn alloc_found_block(&mut self, id: BlockId, params: Params) -> BlockId {
        let block = if self.should_split(self.blocks.get(id).size, params) {
            let front = self.blocks.split_front(id, params.size, State::Allocated);
            self.insert_free(id);
            front
        } else {
            self.blocks.get_mut(id).state = State::Allocated;
            id
        };
        self.allocated += self.blocks.get(block).size;
        block
    }

    /// `insert_into_blocks`.
    pub(super) fn insert_free(&mut self, id: BlockId) {
        let (pool, blocks) = self.pool(self.blocks.get(id).small);
        pool.insert(blocks, id);
    }

    /// `try_merge_blocks` with both neighbours; `id` itself is in no pool.
    pub(super) fn merge_neighbours(&mut self, id: BlockId) {
        let &Block {
            prev, next, state, ..
        } = self.blocks.get(id);
        self.merge(id, prev, state);
        self.merge(id, next, state);
    }

    /// `try_merge_blocks`: takes a neighbour in when it is in the same state.
    #[inline(always)]
    fn merge(&mut self, id: BlockId, neighbour: BlockId, state: State) {
        let other = self.blocks.get(neighbour);
        if other.state != state {
            return;
        }
        let (small, address) = (other.small, other.address);
        match state {
            State::Allocated => return,
            State::Free => {
                let (pool, blocks) = self.pool(small);
                pool.remove(blocks, neighbour);
            }
            State::Unmapped => self.pool(small).0.remove_unmapped(address),
        }
        self.blocks.absorb(id, neighbour);
    }
}
