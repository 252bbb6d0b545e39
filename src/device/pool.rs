//! A pool of free blocks, in best-fit order.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

use super::blocks::{Block, BlockId, Blocks, NONE};
use super::settings::MIN_BLOCK;

/// Bins for each power of two.
const STEPS: u32 = 8;
/// Bins for all sizes: powers of two of blocks of 512 bytes, up to 2^64 bytes.
const BINS: usize = 56 * STEPS as usize;
/// Words of the bitmap of bins.
const WORDS: usize = BINS / 64;

/// The first and the last block of a bin.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: BlockId,
    last: BlockId,
}

/// The free blocks of the small or of the large pool, by size, then by address.
///
/// Sizes are spread over bins of an eighth of a power of two, each a list of its blocks in order,
/// with a bitmap of the bins that hold something: pools hold hundreds of free blocks, and this
/// finds and moves one by looking at a few. Where a model has ten thousands of equal weights a
/// list is long, but blocks come and go near its ends.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    bins: [Ends; BINS],
    filled: [u64; WORDS],
    /// Unmapped blocks of expandable segments by address.
    unmapped: Vec<(u64, BlockId)>,
    /// How often a free block was looked for, for garbage collection.
    pub searches: u32,
}

impl Default for Pool {
    fn default() -> Self {
        let empty = Ends {
            first: NONE,
            last: NONE,
        };
        Self {
            bins: [empty; BINS],
            filled: [0; WORDS],
            unmapped: Vec::new(),
            searches: 0,
        }
    }
}

/// The bin of a size; larger sizes never have an earlier bin.
#[inline(always)]
fn bin(size: u64) -> usize {
    let units = (size / MIN_BLOCK).max(1);
    let power = units.ilog2();
    // The three bits below the highest one.
    let step = (units << STEPS.ilog2() >> power) % u64::from(STEPS);
    (power * STEPS) as usize + usize::try_from(step).unwrap_or(0)
}

/// The first block of a bin that has at least this size and, of those of just this size, at least
/// this address; [`NONE`] when all come before. It is looked for from both ends.
#[inline(always)]
fn first_from(blocks: &Blocks, ends: Ends, place: (u64, u64)) -> BlockId {
    let Ends { mut first, last } = ends;
    let (mut found, mut back) = (NONE, last);
    let before = |id| {
        let block = blocks.get(id);
        (block.size, block.address) < place
    };
    while first != found {
        if !before(first) {
            return first;
        }
        if before(back) {
            return found;
        }
        first = blocks.get(first).after;
        (found, back) = (back, blocks.get(back).before);
    }
    found
}

impl Pool {
    /// Adds a free block.
    #[inline(always)]
    pub fn insert(&mut self, blocks: &mut Blocks, id: BlockId) {
        let &Block { size, address, .. } = blocks.get(id);
        let bin = bin(size);
        let ends = self.bins[bin];
        let after = first_from(blocks, ends, (size, address));
        let before = match after {
            NONE => ends.last,
            _ => std::mem::replace(&mut blocks.get_mut(after).before, id),
        };
        if after == NONE {
            self.bins[bin].last = id;
        }
        match before {
            NONE => {
                self.bins[bin].first = id;
                self.filled[bin / 64] |= 1 << (bin % 64);
            }
            _ => blocks.get_mut(before).after = id,
        }
        let block = blocks.get_mut(id);
        (block.before, block.after) = (before, after);
        block.free_since = self.searches;
    }

    /// Takes a free block out, before its size and address change.
    #[inline(always)]
    pub fn remove(&mut self, blocks: &mut Blocks, id: BlockId) {
        let &Block {
            size,
            before,
            after,
            ..
        } = blocks.get(id);
        let bin = bin(size);
        match before {
            NONE => {
                self.bins[bin].first = after;
                if after == NONE {
                    self.filled[bin / 64] &= !(1 << (bin % 64));
                }
            }
            _ => blocks.get_mut(before).after = after,
        }
        match after {
            NONE => self.bins[bin].last = before,
            _ => blocks.get_mut(after).before = before,
        }
    }

    /// The free block that fits `size` bytes best: the smallest, of those the one at the lowest
    /// address.
    #[inline(always)]
    pub fn best_fit(&self, blocks: &Blocks, size: u64) -> Option<BlockId> {
        let bin = bin(size);
        let id = first_from(blocks, self.bins[bin], (size, 0));
        if id != NONE {
            return Some(id);
        }
        Some(self.bins[self.next_filled(bin + 1)?].first)
    }

    /// The first bin from `from` on that holds something.
    fn next_filled(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = self.filled.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.filled.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// The free blocks from this one on, by size, then by address.
    pub fn from<'a>(
        &'a self,
        blocks: &'a Blocks,
        first: Option<BlockId>,
    ) -> impl Iterator<Item = BlockId> + 'a {
        std::iter::successors(first, |&id| match blocks.get(id).after {
            NONE => {
                let bin = self.next_filled(bin(blocks.get(id).size) + 1)?;
                Some(self.bins[bin].first)
            }
            after => Some(after),
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
