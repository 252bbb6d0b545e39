//! A pool of free blocks, in best-fit order.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

use super::blocks::{Block, BlockId, Blocks};
use super::settings::MIN_BLOCK;
use std::collections::BTreeMap;
use std::ops::Bound;

/// Bins for each power of two.
const STEPS: u32 = 16;
/// Bins for all sizes: powers of two of blocks of 512 bytes, up to 2^64 bytes.
pub(super) const BINS: u32 = 56 * STEPS;
/// Blocks at each end of a list that are looked at before it is taken for a long one.
const NEAR: u32 = 32;
/// Words of the bitmap of bins.
const WORDS: usize = BINS.div_ceil(u64::BITS) as usize;

/// The free blocks of the small or of the large pool of a stream, by size, then by address.
///
/// Sizes are spread over bins of a sixteenth of a power of two, each a list of its blocks in order,
/// with a bitmap of the bins that hold something: pools hold hundreds of free blocks, and this
/// finds and moves one by looking at a few. Where a model has ten thousands of equal weights a
/// list is long, and signposts stand in it.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// The head of the first bin's list; those of the others follow.
    heads: BlockId,
    filled: [u64; WORDS],
    signposts: Signposts,
    /// Unmapped blocks of expandable segments by address.
    unmapped: Vec<(u64, BlockId)>,
    /// The number of searches for a free block, for garbage collection.
    pub searches: u32,
    /// The value of `searches` when each block became free, where it is counted.
    free_since: Vec<u32>,
}

/// The bin of a size; larger sizes never have an earlier bin.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "five bits are kept")]
fn bin(size: u64) -> u32 {
    let units = (size / MIN_BLOCK).max(1);
    let zeros = units.leading_zeros();
    // The highest bit, which is set, and the four below it.
    let leading = (units << zeros >> (u64::BITS - 1 - STEPS.ilog2())) as u32;
    (u64::BITS - 1 - zeros) * STEPS + leading - STEPS
}

/// Whether a block comes before one of this size and place.
#[inline(always)]
fn is_before(block: &Block, size: u64, place: u64) -> bool {
    let key = |size, place| u128::from(size) << u64::BITS | u128::from(place);
    key(block.size, block.place) < key(size, place)
}

/// The first block of a list that has at least this size and, of those of just this size, at least
/// this place; the head when all come before. It is looked for from both ends, nothing when it is far
/// from both.
#[inline(always)]
fn first_from(blocks: &Blocks, head: BlockId, size: u64, place: u64) -> Option<BlockId> {
    let &Block {
        after: mut front,
        before: mut back,
        ..
    } = blocks.get(head);
    for _ in 0..NEAR {
        let first = blocks.get(front);
        if !is_before(first, size, place) {
            return Some(front);
        }
        let last = blocks.get(back);
        if is_before(last, size, place) {
            return Some(last.after);
        }
        (front, back) = (first.after, last.before);
    }
    None
}

/// The order of blocks: size and place.
type Key = (u64, u64);

/// Blocks in the middle of long lists. Those that have left their list, or stand elsewhere in it, are
/// found out when they are come to.
#[derive(Clone, Debug, Default)]
struct Signposts(BTreeMap<Key, BlockId>);

/// Whether a signpost is where it was.
fn stands(blocks: &Blocks, key: Key, id: BlockId) -> bool {
    let block = blocks.get(id);
    key == (block.size, block.place) && blocks.get(block.before).after == id
}

impl Signposts {
    /// Blocks of a bin before a place in it, or behind it, the nearest first.
    fn beside(&self, key: Key, behind: bool) -> impl Iterator<Item = (Key, BlockId)> {
        let range = if behind {
            (Bound::Included(key), Bound::Unbounded)
        } else {
            (Bound::Unbounded, Bound::Excluded(key))
        };
        let mut posts = self.0.range(range);
        let nearest = move || {
            let post = if behind {
                posts.next()
            } else {
                posts.next_back()
            };
            post.map(|(&key, &id)| (key, id))
        };
        std::iter::from_fn(nearest).take_while(move |(other, _)| bin(other.0) == bin(key.0))
    }

