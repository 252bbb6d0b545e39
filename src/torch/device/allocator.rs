//! `CUDACachingAllocator`: finding, splitting and merging blocks.
//!
//! Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6 and 2.15; methods name the function
//! they mirror.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

use super::blocks::{Block, BlockId, Blocks, EDGE, PoolId, State};
use super::events::Waiting;
use super::pool::{BINS, Pool};
use super::replay::Held;
use super::settings::{
    Limit, MAX_NON_SPLIT_ROUNDING, MIN_BLOCK, ROUND_LARGE, SMALL_SIZE, Settings, segment_size,
};
use crate::units::Stream;

/// A request that cannot be served, with the bytes that were asked of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes of the segment that could not be had ("Tried to allocate ...").
    pub tried: u64,
}

/// The caching allocator.
#[derive(Clone, Debug)]
pub struct Allocator {
    pub(super) settings: Settings,
    /// Whether the settings are PyTorch's defaults.
    plain: bool,
    pub(super) blocks: Blocks,
    /// The pools of the main stream.
    small: Pool,
    large: Pool,
    /// Pools of the other streams, the large one of each before the small one.
    side: Vec<Pool>,
    pub(super) next_address: u64,
    pub(super) reserved: u64,
    most_reserved: u64,
    allocated: u64,
    pub(super) waiting: Waiting,
}

/// A request on its way: rounded, with the pool that serves it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params {
    /// Rounded bytes.
    pub size: u64,
    pub pool: PoolId,
}

