//! Giving cached segments back to the driver, before running out of memory.

use super::allocator::{Allocator, Params};
use super::blocks::{BlockId, EDGE};
use super::settings::Settings;

impl Allocator {
    /// `release_cached_blocks`: every segment that holds nothing, large pool first.
    pub(super) fn release_cached_blocks(&mut self) {
        for small in [false, true] {
            for id in self.free_blocks(small) {
                if self.settings.expandable_segments {
                    self.unmap_block(id);
                } else if self.is_whole_segment(id) {
                    self.release_block(id);
                }
            }
        }
    }

    /// `release_available_cached_blocks`: only with `max_split_size`, oversize segments until the
    /// request has room. False when that is not enough. Expandable segments stay.
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
        let (pool, blocks) = self.pool(params.small);
        if let Some(found) = pool.best_fit(blocks, wanted) {
            self.release_block(found);
            return true;
        }
        let mut released = 0;
        for id in self.free_blocks(params.small).into_iter().rev() {
            let size = self.blocks.get(id).size;
            if released >= wanted || size < max_split {
                break;
            }
            released += size;
            self.release_block(id);
        }
        released >= wanted
    }

    /// `garbage_collect_cached_blocks`: frees the cached segments of the large pool that were not
    /// used for longest, when more than `threshold` bytes are reserved.
    pub(super) fn garbage_collect_cached_blocks(&mut self, threshold: u64) {
        let target = self.reserved.saturating_sub(threshold);
        if target == 0 || self.settings.expandable_segments {
            return;
        }
        let mut candidates = self.free_blocks(false);
        candidates.retain(|&id| self.is_whole_segment(id));
        let age = |this: &Self, id| u64::from(this.large.searches_since_free(id));
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
    fn free_blocks(&mut self, small: bool) -> Vec<BlockId> {
        let (pool, blocks) = self.pool(small);
        pool.from(blocks, pool.best_fit(blocks, 0)).collect()
    }

    fn is_whole_segment(&self, id: BlockId) -> bool {
        let block = self.blocks.get(id);
        block.prev == EDGE && block.next == EDGE
    }

    /// `release_block`: `cudaFree` of a whole segment.
    fn release_block(&mut self, id: BlockId) {
        let block = *self.blocks.get(id);
        let (pool, blocks) = self.pool(block.is_small());
        pool.remove(blocks, id);
        self.reserved -= block.size;
        self.blocks.remove(id);
    }
}
