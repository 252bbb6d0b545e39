//! The log-normal distribution with a mean and a 95th percentile that ends at the longest.

use super::normal::below;
use crate::ask::LengthShape;

/// The share of samples that are not longer than p95.
const P95: f64 = 0.95;
/// Standard deviations of logarithms that are looked at, with what lies between them: beyond the last the mean
/// is below any that a p95 of twice a token leaves.
const WIDTHS: u32 = 400;
const STEP: f64 = 0.01;
/// Halvings, each of which gives a binary digit.
const HALVINGS: u32 = 60;

/// A log-normal distribution cut at the longest length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LogNormal {
    /// Mean and standard deviation of the logarithms before it was cut.
    center: f64,
    width: f64,
    /// Logarithm of the longest.
    end: f64,
}

impl LogNormal {
    /// The one with three numbers. Of those with the same mean the narrowest; where there is none, since p95 is
    /// too many times the mean, the one whose mean is least.
    pub(super) fn of(shape: &LengthShape) -> Self {
        let end = (shape.longest.max(2) as f64).ln();
        let mean = shape.mean as f64;
        let of_width = |width: f64| Self::with_p95(shape.p95 as f64, end, width);
        let widths = (1..=WIDTHS).map(|step| f64::from(step) * STEP);
        let mut best = (f64::INFINITY, STEP);
        for width in widths {
            let found = of_width(width).mean();
            if found < best.0 {
                best = (found, width);
            }
            if found <= mean {
                break;
            }
        }
        // Between the width before and this one the mean is met.
        let (mut narrow, mut wide) = ((best.1 - STEP).max(STEP / 100.0), best.1);
        if best.0 <= mean {
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(narrow, wide);
                if of_width(middle).mean() > mean {
                    narrow = middle;
                } else {
                    wide = middle;
                }
            }
        }
        of_width(wide)
    }

    /// The one of a width that has 95 % up to `p95`.
    fn with_p95(p95: f64, end: f64, width: f64) -> Self {
        let of_center = |center| Self { center, width, end };
        let p95 = p95.ln();
        // More of it is below p95 the lower its center is.
        let (mut low, mut high) = (p95 - 10.0 * width, p95 + 30.0 * width);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if of_center(middle).up_to(p95) > P95 {
                low = middle;
            } else {
                high = middle;
            }
        }
        of_center(f64::midpoint(low, high))
    }

    fn up_to(&self, logarithm: f64) -> f64 {
        let share = |at: f64| below((at - self.center) / self.width);
        if logarithm >= self.end {
            1.0
        } else {
            share(logarithm) / share(self.end)
        }
    }

    /// The share of samples that are at most `length` tokens long.
    pub(super) fn at_most(&self, length: u64) -> f64 {
        if length == 0 {
            return 0.0;
        }
        self.up_to((length as f64).ln())
    }

    /// Its mean: exp(m + s²/2) Φ(z - s) / Φ(z), with z the end in standard deviations.
    fn mean(&self) -> f64 {
        let end = (self.end - self.center) / self.width;
        let whole = (self.center + self.width * self.width / 2.0).exp();
        whole * below(end - self.width) / below(end)
    }
}

/// Three numbers as a distribution can have them, which are these where one does: the longest above p95, p95
/// above the mean, and the mean as near p95 as it must be.
pub fn nearest_shape(shape: &LengthShape) -> LengthShape {
    let mean = shape.mean.max(1);
    let p95 = shape.p95.max(mean + 1);
    let longest = shape.longest.max(p95 + 1);
    let asked = LengthShape { mean, p95, longest };
    let found = LogNormal::of(&asked).mean();
    let near = (found - mean as f64).abs() <= 0.5 + mean as f64 / 1000.0;
    LengthShape {
        mean: if near { mean } else { rounded(found) },
        ..asked
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a length in tokens, as far as it goes"
)]
fn rounded(length: f64) -> u64 {
    length.ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [[u64; 3]; 5] = [
        [412, 1800, 8192],
        [600, 1500, 4096],
        [1600, 2000, 2048],
        [1900, 2000, 2048],
        [80, 300, 100_000],
    ];

    #[test]
    fn it_has_the_three_numbers() {
        for [mean, p95, longest] in SHAPES {
            let shape = LengthShape { mean, p95, longest };
            let found = LogNormal::of(&shape);
            let off = (found.mean() / mean as f64 - 1.0).abs();
            assert!(off < 2e-3, "{shape:?}: {}", found.mean());
            assert!((found.at_most(p95) - P95).abs() < 1e-6, "{shape:?}");
            assert!(found.at_most(longest - 1) < 1.0 && found.at_most(longest) >= 1.0);
        }
    }

    #[test]
    fn its_mean_is_that_of_what_it_says() {
        for [mean, p95, longest] in SHAPES {
            let found = LogNormal::of(&LengthShape { mean, p95, longest });
            // The mean of whole lengths, each of which covers half a token on both sides.
            let half = |twice: u64| found.up_to((twice as f64 / 2.0).ln());
            let ends = (0..=longest).map(|length| {
                let share = half(2 * length + 1)
                    - if length > 0 {
                        half(2 * length - 1)
                    } else {
                        0.0
                    };
                length as f64 * share
            });
            let off = ends.sum::<f64>() / mean as f64 - 1.0;
            assert!(off.abs() < 3e-3, "{mean} {p95} {longest}: {off}");
        }
    }

    #[test]
    fn numbers_that_no_distribution_has_become_the_nearest() {
        let of = |mean, p95, longest| nearest_shape(&LengthShape { mean, p95, longest });
        let whole = of(412, 1800, 8192);
        assert_eq!((whole.mean, whole.p95, whole.longest), (412, 1800, 8192));
        let equal = of(100, 100, 100);
        assert_eq!((equal.mean, equal.p95, equal.longest), (100, 101, 102));
        // p95 of a log-normal distribution is at most 3.87 times its mean.
        let wide = of(100, 1000, 1_000_000);
        assert!((250..270).contains(&wide.mean), "{}", wide.mean);
    }
}
