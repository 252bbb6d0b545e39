//! Copy-on-write: how much of its inherited memory a forked worker copies.
//!
//! # Note [Reading is writing]
//!
//! Reading a Python object writes its reference count, so the page that holds the count is copied
//! into the worker. A worker sees one sample of n = workers x ranks, afresh each epoch. A page
//! stays shared only if none of the objects whose counts lie in it was ever drawn:
//! (1 - 1/n)^(objects in the page x epochs). Small objects (strings, dicts) have one count each,
//! at their start; a list of ints is read through, so a page counts once for each row that reaches
//! into it. Buffers (numpy, torch, Arrow, the pointers of a list) are read without writing.
//!
//! Powers have fractional exponents; they are computed in fixed point so that every platform gives
//! the same bytes.

use super::facts;
use crate::units::Bytes;

/// Objects of one kind and size, made one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObjectGroup {
    /// Bytes of all objects.
    pub total: Bytes,
    /// Bytes of one object (at least 1).
    pub size: u64,
    /// Whether all of an object is written to when it is read, not only its start.
    pub whole: bool,
}

/// 1.0 in fixed point.
const ONE: u64 = 1 << 32;
/// Exponents are counted in this part of 1.
const EXPONENT_ONE: u64 = 1 << 10;
/// Beyond this exponent the result is 0 in fixed point for any number of workers that exists.
const MAX_EXPONENT: u64 = 1 << 40;

/// Bytes of `group` that one of `sharers` workers copies in `epochs` passes.
pub(super) fn growth(group: ObjectGroup, sharers: u64, epochs: u64) -> Bytes {
    if epochs == 0 || group.total == Bytes::ZERO {
        return Bytes::ZERO;
    }
    let size = group.size.max(1);
    let page = facts::PAGE.value;
    let per_page = page.saturating_mul(EXPONENT_ONE) / size;
    // Of an object larger than a page only the page with its start is written to.
    let (exponent, reachable) = if group.whole {
        (per_page.saturating_add(EXPONENT_ONE), ONE)
    } else if size > page {
        (EXPONENT_ONE, share(page, size))
    } else {
        (per_page, ONE)
    };
    let exponent = exponent.saturating_mul(epochs).min(MAX_EXPONENT);
    let copied = ONE - power(sharers.max(1), exponent);
    times(times(group.total, copied), reachable)
}

fn share(part: u64, whole: u64) -> u64 {
    fixed(u128::from(part) * u128::from(ONE) / u128::from(whole))
}

fn times(bytes: Bytes, factor: u64) -> Bytes {
    Bytes(fixed(
        u128::from(bytes.get()) * u128::from(factor) / u128::from(ONE),
    ))
}

fn fixed(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// `(1 - 1/n)^(exponent / EXPONENT_ONE)` in fixed point.
fn power(n: u64, exponent: u64) -> u64 {
    let multiply = |a: u64, b: u64| fixed(u128::from(a) * u128::from(b) / u128::from(ONE));
    let base = share(n - 1, n);
    let mut result = ONE;
    let mut square = base;
    let mut whole = exponent / EXPONENT_ONE;
    while whole > 0 {
        if whole & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        whole >>= 1;
    }
    let mut root = base;
    let mut bit = EXPONENT_ONE / 2;
    while bit > 0 {
        root = square_root(root);
        if exponent & bit != 0 {
            result = multiply(result, root);
        }
        bit /= 2;
    }
    result
}

/// The square root of a fixed-point number up to 1.
fn square_root(value: u64) -> u64 {
    if value >= ONE {
        ONE
    } else {
        (value << 32).isqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_worker_touches_every_page() {
        let strings = ObjectGroup {
            total: Bytes::mib(100),
            size: 300,
            whole: false,
        };
        assert_eq!(growth(strings, 1, 1), Bytes::mib(100));
    }

    #[test]
    fn powers_agree_with_what_a_calculator_says() {
        // 0.75^4.7 = 0.25868, (11/12)^15.5 = 0.25959
        let close = |n, tenths: u64, expected: u64| {
            let got = power(n, tenths * EXPONENT_ONE / 10) * 100_000 / ONE;
            assert!(got.abs_diff(expected) < 20, "{got} for {expected}");
        };
        close(4, 47, 25_868);
        close(12, 155, 25_959);
        close(2, 10, 50_000);
    }

    #[test]
    fn growth_rises_with_epochs_and_falls_with_more_sharers() {
        let group = ObjectGroup {
            total: Bytes::gib(1),
            size: 900,
            whole: false,
        };
        let mut last = Bytes::ZERO;
        for epochs in 0..20 {
            let now = growth(group, 8, epochs);
            assert!(now >= last);
            last = now;
        }
        assert!(growth(group, 16, 1) < growth(group, 4, 1));
        assert!(last <= group.total);
    }

    #[test]
    fn of_a_huge_object_only_the_first_page_is_copied() {
        let documents = ObjectGroup {
            total: Bytes(1_000 * 40_960),
            size: 40_960,
            whole: false,
        };
        assert!(growth(documents, 1, 5).get().abs_diff(1_000 * 4_096) <= 1);
    }

    #[test]
    fn huge_values_saturate() {
        let group = ObjectGroup {
            total: Bytes(u64::MAX),
            size: 0,
            whole: true,
        };
        assert!(growth(group, u64::MAX, u64::MAX) <= Bytes(u64::MAX));
    }
}
