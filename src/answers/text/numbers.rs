//! Numbers for people: three significant digits, the same ones wherever a number stands.

use super::Language;
use crate::units::{Bytes, names};

names! {
    /// How byte counts are written.
    ByteUnits {
        /// Powers of 1024: GiB.
        Binary = "GiB",
        /// Powers of 1000: GB.
        Decimal = "GB",
    }
}

/// A unit that the numbers of one context share. It holds no digits: a number has the same ones wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Bytes of one unit.
    pub unit_bytes: u64,
    /// The unit's name.
    pub unit: &'static str,
}

impl ByteUnits {
    const fn table(self) -> [(u64, &'static str); 5] {
        match self {
            Self::Binary => [
                (1 << 40, "TiB"),
                (1 << 30, "GiB"),
                (1 << 20, "MiB"),
                (1 << 10, "KiB"),
                (1, "B"),
            ],
            Self::Decimal => [
                (1_000_000_000_000, "TB"),
                (1_000_000_000, "GB"),
                (1_000_000, "MB"),
                (1_000, "kB"),
                (1, "B"),
            ],
        }
    }
}

impl Scale {
    /// The largest unit that `largest` has one of.
    pub fn new(largest: Bytes, units: ByteUnits) -> Self {
        let table = units.table();
        let (unit_bytes, unit) = table
            .into_iter()
            .find(|(size, _)| largest.get() >= *size)
            .unwrap_or(table[4]);
        Self { unit_bytes, unit }
    }

    /// A count in this unit, without its name: `128`, `71.3`, `2.87`. It is rounded by itself, whatever it stands
    /// beside, so that a column adds up to its total only within the last digit. A count too small to be printed is
    /// `<0.01`.
    pub fn number(self, bytes: Bytes) -> String {
        let value = bytes.get() as f64 / self.unit_bytes as f64;
        let decimals = match self.unit_bytes {
            1 => 0,
            _ => decimals_for_three_digits(value),
        };
        if value > 0.0 && value < 0.005 {
            return "<0.01".to_owned();
        }
        format!("{value:.decimals$}")
    }

    /// A count in this unit with its name: `71.3 GiB`.
    pub fn amount(self, bytes: Bytes) -> String {
        format!("{}\u{a0}{}", self.number(bytes), self.unit)
    }
}

/// Decimals that give a number three digits once it is rounded.
fn decimals_for_three_digits(value: f64) -> usize {
    match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    }
}

/// A number with three significant digits, of small ones at most six decimals: `0.181`.
pub(super) fn three_digits(value: f64) -> String {
    const MOST: usize = 6;
    let (mut decimals, mut rest) = (decimals_for_three_digits(value), value);
    while rest > 0.0 && rest < 0.995 && decimals < MOST {
        rest *= 10.0;
        decimals += 1;
    }
    format!("{value:.decimals$}")
}

/// A byte count on its own: `71.3 GiB`.
pub fn amount(bytes: Bytes, units: ByteUnits) -> String {
    Scale::new(bytes, units).amount(bytes)
}

/// The change from one byte count to another, with its sign: `+4.10 GiB`.
pub fn difference(from: Bytes, to: Bytes, units: ByteUnits) -> String {
    let (sign, size) = if to >= from {
        ('+', to - from)
    } else {
        ('\u{2212}', from - to)
    };
    format!("{sign}{}", amount(size, units))
}

/// Every digit of an integer, in groups of three: `76,560,000,000`.
pub fn exact(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes to the last digit: `76,560,000,000 bytes`.
pub fn exact_bytes(bytes: Bytes, language: Language) -> String {
    let digits = exact(bytes.get());
    match language {
        Language::English => format!("{digits} bytes"),
        Language::Chinese => format!("{digits} 字节"),
    }
}

/// A count with three significant digits: `1.54B`, `256`.
pub fn count(value: u64) -> String {
    let (size, suffix) = match value {
        0..1_000 => return value.to_string(),
        1_000..1_000_000 => (1e3, "k"),
        1_000_000..1_000_000_000 => (1e6, "M"),
        1_000_000_000..1_000_000_000_000 => (1e9, "B"),
        _ => (1e12, "T"),
    };
    let scaled = value as f64 / size;
    let decimals = decimals_for_three_digits(scaled);
    format!("{scaled:.decimals$}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::GIB;

    #[test]
    fn a_count_has_three_significant_digits() {
        let gib = |thousandths: u64| Bytes(thousandths * GIB / 1000);
        assert_eq!(amount(gib(71_340), ByteUnits::Binary), "71.3\u{a0}GiB");
        assert_eq!(amount(gib(128_000), ByteUnits::Binary), "128\u{a0}GiB");
        assert_eq!(amount(gib(9_996), ByteUnits::Binary), "10.0\u{a0}GiB");
        assert_eq!(
            amount(Bytes(2_000_000_000), ByteUnits::Decimal),
            "2.00\u{a0}GB"
        );
        assert_eq!(amount(Bytes(512), ByteUnits::Binary), "512\u{a0}B");
        assert_eq!(count(1_543_714_304), "1.54B");
    }

    #[test]
    fn a_number_has_the_same_digits_beside_whatever_it_stands() {
        let sizes = [
            1_u64,
            5,
            700,
            1 << 20,
            575 * GIB / 100,
            57_451 * GIB / 1000,
            12_534 * GIB,
        ];
        for &units in ByteUnits::ALL {
            let mut said = std::collections::BTreeMap::new();
            for largest in sizes {
                let scale = Scale::new(Bytes(largest), units);
                for bytes in sizes.map(Bytes) {
                    let number = scale.number(bytes);
                    let first = said.entry((scale.unit, bytes)).or_insert(number.clone());
                    assert_eq!(*first, number, "{bytes:?} in {} of {largest}", scale.unit);
                }
            }
            let alone = |bytes| Scale::new(bytes, units).amount(bytes);
            assert!(
                sizes
                    .iter()
                    .all(|&of| alone(Bytes(of)) == amount(Bytes(of), units))
            );
        }
    }

    #[test]
    fn a_count_is_printed_in_the_unit_of_another() {
        let of_capacity = Scale::new(Bytes::gib(80), ByteUnits::Binary);
        assert_eq!(of_capacity.number(Bytes::gib(12_534)), "12534");
        assert_eq!(of_capacity.number(Bytes::mib(512)), "0.50");
        assert_eq!(of_capacity.number(Bytes(1)), "<0.01");
        assert_eq!(of_capacity.number(Bytes::ZERO), "0.00");
    }

    #[test]
    fn a_difference_carries_its_sign() {
        let text = difference(Bytes::gib(4), Bytes::gib(2), ByteUnits::Binary);
        assert_eq!(text, "\u{2212}2.00\u{a0}GiB");
    }

    #[test]
    fn exact_digits_come_in_groups_of_three() {
        assert_eq!(exact(0), "0");
        assert_eq!(exact(999), "999");
        assert_eq!(exact(76_560_000_000), "76,560,000,000");
    }
}
