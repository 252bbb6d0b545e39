//! How long samples are.

use super::fit::LogNormal;
use crate::ask::{SampleLengths, Scenario};

/// The distribution of the lengths of samples, none longer than `seq_len`.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    kind: Kind,
    /// The longest that there are: the data's, or `seq_len` that longer ones are cut to.
    longest: u64,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Lengths, each with how many samples are at most that long.
    Listed(Vec<[u64; 2]>),
    Shaped(LogNormal),
}

impl Samples {
    /// The samples of a scenario that has their lengths.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let asked = scenario.dataset.lengths.as_ref()?;
        let kind = match asked {
            SampleLengths::Counted(pairs) => {
                let up_to = pairs.iter().scan(0_u64, |sum, [length, count]| {
                    *sum = sum.saturating_add(*count);
                    Some([*length, *sum])
                });
                Kind::Listed(up_to.collect())
            }
            SampleLengths::Shape(shape) => Kind::Shaped(LogNormal::of(shape)),
        };
        let longest = asked.longest().min(scenario.seq_len);
        (longest > 0).then_some(Self { kind, longest })
    }

    /// The longest sample's length in tokens.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// How many samples were listed, if they were.
    pub fn listed(&self) -> Option<u64> {
        match &self.kind {
            Kind::Listed(up_to) => up_to.last().map(|[_, count]| *count),
            Kind::Shaped(_) => None,
        }
    }

    /// The share of samples that are at most `length` tokens long.
    pub fn at_most(&self, length: u64) -> f64 {
        if length >= self.longest {
            return 1.0;
        }
        match &self.kind {
            Kind::Listed(up_to) => {
                let shorter = up_to.partition_point(|[of, _]| *of <= length);
                let count = |at: usize| up_to.get(at).map_or(0, |[_, count]| *count);
                let seen = shorter.checked_sub(1).map_or(0, count);
                seen as f64 / self.listed().unwrap_or(1).max(1) as f64
            }
            Kind::Shaped(distribution) => distribution.at_most(length),
        }
    }
}