impl Allocator {
    /// An allocator that holds nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            plain: settings.are_plain(),
            waiting: Waiting::new(settings.timing),
            settings,
            blocks: Blocks::with_heads(2 * BINS),
            small: Pool::new(EDGE + 1),
            large: Pool::new(EDGE + 1 + BINS),
            side: Vec::new(),
            next_address: ROUND_LARGE,
            reserved: 0,
            most_reserved: 0,
            allocated: 0,
        }
    }

    /// Bytes of whole blocks in use, the same with freed blocks that wait, and bytes held from the driver.
    pub fn held(&self) -> Held {
        Held {
            allocated: self.allocated,
            active: self.allocated + self.waiting.bytes(),
            reserved: self.reserved,
        }
    }

    /// `torch.cuda.max_memory_reserved()`.
    pub fn most_reserved(&self) -> u64 {
        self.most_reserved
    }

    /// The most is counted from here on (`torch.cuda.reset_peak_memory_stats`).
    pub fn forgets_most(&mut self) {
        self.most_reserved = self.reserved;
    }

    /// A pool.
    #[inline(always)]
    pub(super) fn pool(&self, id: PoolId) -> &Pool {
        if id.is_side() {
            return side_pool(&self.side, id);
        }
        if id.is_small() {
            &self.small
        } else {
            &self.large
        }
    }

    /// A pool, to be changed with the blocks in it.
    #[inline(always)]
    pub(super) fn pool_mut(&mut self, id: PoolId) -> (&mut Pool, &mut Blocks) {
        let pool = if id.is_side() {
            side_pool_mut(&mut self.side, id)
        } else if id.is_small() {
            &mut self.small
        } else {
            &mut self.large
        };
        (pool, &mut self.blocks)
    }

    /// The small pools of all streams that have some, or the large ones.
    pub(super) fn pools(&self, small: bool) -> impl Iterator<Item = PoolId> + use<> {
        let streams = 1 + self.side.len() / 2;
        Stream::all()
            .take(streams)
            .map(move |stream| PoolId::new(small, stream))
    }

    /// A stream gets its pools, if it has none; those before it get theirs.
    #[cold]
    fn make_side_pools(&mut self, id: PoolId) {
        while self.side.len() <= id.side() {
            for like in [&self.large, &self.small] {
                let mut pool = Pool::new(self.blocks.add_heads(BINS));
                pool.searches = like.searches;
                self.side.push(pool);
            }
        }
    }

    #[inline(always)]
    fn params(&self, bytes: u64, stream: Stream) -> Params {
        let size = if self.plain {
            bytes.max(1).next_multiple_of(MIN_BLOCK)
        } else {
            self.settings.round_size(bytes)
        };
        Params {
            size,
            pool: PoolId::new(size <= SMALL_SIZE, stream),
        }
    }

    /// Serves a request of `bytes` bytes, more than zero, on a stream: `malloc`.
    pub fn malloc(&mut self, bytes: u64, stream: Stream) -> Result<BlockId, OutOfMemory> {
        let params = self.params(bytes, stream);
        if !self.waiting.is_empty() {
            self.process_events();
        }
        if params.pool.is_side() {
            self.make_side_pools(params.pool);
        }
        let block = match self.get_free_block(params) {
            Some(block) => block,
            None => self.get_new_block(params)?,
        };
        Ok(self.alloc_found_block(block, params))
    }

    /// Whether it matters how often blocks are looked for: where garbage is collected.
    #[inline(always)]
    fn counts_searches(&self) -> bool {
        !self.plain && self.settings.collects_garbage_above().is_some()
    }

    /// The memory held between a request and its free, when the cache serves the request and both
    /// together leave no trace: a block that was split is merged again.
    pub fn held_for_a_moment(&self, bytes: u64, stream: Stream) -> Option<Held> {
        let params = self.params(bytes, stream);
        // A stream may have no pools yet.
        if params.pool.is_side() || !self.waiting.is_empty() || self.counts_searches() {
            return None;
        }
        let found = self.find_free_block(params)?;
        let whole = self.blocks.get(found).size;
        let taken = if self.should_split(whole, params) {
            params.size
        } else {
            whole
        };
        Some(Held {
            allocated: self.allocated + taken,
            active: self.allocated + taken,
            reserved: self.reserved,
        })
    }

    /// Gives a block back to the cache, at once or when other streams are done with it: `free`.
    #[inline(always)]
    pub fn free(&mut self, id: BlockId) {
        let block = self.blocks.get(id);
        self.allocated -= block.size;
        if block.is_recorded() {
            self.wait(id);
        } else {
            self.cache(id);
        }
    }

    /// `get_free_block`: best fit in the cache.
    fn get_free_block(&mut self, params: Params) -> Option<BlockId> {
        if self.counts_searches() {
            for pool in self.pools(params.pool.is_small()) {
                self.pool_mut(pool).0.searches += 1;
            }
        }
        self.find_free_block(params)
    }

    #[inline(always)]
    fn find_free_block(&self, params: Params) -> Option<BlockId> {
        let pool = self.pool(params.pool);
        let mut found = pool.best_fit(&self.blocks, params.size)?;
        if self.plain {
            return Some(found);
        }
        if self.settings.expandable_segments {
            found = self.best_expandable_fit(pool, found);
        }
        let size = self.blocks.get(found).size;
        let max_split = self.settings.max_split_size();
        let oversize_for_request = params.size < max_split && size >= max_split;
        let too_generous = params.size >= max_split && size >= params.size + MAX_NON_SPLIT_ROUNDING;
        (!oversize_for_request && !too_generous).then_some(found)
    }

    /// The driver's part of `malloc`: garbage collection, a new segment, and the two retries.
    #[cold]
    fn get_new_block(&mut self, params: Params) -> Result<BlockId, OutOfMemory> {
        if let Some(threshold) = self.settings.collects_garbage_above() {
            self.garbage_collect_cached_blocks(threshold);
        }
        if let Some(block) = self.alloc_block(params) {
            return Ok(block);
        }
        let refused = OutOfMemory {
            tried: segment_size(params.size),
        };
        if let Limit::Watched(_) = self.settings.limit {
            return Err(refused);
        }
        if self.release_available_cached_blocks(params)
            && let Some(block) = self.alloc_block(params)
        {
            return Ok(block);
        }
        self.release_cached_blocks();
        self.alloc_block(params).ok_or(refused)
    }

    /// `alloc_block`: a new segment from the driver, in its pool.
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
        let block = Block::new(self.next_address, size, params.pool, State::Free);
        let id = self.blocks.add(block);
        let (pool, blocks) = self.pool_mut(params.pool);
        pool.insert(blocks, id);
        self.next_address += size.next_multiple_of(ROUND_LARGE) + ROUND_LARGE;
        self.reserve(size);
        Some(id)
    }

    /// The driver hands out `size` bytes more.
    pub(super) fn reserve(&mut self, size: u64) {
        self.reserved += size;
        self.most_reserved = self.most_reserved.max(self.reserved);
    }

    /// Whether the driver can hand out `size` bytes more.
    pub(super) fn driver_has(&self, size: u64) -> bool {
        match self.settings.limit {
            Limit::Capacity(bytes) | Limit::Watched(bytes) => {
                self.reserved.saturating_add(size) <= bytes
            }
            Limit::None | Limit::Fraction(_) => true,
        }
    }

    /// `should_split`: whether a request leaves the rest of a block of `size` bytes to others.
    #[inline(always)]
    fn should_split(&self, size: u64, params: Params) -> bool {
        let remaining = size - params.size;
        if self.plain {
            let least = if params.pool.is_small() {
                MIN_BLOCK
            } else {
                SMALL_SIZE + 1
            };
            return remaining >= least;
        }
        if params.pool.is_small() || self.settings.expandable_segments {
            remaining >= MIN_BLOCK
        } else {
            params.size < self.settings.max_split_size() && remaining > SMALL_SIZE
        }
    }

    /// `alloc_found_block`: takes what the request needs of a free block.
    fn alloc_found_block(&mut self, id: BlockId, params: Params) -> BlockId {
        let size = self.blocks.get(id).size;
        if self.should_split(size, params) {
            self.allocated += params.size;
            let front = self.blocks.split_front(id, params.size, State::Allocated);
            let (pool, blocks) = self.pool_mut(params.pool);
            pool.shrunk(blocks, id, size);
            front
        } else {
            self.allocated += size;
            let (pool, blocks) = self.pool_mut(params.pool);
            pool.remove(blocks, id);
            blocks.get_mut(id).set_state(State::Allocated);
            id
        }
    }

    /// Makes a block that is in no pool a free one: `try_merge_blocks` with both neighbours, then `insert_into_blocks`.
    /// A free neighbour grows in place in its pool.
    pub(super) fn cache(&mut self, id: BlockId) -> BlockId {
        let mut block = *self.blocks.get(id);
        block.set_state(State::Free);
        let Block { prev, next, .. } = block;
        let (pool, blocks) = self.pool_mut(block.pool());
        let is_prev_free = blocks.get(prev).is_like(&block);
        let is_next_free = blocks.get(next).is_like(&block);
        match (is_prev_free, is_next_free) {
            (false, false) => {
                blocks.get_mut(id).place = block.place;
                pool.insert(blocks, id);
                id
            }
            (false, true) => {
                let was = blocks.get(next).size;
                blocks.absorb_before(next, id);
                pool.grown(blocks, next, was);
                next
            }
            (true, _) => {
                if is_next_free {
                    pool.remove(blocks, next);
                    blocks.absorb_behind(id, next);
                }
                let was = blocks.get(prev).size;
                blocks.absorb_behind(prev, id);
                pool.grown(blocks, prev, was);
                prev
            }
        }
    }
}