    /// [`first_from`] between the nearest signposts, and the distance from both.
    #[cold]
    fn first_from(&self, blocks: &Blocks, head: BlockId, (size, place): Key) -> (BlockId, u32) {
        let [before, behind] = [false, true].map(|behind| {
            let mut posts = self.beside((size, place), behind);
            posts.find(|&(key, id)| stands(blocks, key, id))
        });
        let mut front = before.map_or_else(|| blocks.get(head).after, |(_, id)| id);
        let mut back = behind.map_or(head, |(_, id)| id);
        let mut far = 0;
        loop {
            front = blocks.get(front).after;
            if !is_before(blocks.get(front), size, place) {
                return (front, far);
            }
            let last = blocks.get(back).before;
            if is_before(blocks.get(last), size, place) {
                return (back, far);
            }
            back = last;
            far += 1;
        }
    }

    /// [`first_from`] for a block that comes there, which becomes a signpost if the next one is far.
    #[cold]
    fn first_from_for(
        &mut self,
        blocks: &Blocks,
        head: BlockId,
        (key, id): (Key, BlockId),
    ) -> BlockId {
        let gone = |behind| {
            let posts = self.beside(key, behind);
            posts.take_while(|&(key, id)| !stands(blocks, key, id))
        };
        let gone: Vec<(Key, BlockId)> = gone(false).chain(gone(true)).collect();
        for (gone, _) in gone {
            self.0.remove(&gone);
        }
        let (after, far) = self.first_from(blocks, head, key);
        if far > NEAR {
            self.0.insert(key, id);
        }
        after
    }
}

impl Pool {
    /// A pool that holds nothing, the heads of whose lists are the [`BINS`] from `heads` on.
    pub fn new(heads: BlockId) -> Self {
        Self {
            heads,
            filled: [0; WORDS],
            signposts: Signposts::default(),
            unmapped: Vec::new(),
            searches: 0,
            free_since: Vec::new(),
        }
    }

    /// Adds a free block.
    #[inline]
    pub fn insert(&mut self, blocks: &mut Blocks, id: BlockId) {
        let &Block { size, place, .. } = blocks.get(id);
        self.put(blocks, id, size, place, bin(size));
    }

    /// Adds a free block of this size, at this place, to its bin.
    fn put(&mut self, blocks: &mut Blocks, id: BlockId, size: u64, place: u64, bin: u32) {
        let head = self.heads + bin;
        let after = match first_from(blocks, head, size, place) {
            Some(after) => after,
            None => self
                .signposts
                .first_from_for(blocks, head, ((size, place), id)),
        };
        let before = std::mem::replace(&mut blocks.get_mut(after).before, id);
        blocks.get_mut(before).after = id;
        let block = blocks.get_mut(id);
        (block.before, block.after) = (before, after);
        *self.word(bin) |= 1 << (bin % u64::BITS);
        if self.searches > 0 {
            self.note_free(id);
        }
    }

    /// Puts a free block that was larger, and at a lower place, where it belongs.
    #[inline(always)]
    pub fn shrunk(&mut self, blocks: &mut Blocks, id: BlockId, was: u64) {
        let &Block {
            size,
            place,
            before,
            ..
        } = blocks.get(id);
        let bin = bin(size);
        let stays = bin == self::bin(was)
            && (before == self.heads + bin || is_before(blocks.get(before), size, place));
        self.moved(blocks, id, size, place, bin, stays);
    }

    /// Puts a free block that was smaller, and maybe at a higher place, where it belongs.
    #[inline(always)]
    pub fn grown(&mut self, blocks: &mut Blocks, id: BlockId, was: u64) {
        let &Block {
            size, place, after, ..
        } = blocks.get(id);
        let bin = bin(size);
        let stays = bin == self::bin(was) && !is_before(blocks.get(after), size, place);
        self.moved(blocks, id, size, place, bin, stays);
    }

