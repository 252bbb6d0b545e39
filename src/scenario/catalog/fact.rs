//! A number with where it comes from.

use crate::units::names;

names! {
    /// How a number came about.
    Confidence {
        /// Read from the thing itself.
        Measured = "measured",
        /// Follows from something measured or documented.
        Derived = "derived",
        /// A reasonable guess.
        Assumed = "assumed",
    }
}

/// A value, its source and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact<T> {
    /// The value.
    pub value: T,
    /// How it came about.
    pub confidence: Confidence,
    /// The publication, or the measurement.
    pub source: &'static str,
}

impl<T> Fact<T> {
    /// A value read from the thing itself.
    pub const fn measured(value: T, source: &'static str) -> Self {
        Self {
            value,
            confidence: Confidence::Measured,
            source,
        }
    }

    /// A value that follows from something measured or documented.
    pub const fn derived(value: T, source: &'static str) -> Self {
        Self {
            value,
            confidence: Confidence::Derived,
            source,
        }
    }

    /// A reasonable guess.
    pub const fn assumed(value: T, source: &'static str) -> Self {
        Self {
            value,
            confidence: Confidence::Assumed,
            source,
        }
    }
}
