//! How long the batches are that fit, how often longer ones come, and when the first.

use super::solver::Solution;
use crate::ask::Scenario;
use crate::lengths::{Batches, Excess};
use serde::Serialize;

/// Shares of batches whose lengths are said.
const SHARES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// A length that a share of batches does not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantile {
    /// The share.
    pub share: f64,
    /// Tokens of a batch's samples, padded.
    pub length: u64,
}

/// Batches of a scenario that differ in length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LongBatches {
    /// How long batches are.
    pub quantiles: Vec<Quantile>,
    /// The longest that there can be.
    pub longest: u64,
    /// Optimizer steps of an epoch.
    pub steps_per_epoch: u64,
    /// The longest that fits; nothing where none does.
    pub longest_fitting: Option<u64>,
    /// How often batches are longer than that; nothing where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_long: Option<Excess>,
}

/// The lengths of a scenario's batches, where the scenario says how long its samples are; `longest_sequence` is the
/// longest sequence that fits, which [`super::solve`] finds along `seq_len`.
pub fn long_batches(scenario: &Scenario, longest_sequence: &Solution) -> Option<LongBatches> {
    let batches = Batches::of(scenario)?;
    let found = longest_sequence.scenario.as_ref();
    let fitting = found.and_then(|_| longest_sequence.value.as_u64());
    let longest = batches.samples().longest();
    let quantiles = SHARES.map(|share| Quantile {
        share,
        length: batches.padded(batches.quantile(share)),
    });
    Some(LongBatches {
        quantiles: quantiles.to_vec(),
        longest: batches.padded(longest),
        steps_per_epoch: batches.steps(),
        longest_fitting: fitting.map(|fitting| batches.padded(fitting.min(longest))),
        too_long: batches.above(fitting.unwrap_or(0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::decode_json;
    use crate::decide::{Axis, solve};
    use crate::report::estimate;

    fn found(text: &str) -> (Scenario, LongBatches) {
        let (scenario, findings) = decode_json(text);
        assert_eq!(findings, []);
        let axis = Axis::named("seq_len").expect("an axis");
        let solution = solve(&scenario, &axis).expect("a solution");
        let found = long_batches(&scenario, &solution).expect("lengths");
        (scenario, found)
    }

    #[test]
    fn the_longest_batch_that_fits_is_estimated_and_the_rest_is_counted() {
        let (scenario, found) = found(
            r#"{"model": "qwen2.5-0.5b", "precision": "bf16", "micro_batch_size": 8, "seq_len": 16384,
                "dataset": {"lengths": {"mean": 800, "p95": 2500, "longest": 16384}, "rows": 20000},
                "hardware": {"gpu": "rtx-4090"}}"#,
        );
        let fitting = found.longest_fitting.expect("short batches fit");
        assert!((512..16_384).contains(&fitting), "{fitting}");
        let fits = |seq_len| {
            let of = Scenario {
                seq_len,
                ..scenario.clone()
            };
            estimate(&of).expect("an estimate").report.verdict.fits
        };
        assert!(fits(fitting) && !fits(fitting + 1));
        let excess = found.too_long.expect("the longest does not fit");
        assert!(excess.share > 0.0 && excess.share < 1.0);
        assert!((excess.once_in_steps - 1.0 / excess.share).abs() < 1e-6 * excess.once_in_steps);
        assert_eq!(found.steps_per_epoch, 2500);
        let lengths: Vec<u64> = found.quantiles.iter().map(|of| of.length).collect();
        assert!(
            lengths.is_sorted() && lengths[3] <= found.longest,
            "{lengths:?}"
        );
    }

    #[test]
    fn where_the_longest_fits_none_is_too_long() {
        let (_, found) = found(
            r#"{"model": "qwen2.5-0.5b", "seq_len": 256,
                "dataset": {"lengths": [[100, 5], [200, 1]]}, "hardware": {"gpu": "h100-80gb"}}"#,
        );
        assert_eq!((found.longest, found.longest_fitting), (200, Some(200)));
        assert_eq!(found.too_long, None);
    }
}
