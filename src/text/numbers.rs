//! Numbers for people: three significant digits, and parts that add up to the printed total.

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

/// A unit and a number of decimals that the numbers of one context share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Bytes of one unit.
    pub unit_bytes: u64,
    /// The unit's name.
    pub unit: &'static str,
    /// Digits after the decimal point.
    pub decimals: usize,
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
    /// The scale in which `largest` has three significant digits.
    pub fn new(largest: Bytes, units: ByteUnits) -> Self {
        let table = units.table();
        let (unit_bytes, unit) = table
            .into_iter()
            .find(|(size, _)| largest.get() >= *size)
            .unwrap_or(table[4]);
        let mut scale = Self {
            unit_bytes,
            unit,
            decimals: 0,
        };
        scale.decimals = scale.own_decimals(largest);
        scale
    }

    /// The scale of the same unit in which `largest` has three significant digits.
    pub fn up_to(self, largest: Bytes) -> Self {
        Self {
            decimals: self.own_decimals(largest),
            ..self
        }
    }

    /// A count in this scale, without the unit: `71.3`.
    pub fn number(self, bytes: Bytes) -> String {
        let value = bytes.get() as f64 / self.unit_bytes as f64;
        format!("{value:.*}", self.decimals)
    }

    /// A count in this scale with the unit: `71.3 GiB`.
    pub fn amount(self, bytes: Bytes) -> String {
        format!("{}\u{a0}{}", self.number(bytes), self.unit)
    }

    /// A count in this scale's unit, with decimals for three digits where it is smaller than what
    /// the scale was made for: `2.87` of `128`.
    pub fn finer(self, bytes: Bytes) -> String {
        let value = bytes.get() as f64 / self.unit_bytes as f64;
        format!("{value:.*}", self.own_decimals(bytes))
    }

    /// Decimals that give a count three digits in this scale's unit.
    fn own_decimals(self, bytes: Bytes) -> usize {
        if self.unit_bytes == 1 {
            return 0;
        }
        decimals_for_three_digits(bytes.get() as f64 / self.unit_bytes as f64)
    }

    /// As [`Self::finer`], with the unit.
    pub fn finer_amount(self, bytes: Bytes) -> String {
        format!("{}\u{a0}{}", self.finer(bytes), self.unit)
    }

    /// What lies between two counts, with the unit, so that it is also what lies between the
    /// numbers that are printed for them.
    pub fn between(self, smaller: Bytes, larger: Bytes) -> String {
        let decimals = self.decimals.min(self.own_decimals(larger));
        let tick = 10f64.powi(-i32::try_from(decimals).unwrap_or(0));
        let ticks = |bytes: Bytes| (bytes.get() as f64 / self.unit_bytes as f64 / tick).round();
        let printed = ticks(larger) - ticks(smaller);
        if printed < 1.0 {
            return self.finer_amount(larger - smaller);
        }
        format!("{:.decimals$}\u{a0}{}", printed * tick, self.unit)
    }

    /// `parts` in this scale, rounded so that the printed numbers add up to the printed `total`.
    /// A part too small to be printed is `<0.1`.
    pub fn parts(self, parts: &[Bytes], total: Bytes) -> Vec<String> {
        let step = self.unit_bytes as f64 / 10f64.powi(i32::try_from(self.decimals).unwrap_or(0));
        let exact: Vec<f64> = parts.iter().map(|p| p.get() as f64 / step).collect();
        let mut ticks: Vec<f64> = exact.iter().map(|v| v.floor()).collect();
        let missing = (total.get() as f64 / step).round() - ticks.iter().sum::<f64>();
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by(|&a, &b| (exact[b] - ticks[b]).total_cmp(&(exact[a] - ticks[a])));
        for (n, &at) in order.iter().enumerate() {
            if (n as f64) < missing {
                ticks[at] += 1.0;
            }
        }
        let unit = step / self.unit_bytes as f64;
        ticks
            .iter()
            .zip(parts)
            .map(|(&t, part)| {
                if t == 0.0 && part.get() > 0 {
                    format!("<{unit:.*}", self.decimals)
                } else {
                    format!("{:.*}", self.decimals, t * unit)
                }
            })
            .collect()
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
    fn what_is_left_agrees_with_what_is_printed() {
        let scale = Scale {
            unit_bytes: 100,
            unit: "x",
            decimals: 1,
        };
        assert_eq!(scale.number(Bytes(7_134)), "71.3");
        assert_eq!(scale.number(Bytes(7_915)), "79.2");
        assert_eq!(scale.between(Bytes(7_134), Bytes(7_915)), "7.9\u{a0}x");
        assert_eq!(scale.between(Bytes(7_915), Bytes(7_916)), "0.01\u{a0}x");
    }

    #[test]
    fn a_bar_is_printed_in_the_unit_of_its_capacity() {
        let of_capacity = Scale::new(Bytes::gib(80), ByteUnits::Binary);
        let digits = |total: Bytes| of_capacity.up_to(total).number(total);
        assert_eq!(digits(Bytes::gib(12_534)), "12534");
        assert_eq!(digits(Bytes::mib(512)), "0.50");
    }

    #[test]
    fn printed_parts_add_up_to_the_printed_total() {
        let parts = [
            Bytes(1_049),
            Bytes(2_049),
            Bytes(3_049),
            Bytes(3),
            Bytes(95_000),
        ];
        let total = parts.iter().copied().sum();
        let scale = Scale {
            unit_bytes: 1000,
            unit: "kB",
            decimals: 1,
        };
        let printed = scale.parts(&parts, total);
        let sum: f64 = printed.iter().filter_map(|p| p.parse::<f64>().ok()).sum();
        assert_eq!(format!("{sum:.1}"), scale.number(total));
        assert_eq!(printed[3], "<0.1");
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