    #[inline(always)]
    fn moved(
        &mut self,
        blocks: &mut Blocks,
        id: BlockId,
        size: u64,
        place: u64,
        bin: u32,
        stays: bool,
    ) {
        if !stays {
            self.remove(blocks, id);
            self.put(blocks, id, size, place, bin);
        } else if self.searches > 0 {
            self.note_free(id);
        }
    }

    /// Notes when a block became free.
    #[cold]
    fn note_free(&mut self, id: BlockId) {
        let id = id as usize;
        let blocks = self.free_since.len().max(id + 1);
        self.free_since.resize(blocks, 0);
        self.free_since[id] = self.searches;
    }

    /// How often a block was looked for since this one became free.
    pub fn searches_since_free(&self, id: BlockId) -> u32 {
        let since = self.free_since.get(id as usize).copied();
        self.searches - since.unwrap_or(0)
    }

    /// Takes a free block out, before its size and address change.
    #[inline(always)]
    pub fn remove(&mut self, blocks: &mut Blocks, id: BlockId) {
        let &Block { before, after, .. } = blocks.get(id);
        blocks.get_mut(before).after = after;
        blocks.get_mut(after).before = before;
        // Both are the head when it was the only one. No branch: nobody could foresee it.
        let only = before == after;
        let bin = if only { before - self.heads } else { 0 };
        *self.word(bin) &= !(u64::from(only) << (bin % u64::BITS));
    }

    /// The free block that fits `size` bytes best: the smallest, of those the one at the lowest
    /// address.
    #[inline(always)]
    pub fn best_fit(&self, blocks: &Blocks, size: u64) -> Option<BlockId> {
        let bin = bin(size);
        let head = self.heads + bin;
        let mut id = blocks.get(head).after;
        if blocks.get(id).size < size {
            id = match first_from(blocks, head, size, 0) {
                Some(id) => id,
                None => self.signposts.first_from(blocks, head, (size, 0)).0,
            };
        }
        if id != head {
            return Some(id);
        }
        self.first_of_next(blocks, bin)
    }

    /// The word of the bitmap with this bin.
    #[inline(always)]
    fn word(&mut self, bin: u32) -> &mut u64 {
        &mut self.filled[(bin / u64::BITS) as usize]
    }

    /// The first block of the bins behind this one.
    fn first_of_next(&self, blocks: &Blocks, bin: u32) -> Option<BlockId> {
        let from = bin + 1;
        let mut word = from / u64::BITS;
        let mut bits = self.filled.get(word as usize)? & (u64::MAX << (from % u64::BITS));
        while bits == 0 {
            word += 1;
            bits = *self.filled.get(word as usize)?;
        }
        let head = self.heads + word * u64::BITS + bits.trailing_zeros();
        Some(blocks.get(head).after)
    }

    /// The free blocks from this one on, by size, then by address.
    pub fn from<'a>(
        &'a self,
        blocks: &'a Blocks,
        first: Option<BlockId>,
    ) -> impl Iterator<Item = BlockId> + 'a {
        std::iter::successors(first, |&id| {
            let block = blocks.get(id);
            let bin = bin(block.size);
            if block.after == self.heads + bin {
                self.first_of_next(blocks, bin)
            } else {
                Some(block.after)
            }
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{GIB, MIB};

    #[test]
    fn larger_sizes_never_have_an_earlier_bin() {
        let sizes = [512, 1024, 1536, 5120, MIB, 3 * MIB, 20 * MIB, 7 * GIB];
        assert!(sizes.is_sorted_by_key(|&size| bin(size)));
        assert!(bin(u64::MAX) < BINS);
        for size in (512..4 * MIB).step_by(512) {
            assert!(bin(size) <= bin(size + 512), "{size}");
        }
    }
}
