//! Expandable segments: one range of addresses per pool of a stream that grows page by page.

use super::allocator::{Allocator, Params};
use super::blocks::{Block, BlockId, PoolId, State};
use super::pool::Pool;
use super::settings::{EXPANDABLE_ADDRESS_SPACE, LARGE_SEGMENT, SMALL_SEGMENT};

/// Pages of an expandable segment: `segment_size`.
fn page(pool: PoolId) -> u64 {
    if pool.is_small() {
        SMALL_SEGMENT
    } else {
        LARGE_SEGMENT
    }
}

impl Allocator {
    /// The size that a free block can grow to: `expandable_size` in `get_free_block`.
    fn expandable_size(&self, id: BlockId) -> u64 {
        let block = self.blocks.get(id);
        let behind = self.blocks.get(block.next);
        let grows = behind.state() == State::Unmapped;
        block.size + if grows { behind.size } else { 0 }
    }

    /// The best of the free blocks from this one on, as long as each can grow to less than the one
    /// before.
    #[cold]
    pub(super) fn best_expandable_fit(&self, pool: &Pool, mut found: BlockId) -> BlockId {
        for next in pool.from(&self.blocks, Some(found)).skip(1) {
            if self.expandable_size(next) >= self.expandable_size(found) {
                break;
            }
            found = next;
        }
        found
    }

    /// `try_allocate_expandable_block`: maps pages until a free block holds the request.
    pub(super) fn try_allocate_expandable_block(&mut self, params: Params) -> Option<BlockId> {
        let size = params.size;
        let mut candidate = self.find_expandable_block(params);
        if self.blocks.get(candidate).state() == State::Unmapped {
            let wanted = size.min(self.blocks.get(candidate).size);
            candidate = self.map_block(candidate, wanted)?;
        }
        while self.blocks.get(candidate).size < size {
            let block = *self.blocks.get(candidate);
            let hole = self.blocks.get(block.next).size;
            candidate = self.map_block(block.next, hole.min(size - block.size))?;
        }
        Some(candidate)
    }

    /// `find_expandable_block`: the lowest address with room, made of free and unmapped blocks.
    fn find_expandable_block(&mut self, params: Params) -> BlockId {
        for unmapped in self.pool(params.pool).unmapped() {
            let before = self.blocks.get(unmapped).prev;
            let start = match self.blocks.get(before).state() {
                State::Allocated => unmapped,
                State::Free | State::Unmapped => before,
            };
            if self.has_available_address_space(start, params.size) {
                return start;
            }
        }
        let page = page(params.pool);
        let size = EXPANDABLE_ADDRESS_SPACE.next_multiple_of(page);
        let address = self.next_address.next_multiple_of(page);
        self.next_address = address + size;
        let id = self
            .blocks
            .add(Block::new(address, size, params.pool, State::Unmapped));
        self.pool_mut(params.pool).0.insert_unmapped(id, address);
        id
    }

    fn has_available_address_space(&self, start: BlockId, size: u64) -> bool {
        let mut bytes = 0;
        let mut id = start;
        while bytes < size {
            let block = self.blocks.get(id);
            if block.state() == State::Allocated {
                return false;
            }
            bytes += block.size;
            id = block.next;
        }
        true
    }

    /// `map_block`: puts memory behind the first `size` bytes of an unmapped block, in whole
    /// pages: the free block that it becomes a part of. `None` when there is no memory.
    fn map_block(&mut self, id: BlockId, size: u64) -> Option<BlockId> {
        let block = *self.blocks.get(id);
        let mapped = size.next_multiple_of(page(block.pool()));
        if !self.driver_has(mapped) {
            return None;
        }
        self.pool_mut(block.pool())
            .0
            .remove_unmapped(block.address());
        if mapped < block.size {
            let rest = self.blocks.split_back(id, mapped, State::Unmapped);
            let address = self.blocks.get(rest).address();
            self.pool_mut(block.pool()).0.insert_unmapped(rest, address);
        }
        self.reserve(mapped);
        Some(self.cache(id))
    }

    /// `unmap_block`: gives the whole pages of a free block back to the driver.
    pub(super) fn unmap_block(&mut self, id: BlockId) {
        let block = *self.blocks.get(id);
        let page = page(block.pool());
        let begin = block.address().next_multiple_of(page);
        let end = (block.address() + block.size) / page * page;
        if begin >= end {
            return;
        }
        let (pool, blocks) = self.pool_mut(block.pool());
        pool.remove(blocks, id);
        if begin > block.address() {
            let before = blocks.split_front(id, begin - block.address(), State::Free);
            pool.insert(blocks, before);
        }
        if end < block.address() + block.size {
            let after = blocks.split_back(id, end - begin, State::Free);
            pool.insert(blocks, after);
        }
        blocks.get_mut(id).set_state(State::Unmapped);
        let block = *blocks.get(id);
        for neighbour in [block.prev, block.next] {
            if blocks.get(neighbour).is_like(&block) {
                pool.remove_unmapped(blocks.get(neighbour).address());
                blocks.absorb(id, neighbour);
            }
        }
        let address = self.blocks.get(id).address();
        self.pool_mut(block.pool()).0.insert_unmapped(id, address);
        self.reserved -= end - begin;
    }
}
