//! Blocks that other streams use: freed, they wait for events of those before they are cached.

use super::allocator::Allocator;
use super::blocks::BlockId;
use super::settings::Timing;

/// Blocks that are freed and wait, in that order.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    blocks: Vec<BlockId>,
    bytes: u64,
    /// So many of the first wait only to be seen: their events are complete.
    complete: usize,
}

impl Waiting {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Allocator {
    /// `recordStream`: another stream uses the block, too.
    pub fn record_stream(&mut self, id: BlockId) {
        self.blocks.get_mut(id).set_recorded(true);
    }

    /// `insert_events`: a block that another stream uses is freed.
    #[cold]
    pub(super) fn wait(&mut self, id: BlockId) {
        let block = self.blocks.get_mut(id);
        block.set_recorded(false);
        self.waiting.bytes += block.size;
        self.waiting.blocks.push(id);
    }

    /// `process_events`: blocks whose events are complete are cached.
    #[cold]
    pub(super) fn process_events(&mut self) {
        match self.settings.timing {
            Timing::AtOnce => self.synchronize_and_free_events(),
            Timing::AtSynchronization => self.free_events(self.waiting.complete),
        }
    }

    /// `synchronize_and_free_events`: the events of all blocks that wait are awaited.
    pub(super) fn synchronize_and_free_events(&mut self) {
        self.free_events(self.waiting.blocks.len());
    }

    fn free_events(&mut self, count: usize) {
        for id in self.waiting.blocks.drain(..count).collect::<Vec<_>>() {
            self.waiting.bytes -= self.blocks.get(id).size;
            self.cache(id);
        }
        self.waiting.complete = 0;
    }

    /// The host waits for all streams: events so far are complete.
    pub fn synchronize(&mut self) {
        self.waiting.complete = self.waiting.blocks.len();
    }
}