/// The pool of a side stream, which has been made.
#[cold]
fn side_pool(side: &[Pool], id: PoolId) -> &Pool {
    &side[id.side()]
}

/// The same, to be changed.
#[cold]
fn side_pool_mut(side: &mut [Pool], id: PoolId) -> &mut Pool {
    &mut side[id.side()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MIB;

    #[test]
    fn thousands_of_blocks_of_one_size_stay_in_order_however_they_are_freed() {
        let mut allocator = Allocator::new(Settings::default());
        let mut bits = 1_u64;
        let mut below = |bound: usize| {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            usize::try_from(bits % bound as u64).expect("a small number")
        };
        // Others lie between them, so that they are not merged.
        let ask = |allocator: &mut Allocator| {
            [5 * MIB, 3 * MIB].map(|bytes| allocator.malloc(bytes, Stream::MAIN).expect("no limit"))
        };
        let mut pairs: Vec<_> = (0..3000).map(|_| ask(&mut allocator)).collect();
        for round in 0..6 {
            for _ in 0..2000 {
                // Mostly one after another, as models are freed, and now and then anywhere.
                let at = if below(8) == 0 {
                    below(pairs.len())
                } else {
                    pairs.len() / 2
                };
                let [one, other] = pairs.remove(at);
                allocator.free(one);
                if below(3) == 0 {
                    allocator.free(other);
                }
            }
            let blocks = &allocator.blocks;
            let pool = &allocator.large;
            let free: Vec<BlockId> = pool.from(blocks, pool.best_fit(blocks, 0)).collect();
            assert!(free.len() > 500, "round {round}");
            assert!(free.is_sorted_by_key(|&id| {
                let block = blocks.get(id);
                (block.size, block.address())
            }));
            assert!(free.iter().all(|&id| blocks.get(id).state() == State::Free));
            let cached: u64 = free.iter().map(|&id| blocks.get(id).size).sum();
            let held = allocator.held();
            assert_eq!(held.reserved - held.allocated, cached, "round {round}");
            pairs.extend((0..2000).map(|_| ask(&mut allocator)));
        }
    }
}
