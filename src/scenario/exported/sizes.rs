//! Sizes: whole numbers, and expressions of symbols.

use serde::{Deserialize, Serialize};

/// A size, or another whole number, as an expression of symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// A number.
    Number(i64),
    /// The symbol with this place in [`super::Graph::symbols`].
    Symbol(u32),
    /// A sum.
    Add(Vec<Size>),
    /// A product.
    Mul(Vec<Size>),
    /// A power.
    Pow(Box<[Size; 2]>),
    /// The least.
    Min(Vec<Size>),
    /// The largest.
    Max(Vec<Size>),
    /// A number rounded down.
    Floor(Box<Size>),
    /// A number rounded up.
    Ceil(Box<Size>),
    /// The rest of a division.
    Mod(Box<[Size; 2]>),
    /// Something else, which is this number where the symbols are those of the example.
    Other(Option<i64>),
}

/// A fraction, by which sizes are computed.
type Fraction = (i128, i128);

/// Beyond this no size is.
const MOST: i128 = 1 << 60;

/// Numbers that may be the exponent of a size.
const POWERS: i128 = 8;

impl Size {
    /// The number that it is where symbols have these values.
    pub fn value(&self, symbols: &[Option<i64>]) -> Option<i64> {
        let (over, under) = self.fraction(symbols)?;
        i64::try_from(over.div_euclid(under)).ok()
    }

    fn fraction(&self, symbols: &[Option<i64>]) -> Option<Fraction> {
        let of = |size: &Self| size.fraction(symbols);
        match self {
            Self::Number(n) => Some((i128::from(*n), 1)),
            Self::Symbol(at) => Some((i128::from((*symbols.get(*at as usize)?)?), 1)),
            Self::Add(all) => all.iter().try_fold((0, 1), |(a, b): Fraction, size| {
                let (c, d) = of(size)?;
                reduced(
                    a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?,
                    b.checked_mul(d)?,
                )
            }),
            Self::Mul(all) => all.iter().try_fold((1, 1), |(a, b): Fraction, size| {
                let (c, d) = of(size)?;
                reduced(a.checked_mul(c)?, b.checked_mul(d)?)
            }),
            Self::Pow(both) => {
                let [(a, b), (power, one)] = [of(&both[0])?, of(&both[1])?];
                if one != 1 || power.abs() > POWERS {
                    return None;
                }
                let times = u32::try_from(power.abs()).ok()?;
                let (a, b) = (a.checked_pow(times)?, b.checked_pow(times)?);
                if power < 0 {
                    reduced(b, a)
                } else {
                    reduced(a, b)
                }
            }
            Self::Min(all) => Self::extreme(all, symbols, |a, b| a < b),
            Self::Max(all) => Self::extreme(all, symbols, |a, b| a > b),
            Self::Floor(size) => of(size).map(|(a, b)| (a.div_euclid(b), 1)),
            Self::Ceil(size) => of(size).map(|(a, b)| (-(-a).div_euclid(b), 1)),
            Self::Mod(both) => {
                let [(a, b), (c, d)] = [of(&both[0])?, of(&both[1])?];
                (b == 1 && d == 1 && c != 0).then(|| (a.rem_euclid(c), 1))
            }
            Self::Other(_) => None,
        }
    }

    fn extreme(
        all: &[Self],
        symbols: &[Option<i64>],
        is_it: impl Fn(i128, i128) -> bool,
    ) -> Option<Fraction> {
        let mut all = all.iter().map(|size| size.fraction(symbols));
        let first = all.next()??;
        all.try_fold(first, |(a, b): Fraction, next| {
            let (c, d) = next?;
            let next_is_it = is_it(c.checked_mul(b)?, a.checked_mul(d)?);
            Some(if next_is_it { (c, d) } else { (a, b) })
        })
    }

    /// Whether a symbol is in it.
    pub fn has(&self, symbol: u32) -> bool {
        match self {
            Self::Number(_) | Self::Other(_) => false,
            Self::Symbol(at) => *at == symbol,
            Self::Add(all) | Self::Mul(all) | Self::Min(all) | Self::Max(all) => {
                all.iter().any(|size| size.has(symbol))
            }
            Self::Pow(both) | Self::Mod(both) => both.iter().any(|size| size.has(symbol)),
            Self::Floor(size) | Self::Ceil(size) => size.has(symbol),
        }
    }
}

fn reduced(over: i128, under: i128) -> Option<Fraction> {
    let (mut a, mut b) = (over.unsigned_abs(), under.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let divisor = i128::try_from(a.max(1)).ok()?;
    let (over, under) = (over / divisor, under / divisor);
    let (over, under) = if under < 0 {
        (-over, -under)
    } else {
        (over, under)
    };
    (under != 0 && over.abs() < MOST && under < MOST).then_some((over, under))
}

/// A size that is decided when the graph is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name, as `s24`.
    pub name: String,
    /// Its value in the example by which the graph was exported.
    pub hint: Option<i64>,
    /// The least and the largest value that it may have.
    pub range: [Option<i64>; 2],
    /// Whether it depends on values of tensors.
    pub unbacked: bool,
}
