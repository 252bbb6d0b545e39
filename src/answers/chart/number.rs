//! Units, and round ticks in them.

use crate::units::Bytes;

/// Units of the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Powers of 1024: KiB, MiB, GiB, TiB.
    #[default]
    Binary,
    /// Powers of 1000: kB, MB, GB, TB.
    Decimal,
}

impl Unit {
    const fn base(self) -> f64 {
        match self {
            Self::Binary => 1024.0,
            Self::Decimal => 1000.0,
        }
    }

    const fn symbols(self) -> [&'static str; 6] {
        match self {
            Self::Binary => ["B", "KiB", "MiB", "GiB", "TiB", "PiB"],
            Self::Decimal => ["B", "kB", "MB", "GB", "TB", "PB"],
        }
    }

    /// The unit that gives `bytes` at most three digits before the point: its size and symbol.
    pub(super) fn prefix(self, bytes: f64) -> (f64, &'static str) {
        let symbols = self.symbols();
        let mut size = 1.0;
        let mut at = 0;
        while bytes / size >= 999.5 && at + 1 < symbols.len() {
            size *= self.base();
            at += 1;
        }
        (size, symbols[at])
    }
}

/// An axis tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where, in bytes.
    pub bytes: f64,
    /// Its text; the topmost carries the unit.
    pub label: String,
}

/// Round ticks from 0 to at most `max`, about `wanted` of them.
pub fn ticks(max: Bytes, wanted: u32, unit: Unit) -> Vec<Tick> {
    let top = max.get() as f64;
    if top <= 0.0 {
        return vec![Tick {
            bytes: 0.0,
            label: "0".to_owned(),
        }];
    }
    let (one, symbol) = unit.prefix(top);
    let step = round_step(top / one / f64::from(wanted.max(1)));
    let decimals = usize::from(step < 1.0) + usize::from(step < 0.1);
    let mut ticks = Vec::new();
    let mut n = 0_u32;
    while f64::from(n) * step * one <= top * (1.0 + 1e-9) {
        let value = f64::from(n) * step;
        ticks.push(Tick {
            bytes: value * one,
            label: if n == 0 {
                "0".to_owned()
            } else {
                format!("{value:.decimals$}")
            },
        });
        n += 1;
    }
    if let Some(last) = ticks.last_mut() {
        last.label = format!("{}\u{a0}{symbol}", last.label);
    }
    ticks
}

/// The smallest of 1, 2, 5 and 10 times a power of ten that is not below `rough`.
fn round_step(rough: f64) -> f64 {
    #[allow(clippy::cast_possible_truncation, reason = "some digits")]
    let power = 10_f64.powi(rough.log10().floor() as i32);
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|f| f * power >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_in_their_unit_and_only_the_last_names_it() {
        let labels = |max, unit| -> Vec<String> {
            ticks(max, 5, unit)
                .into_iter()
                .map(|tick| tick.label)
                .collect()
        };
        assert_eq!(
            labels(Bytes::gib(23), Unit::Binary),
            ["0", "5", "10", "15", "20\u{a0}GiB"]
        );
        assert_eq!(
            labels(Bytes(4_400_000_000), Unit::Decimal),
            ["0", "1", "2", "3", "4\u{a0}GB"]
        );
        assert_eq!(labels(Bytes(0), Unit::Binary), ["0"]);
    }

    #[test]
    fn ticks_never_pass_the_top_and_are_never_many() {
        for bits in 0..50 {
            let max = Bytes((1_u64 << bits) + 3);
            for unit in [Unit::Binary, Unit::Decimal] {
                let ticks = ticks(max, 5, unit);
                assert!(ticks.len() <= 7, "{max:?}: {}", ticks.len());
                assert!(
                    ticks
                        .iter()
                        .all(|t| t.bytes <= max.get() as f64 * 1.000_001)
                );
            }
        }
    }
}
