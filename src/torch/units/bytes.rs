//! Byte counts.

use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// 2^10 bytes.
pub const KIB: u64 = 1 << 10;
/// 2^20 bytes.
pub const MIB: u64 = 1 << 20;
/// 2^30 bytes.
pub const GIB: u64 = 1 << 30;

/// A number of bytes, written as a plain integer in JSON.
///
/// Addition saturates instead of wrapping: `resolve::resolve` checks limits long before that, and a
/// saturated total can only say "does not fit".
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// Zero bytes.
    pub const ZERO: Self = Self(0);

    /// `n` KiB.
    pub const fn kib(n: u64) -> Self {
        Self(n * KIB)
    }

    /// `n` MiB.
    pub const fn mib(n: u64) -> Self {
        Self(n * MIB)
    }

    /// `n` GiB.
    pub const fn gib(n: u64) -> Self {
        Self(n * GIB)
    }

    /// The count as an integer.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The count in GiB, for people and drawings.
    pub fn as_gib(self) -> f64 {
        self.0 as f64 / GIB as f64
    }

    /// This many bytes rounded up to a multiple of `unit` bytes.
    pub const fn round_up(self, unit: u64) -> Self {
        Self(self.0.div_ceil(unit).saturating_mul(unit))
    }

    /// Rounded up to a power of two; nothing stays nothing.
    pub const fn power_of_two_ceil(self) -> Self {
        match (self.0, self.0.checked_next_power_of_two()) {
            (0, _) => Self::ZERO,
            (_, Some(rounded)) => Self(rounded),
            (_, None) => Self(u64::MAX),
        }
    }

    /// These bytes, `count` times.
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// `self - other`, or zero when `other` is larger.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Bytes {
    type Output = Self;
    /// Never below zero.
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_goes_up_to_the_next_block() {
        assert_eq!(Bytes(1).round_up(512), Bytes(512));
        assert_eq!(Bytes(512).round_up(512), Bytes(512));
        assert_eq!(Bytes(0).round_up(512), Bytes(0));
    }

    #[test]
    fn powers_of_two_are_the_next_ones_above() {
        assert_eq!(Bytes(115_200).power_of_two_ceil(), Bytes(131_072));
        assert_eq!(Bytes(131_072).power_of_two_ceil(), Bytes(131_072));
        assert_eq!(Bytes(0).power_of_two_ceil(), Bytes(0));
        assert_eq!(Bytes(u64::MAX).power_of_two_ceil(), Bytes(u64::MAX));
    }

    #[test]
    fn a_difference_never_goes_below_zero() {
        assert_eq!(Bytes(1) - Bytes(2), Bytes::ZERO);
    }
}
