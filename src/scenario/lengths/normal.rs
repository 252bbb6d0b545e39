//! The standard normal distribution.

use std::f64::consts::PI;

/// From here on down the continued fraction takes fewer terms than the series.
const FAR: f64 = -3.0;
/// Terms of the continued fraction, which has as many digits as a float from [`FAR`] on.
const TERMS: u32 = 80;

/// How probable a number of at most `x` is: below [`FAR`] by Laplace's continued fraction of Mills' ratio,
/// between by the series of G. Marsaglia, Evaluating the Normal Distribution, Journal of Statistical Software 11:4
/// (2004).
pub(super) fn below(x: f64) -> f64 {
    if x > -FAR {
        return 1.0 - below(-x);
    }
    let density = (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
    if x < FAR {
        let ratio = (1..=TERMS)
            .rev()
            .fold(0.0, |rest, term| f64::from(term) / (-x + rest));
        return density / (-x + ratio);
    }
    let (mut sum, mut term, mut odd) = (x, x, 1.0);
    while f64::abs(term) > f64::EPSILON * f64::abs(sum) {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * density
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_tables() {
        // scipy.stats.norm.cdf (scipy 1.14).
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-1.644_853_626_951_472_2, 0.05),
            (2.5, 0.993_790_334_674_223_8),
            (-3.5, 2.326_290_790_355_250_3e-4),
            (-10.0, 7.619_853_024_160_527e-24),
        ] {
            let found = below(x);
            assert!((found / expected - 1.0).abs() < 1e-12, "{x}: {found}");
        }
    }
}
