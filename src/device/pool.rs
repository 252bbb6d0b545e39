//! A pool of free blocks, in best-fit order.

use super::blocks::{Block, BlockId};
use super::settings::MIN_BLOCK;
use std::collections::VecDeque;

/// Bins for each power of two.
const STEPS: u32 = 8;
/// Bins for all sizes: powers of two of blocks of 512 bytes, up to 2^64 bytes.
const BINS: usize = 56 * STEPS as usize;
/// Words of the bitmap of bins.
const WORDS: usize = BINS / 64;

/// A free block's place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    size: u64,
    address: u64,
    block: BlockId,
}

/// A free block and where it stands, until the pool changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    bin: usize,
    at: usize,
    /// The block.
    pub block: BlockId,
}

/// The free blocks of the small or of the large pool, by size, then by address.
///
/// Sizes are spread over bins of an eighth of a power of two, each a short sorted list, with a
/// bitmap of the bins that hold something: pools hold hundreds of free blocks, and this finds and
/// moves a few instead of walking a tree or moving them all. A list may be long where a model has
/// ten thousands of equal weights; then blocks come and go at its ends.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    bins: Vec<VecDeque<Place>>,
    filled: [u64; WORDS],
    /// Unmapped blocks of expandable segments by address.
    unmapped: Vec<(u64, BlockId)>,
    /// How often a free block was looked for, for garbage collection.
    pub searches: u64,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            bins: vec![VecDeque::new(); BINS],
            filled: [0; WORDS],
            unmapped: Vec::new(),
            searches: 0,
        }
    }
}

/// The bin of a size; larger sizes never have an earlier bin.
fn bin(size: u64) -> usize {
    let units = (size / MIN_BLOCK).max(1);
    let power = units.ilog2();
    // The three bits below the highest one.
    let step = if power < STEPS.ilog2() {
        units << (STEPS.ilog2() - power)
    } else {
        units >> (power - STEPS.ilog2())
    } % u64::from(STEPS);
    (power * STEPS) as usize + usize::try_from(step).unwrap_or(0)
}

impl Pool {
    /// Adds a free block.
    pub fn insert(&mut self, id: BlockId, block: &Block) {
        let bin = bin(block.size);
        let place = Place {
            size: block.size,
            address: block.address,
            block: id,
        };
        let places = &mut self.bins[bin];
        let at = position(places, block.size, block.address);
        places.insert(at, place);
        self.filled[bin / 64] |= 1 << (bin % 64);
    }

    /// Takes a free block out. Its size and address must be those it was inserted with.
    pub fn remove(&mut self, id: BlockId, block: &Block) {
        let bin = bin(block.size);
        let at = position(&self.bins[bin], block.size, block.address);
        let found = Found { bin, at, block: id };
        self.take(found);
    }

    /// The free block that fits `size` bytes best: the smallest, of those the one at the lowest
    /// address.
    pub fn best_fit(&self, size: u64) -> Option<Found> {
        let bin = bin(size);
        let places = &self.bins[bin];
        let at = position(places, size, 0);
        if let Some(place) = places.get(at) {
            let block = place.block;
            return Some(Found { bin, at, block });
        }
        let bin = self.next_filled(bin + 1)?;
        let block = self.bins[bin].front()?.block;
        Some(Found { bin, at: 0, block })
    }

    /// Takes a block out that was just found.
    pub fn take(&mut self, found: Found) {
        let places = &mut self.bins[found.bin];
        places.remove(found.at);
        if places.is_empty() {
            self.filled[found.bin / 64] &= !(1 << (found.bin % 64));
        }
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

    /// The free blocks of at least `size` bytes, the best fit first.
    pub fn fitting(&self, size: u64) -> impl Iterator<Item = Found> + '_ {
        let first = bin(size);
        let bins = std::iter::successors(self.next_filled(first), |&bin| self.next_filled(bin + 1));
        bins.flat_map(|bin| {
            let places = self.bins[bin].iter().enumerate();
            places.map(move |(at, place)| {
                (
                    place.size,
                    Found {
                        bin,
                        at,
                        block: place.block,
                    },
                )
            })
        })
        .filter(move |&(found, _)| found >= size)
        .map(|(_, found)| found)
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

/// Where a block of this size and address stands or belongs. That is mostly an end.
fn position(places: &VecDeque<Place>, size: u64, address: u64) -> usize {
    let before = |place: &Place| (place.size, place.address) < (size, address);
    match (places.front(), places.back()) {
        (Some(first), _) if !before(first) => 0,
        (_, Some(last)) if before(last) => places.len(),
        _ => places.partition_point(before),
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
