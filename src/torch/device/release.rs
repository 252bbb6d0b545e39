//! Giving cached segments back to the driver, before running out of memory.

use super::allocator::{Allocator, Params};
use super::blocks::{BlockId, EDGE, PoolId};
use super::settings::Settings;

impl Allocator {
    /// `release_cached_blocks`: every segment of any stream that holds nothing, large pools
    /// first. What waits for other streams is awaited.
    pub(super) fn release_cached_blocks(&mut self) {
        self.synchronize_and_free_events();
        let pools = self.pools(false).chain(self.pools(true));
        for pool in pools {
            for id in self.free_blocks(pool) {
                if self.settings.expandable_segments {
                    self.unmap_block(id);
                } else if self.is_whole_segment(id) {
                    self.release_block(id);
                }
            }
        }
    }

    /// `release_available_cached_blocks`: only with `max_split_size`, oversize segments of the
    /// same stream until the request has room. False when that is not enough. Expandable segments stay.
    pub(super) fn release_available_cached_blocks(&mut self, params: Params) -> bool {
        let Settings {
            max_split_size: Some(max_split),
            expandable_segments: false,
            ..
        } = self.settings
        else {
            return false;
        };
        let wanted = params.size.max(max_split);
        if let Some(found) = self.pool(params.pool).best_fit(&self.blocks, wanted) {
            self.release_block(found);
            return true;
        }
        let mut released = 0;
        for id in self.free_blocks(params.pool).into_iter().rev() {
            let size = self.blocks.get(id).size;
            if released >= wanted || size < max_split {
                break;
            }
            released += size;
            self.release_block(id);
        }
        released >= wanted
    }

    /// `garbage_collect_cached_blocks`: frees the cached segments of all large pools that were
    /// not used for longest, when more than `threshold` bytes are reserved.
    pub(super) fn garbage_collect_cached_blocks(&mut self, threshold: u64) {
        let target = self.reserved.saturating_sub(threshold);
        if target == 0 || self.settings.expandable_segments {
            return;
        }
        let cached = self.pools(false).flat_map(|pool| self.free_blocks(pool));
        let mut candidates: Vec<BlockId> = cached.filter(|&id| self.is_whole_segment(id)).collect();
        let age = |this: &Self, id| {
            let pool = this.pool(this.blocks.get(id).pool());
            u64::from(pool.searches_since_free(id))
        };
        let mut total_age: u64 = candidates.iter().map(|&id| age(self, id)).sum();
        let mut reclaimed = 0;
        while reclaimed < target && !candidates.is_empty() {
            let count = candidates.len() as u64;
            // Ages are compared with the average at the start of the round.
            let (old, young): (Vec<_>, Vec<_>) = candidates
                .into_iter()
                .partition(|&id| age(self, id) * count >= total_age);
            if old.is_empty() {
                return;
            }
            for id in old {
                total_age -= age(self, id);
                reclaimed += self.blocks.get(id).size;
                self.release_block(id);
            }
            candidates = young;
        }
    }

    /// The free blocks of a pool, the smallest first.
    fn free_blocks(&self, pool: PoolId) -> Vec<BlockId> {
        let (pool, blocks) = (self.pool(pool), &self.blocks);
        pool.from(blocks, pool.best_fit(blocks, 0)).collect()
    }

    fn is_whole_segment(&self, id: BlockId) -> bool {
        let block = self.blocks.get(id);
        block.prev == EDGE && block.next == EDGE
    }

    /// `release_block`: `cudaFree` of a whole segment.
    fn release_block(&mut self, id: BlockId) {
        let block = *self.blocks.get(id);
        let (pool, blocks) = self.pool_mut(block.pool());
        pool.remove(blocks, id);
        self.reserved -= block.size;
        self.blocks.remove(id);
    }
}
