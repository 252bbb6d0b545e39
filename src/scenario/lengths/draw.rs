//! Lengths that are drawn, always the same.

use super::Batches;

/// Odd constants of `SplitMix64` (G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators,
/// OOPSLA 2014).
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// The next number of a row that a seed begins.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(GAMMA);
    let z = (*state ^ (*state >> 30)).wrapping_mul(MIX[0]);
    let z = (z ^ (z >> 27)).wrapping_mul(MIX[1]);
    z ^ (z >> 31)
}

impl Batches {
    /// The padded lengths of `count` batches of one rank, drawn by a seed, of at most `different` lengths: lengths near
    /// each other become the longest of them, so that the longest batch is as long and as rare as it was drawn.
    pub fn drawn(&self, count: usize, different: u64, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let share = |state: &mut u64| (next(state) >> 11) as f64 / (1_u64 << 53) as f64;
        let mut lengths: Vec<u64> = (0..count)
            .map(|_| self.padded(self.quantile(share(&mut state))))
            .collect();
        let (Some(&shortest), Some(&longest)) = (lengths.iter().min(), lengths.iter().max()) else {
            return lengths;
        };
        let width = (longest - shortest + 1).div_ceil(different.max(1)).max(1);
        let class = |length: u64| (longest - length) / width;
        let mut sorted = lengths.clone();
        sorted.sort_unstable();
        let kept: Vec<u64> = (sorted.chunk_by(|a, b| class(*a) == class(*b)))
            .filter_map(|near| near.last().copied())
            .collect();
        for length in &mut lengths {
            let at = kept.partition_point(|kept| *kept < *length);
            *length = kept[at];
        }
        lengths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Dataset, LengthShape, SampleLengths, Scenario};

    fn batches() -> Batches {
        let shape = LengthShape {
            mean: 400,
            p95: 1200,
            longest: 4096,
        };
        let scenario = Scenario {
            micro_batch_size: 4,
            seq_len: 4096,
            dataset: Dataset {
                lengths: Some(SampleLengths::Shape(shape)),
                ..Dataset::default()
            },
            ..Scenario::default()
        };
        Batches::of(&scenario).expect("lengths")
    }

    #[test]
    fn numbers_are_those_of_the_generator() {
        // The first of seed 1234567, as published with the generator.
        let mut state = 1_234_567;
        assert_eq!(next(&mut state), 6_457_827_717_110_365_317);
    }

    #[test]
    fn what_is_drawn_follows_the_distribution() {
        let batches = batches();
        let drawn = batches.drawn(4000, u64::MAX, 1);
        for share in [0.1, 0.5, 0.9] {
            let length = batches.quantile(share);
            let seen = drawn.iter().filter(|&&drawn| drawn <= length).count();
            let found = seen as f64 / 4000.0;
            assert!((found - share).abs() < 0.03, "{share}: {found}");
        }
        assert_eq!(drawn, batches.drawn(4000, u64::MAX, 1));
        assert_ne!(drawn, batches.drawn(4000, u64::MAX, 2));
    }

    #[test]
    fn few_different_lengths_are_never_shorter_than_those_drawn() {
        let batches = batches();
        let (all, few) = (batches.drawn(1000, u64::MAX, 7), batches.drawn(1000, 16, 7));
        assert!(all.iter().zip(&few).all(|(all, few)| few >= all));
        assert_eq!(all.iter().max(), few.iter().max());
        let mut different = few;
        different.sort_unstable();
        different.dedup();
        assert!(different.len() <= 16, "{}", different.len());
    }
}
