//! A pool of free blocks, in best-fit order.

use super::blocks::{Block, BlockId};

/// A free block's place in the order: by size, then by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    size: u64,
    address: u64,
    block: BlockId,
}

impl Entry {
    fn key(&self) -> (u64, u64) {
        (self.size, self.address)
    }
}

/// The free blocks of the small or of the large pool.
///
/// A sorted vector: pools hold tens to hundreds of free blocks, and moving those in one piece of
/// memory is faster than walking a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    free: Vec<Entry>,
    /// Unmapped blocks of expandable segments by address.
    unmapped: Vec<(u64, BlockId)>,
    /// How often a free block was looked for, for garbage collection.
    pub searches: u64,
}

impl Pool {
    fn position(&self, key: (u64, u64)) -> usize {
        self.free.partition_point(|entry| entry.key() < key)
    }

    /// Adds a free block.
    pub fn insert(&mut self, id: BlockId, block: &Block) {
        let entry = Entry {
            size: block.size,
            address: block.address,
            block: id,
        };
        self.free.insert(self.position(entry.key()), entry);
    }

    /// Takes a free block out. Its size and address must be those it was inserted with.
    pub fn remove(&mut self, block: &Block) {
        let at = self.position((block.size, block.address));
        self.free.remove(at);
    }

    /// Index of the smallest free block that holds `size` bytes; of those the lowest address.
    pub fn best_fit(&self, size: u64) -> usize {
        self.position((size, 0))
    }

    /// The block at an index of the order, if there is one.
    pub fn at(&self, index: usize) -> Option<BlockId> {
        self.free.get(index).map(|entry| entry.block)
    }

    /// Takes the block at an index out.
    pub fn take(&mut self, index: usize) -> BlockId {
        self.free.remove(index).block
    }

    /// The free blocks in order.
    pub fn blocks(&self) -> Vec<BlockId> {
        self.free.iter().map(|entry| entry.block).collect()
    }

    /// Adds an unmapped block.
    pub fn insert_unmapped(&mut self, id: BlockId, address: u64) {
        let at = self.unmapped.partition_point(|&(a, _)| a < address);
        self.unmapped.insert(at, (address, id));
    }

    /// Takes an unmapped block out.
    pub fn remove_unmapped(&mut self, address: u64) {
        let at = self.unmapped.partition_point(|&(a, _)| a < address);
        self.unmapped.remove(at);
    }

    /// The unmapped blocks by address.
    pub fn unmapped(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.unmapped.iter().map(|&(_, id)| id)
    }
}
