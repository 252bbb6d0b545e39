//! How long batches are that are padded to their longest sample.

use super::Samples;
use crate::ask::Scenario;
use serde::Serialize;

/// The number of a rank's steps whose samples `LengthGroupedSampler` sorts together (`mega_batch_mult` of
/// `get_length_grouped_indices`, `trainer_pt_utils.py`, transformers 5.23).
const SORTED_TOGETHER: u64 = 50;
/// The least number of groups of samples sorted together that a data set has (same source).
const PARTS: u64 = 4;
/// The most samples sorted together whose distribution is added up number by number.
const ADDED_UP: u64 = 1 << 16;

/// The distribution of the length of batches.
#[derive(Clone, Debug, PartialEq)]
pub struct Batches {
    samples: Samples,
    /// Samples of a batch.
    size: u64,
    /// Batches of an optimizer step, over micro-batches and ranks.
    of_step: u64,
    /// Samples of an epoch.
    rows: u64,
    /// Samples that are sorted together by length, if they are.
    sorted: Option<u64>,
    /// Lengths are padded to a multiple of this.
    multiple: u64,
}

/// How often batches are longer than some length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Excess {
    /// The share of batches that are longer.
    pub share: f64,
    /// The number of optimizer steps per longer batch on average, on any of the ranks.
    pub once_in_steps: f64,
    /// The probability of at least one longer batch within an epoch.
    pub in_epoch: f64,
    /// The step at which the first is to be expected.
    pub first_step: f64,
}

impl Batches {
    /// The batches of a scenario that has the lengths of its samples.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let ranks = scenario.parallelism.mesh(&scenario.hardware).dp;
        let samples = Samples::of(scenario)?;
        let size = scenario.micro_batch_size.max(1);
        let rows = scenario.dataset.rows;
        let micro_batches = scenario.gradient_accumulation_steps.max(1);
        let of_rank = size.saturating_mul(micro_batches);
        let times = (rows / of_rank.saturating_mul(PARTS)).clamp(1, SORTED_TOGETHER);
        let sorted = scenario.dataloader.group_by_length;
        Some(Self {
            samples,
            size,
            of_step: micro_batches.saturating_mul(ranks),
            rows,
            sorted: sorted.then(|| of_rank.saturating_mul(times)),
            multiple: scenario.pad_to_multiple_of.unwrap_or(1).max(1),
        })
    }

    /// How long samples are.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Batches of an optimizer step, over micro-batches and ranks.
    pub fn of_step(&self) -> u64 {
        self.of_step
    }

    /// Optimizer steps of an epoch.
    pub fn steps(&self) -> u64 {
        self.rows.div_ceil(self.size.saturating_mul(self.of_step))
    }

    /// The length to which a batch is padded whose longest sample has `length` tokens.
    pub fn padded(&self, length: u64) -> u64 {
        length
            .checked_next_multiple_of(self.multiple)
            .unwrap_or(length)
    }

    /// The share of batches without a sample longer than `length`.
    pub fn at_most(&self, length: u64) -> f64 {
        self.share_at_most(length, self.size)
    }

    /// The share of groups of `size` successive samples without one longer than `length`.
    fn share_at_most(&self, length: u64, size: u64) -> f64 {
        let shorter = self.samples.at_most(length);
        match self.sorted {
            None => power(shorter, size),
            Some(all) => sorted_at_most(1.0 - shorter, size, all.max(size)),
        }
    }

    /// The shortest length that a share of batches does not exceed, before padding.
    pub fn quantile(&self, share: f64) -> u64 {
        let (mut short, mut long) = (0, self.samples.longest());
        while long - short > 1 {
            let middle = u64::midpoint(short, long);
            if self.at_most(middle) < share {
                short = middle;
            } else {
                long = middle;
            }
        }
        long
    }

    /// How often batches have a sample longer than `length`; nothing where none has.
    pub fn above(&self, length: u64) -> Option<Excess> {
        let shorter = self.samples.at_most(length);
        if shorter >= 1.0 {
            return None;
        }
        let share = 1.0 - self.at_most(length);
        // Any batch of a step on any rank.
        let of_step = self.size.saturating_mul(self.of_step);
        let in_step = 1.0 - self.share_at_most(length, of_step);
        let once_in_steps = 1.0 / in_step.max(f64::MIN_POSITIVE);
        let whole = self.samples.listed() == Some(self.rows);
        let in_epoch = if whole {
            1.0
        } else {
            1.0 - power(shorter, self.rows)
        };
        Some(Excess {
            share,
            once_in_steps,
            in_epoch,
            // The batch with the longest sample of all comes first.
            first_step: if self.sorted.is_some() && in_epoch > 0.5 {
                1.0
            } else {
                once_in_steps
            },
        })
    }
}

/// The share of groups of `size` samples without a longer one, where `all` are sorted together and `longer`
/// of all are: with K of these among them, the first ⌈K / size⌉ groups have one.
fn sorted_at_most(longer: f64, size: u64, all: u64) -> f64 {
    if longer <= 0.0 || longer >= 1.0 {
        return 1.0 - longer.clamp(0.0, 1.0);
    }
    let groups = all as f64 / size as f64;
    let none = power(1.0 - longer, all);
    let expected = if all > ADDED_UP {
        // A group that has begun is half of one.
        longer * groups + (1.0 - none) * (size - 1) as f64 / size as f64 / 2.0
    } else {
        // The binomial distribution, from one number of longer samples to the next.
        let odds = (longer / (1.0 - longer)).ln();
        let first = (all as f64 * (-longer).ln_1p(), 0.0);
        let added = (1..=all).fold(first, |(logarithm, sum), count| {
            let logarithm = logarithm + ((all - count + 1) as f64 / count as f64).ln() + odds;
            (
                logarithm,
                sum + logarithm.exp() * count.div_ceil(size) as f64,
            )
        });
        added.1
    };
    1.0 - (expected / groups).min(1.0)
}

/// A share to a whole power, by way of its distance from 1 where it is near.
fn power(share: f64, times: u64) -> f64 {
    ((share - 1.0).ln_1p() * times as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{DataLoader, Dataset, SampleLengths};

    /// Of ten samples nine are of 10 tokens and one of 100.
    fn scenario(size: u64) -> Scenario {
        Scenario {
            micro_batch_size: size,
            seq_len: 4096,
            dataset: Dataset {
                lengths: Some(SampleLengths::Counted(vec![[10, 9], [100, 1]])),
                rows: 1000,
                ..Dataset::default()
            },
            ..Scenario::default()
        }
    }

    fn batches(scenario: &Scenario) -> Batches {
        Batches::of(scenario).expect("lengths")
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} {b}");
    }

    #[test]
    fn the_longest_of_a_batch_is_short_only_where_all_are() {
        let two = batches(&scenario(2));
        near(two.at_most(10), 0.81);
        near(two.at_most(9), 0.0);
        near(two.at_most(100), 1.0);
        assert_eq!(
            [0.5, 0.81, 0.82].map(|share| two.quantile(share)),
            [10, 10, 100]
        );
        let excess = two.above(50).expect("some are longer");
        near(excess.share, 0.19);
        near(excess.once_in_steps, 1.0 / 0.19);
        near(excess.in_epoch, 1.0);
        assert_eq!(two.above(100), None);
        assert_eq!(two.steps(), 500);
    }

    #[test]
    fn a_step_has_the_batches_of_all_micro_batches_and_ranks() {
        let mut of = scenario(2);
        of.gradient_accumulation_steps = 3;
        of.hardware.gpus_per_node = 4;
        let all = Batches::of(&of).expect("lengths");
        assert_eq!((all.of_step(), all.steps()), (12, 42));
        let excess = all.above(10).expect("some are longer");
        near(excess.once_in_steps, 1.0 / (1.0 - 0.81_f64.powi(12)));
    }

    #[test]
    fn samples_are_cut_to_seq_len_and_padded_to_a_multiple() {
        let mut of = scenario(2);
        of.seq_len = 60;
        of.pad_to_multiple_of = Some(64);
        let cut = batches(&of);
        assert_eq!(cut.samples().longest(), 60);
        assert_eq!(cut.quantile(1.0), 60);
        assert_eq!(cut.padded(60), 64);
        near(cut.at_most(60), 1.0);
    }

    #[test]
    fn a_rare_length_is_as_probable_in_an_epoch_as_one_of_its_samples() {
        let mut of = scenario(1);
        of.dataset.lengths = Some(SampleLengths::Counted(vec![[10, 9_999], [100, 1]]));
        near(
            batches(&of).above(50).expect("some").in_epoch,
            1.0 - 0.9999_f64.powi(1000),
        );
        // Where the whole data set is listed, it has one.
        of.dataset.rows = 10_000;
        near(batches(&of).above(50).expect("some").in_epoch, 1.0);
    }

    #[test]
    fn grouped_by_length_fewer_batches_are_long_and_the_longest_comes_first() {
        let mut of = scenario(4);
        let apart = batches(&of);
        of.dataloader = DataLoader {
            group_by_length: true,
            ..DataLoader::default()
        };
        let sorted = batches(&of);
        near(1.0 - apart.at_most(10), 1.0 - 0.9_f64.powi(4));
        // 50 batches of 4 have 20 long samples on average, in 5 batches and about 3 / 8 of one begun.
        let share = 1.0 - sorted.at_most(10);
        assert!((0.105..0.110).contains(&share), "{share}");
        near(sorted.above(10).expect("some").first_step, 1.0);
        near(sorted.at_most(100), 1.0);
    }
}
