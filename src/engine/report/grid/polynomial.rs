//! Whole numbers at cells that are a polynomial in both numbers of a cell, exactly.

use super::Cell;

/// The terms of a polynomial: 1, B, S, BS, S², BS², with B the first number of a cell and S its second.
const TERMS: usize = 6;

/// The terms of a cell.
fn terms(Cell { batch, length }: Cell) -> Option<[i128; TERMS]> {
    let [b, s] = [i128::from(batch), i128::from(length)];
    let squared = s.checked_mul(s)?;
    let of_all = [s, squared].map(|power| b.checked_mul(power));
    Some([1, b, s, of_all[0]?, squared, of_all[1]?])
}

/// A fraction in lowest terms, above a number that is positive. Its operations give none where a number is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    over: i128,
    under: i128,
}

impl Fraction {
    const ZERO: Self = Self::whole(0);
    const ONE: Self = Self::whole(1);

    const fn whole(over: i128) -> Self {
        Self { over, under: 1 }
    }

    fn of(over: i128, under: i128) -> Option<Self> {
        let common = greatest_divisor(over.checked_abs()?, under.checked_abs()?);
        let common = common.checked_mul(under.signum())?;
        Some(Self {
            over: over.checked_div(common)?,
            under: under.checked_div(common)?,
        })
    }

    fn minus_times(self, other: Self, factor: Self) -> Option<Self> {
        let product = other.times(factor)?;
        let over = self.over.checked_mul(product.under)?;
        let less = product.over.checked_mul(self.under)?;
        Self::of(
            over.checked_sub(less)?,
            self.under.checked_mul(product.under)?,
        )
    }

    fn times(self, other: Self) -> Option<Self> {
        let over = self.over.checked_mul(other.over)?;
        Self::of(over, self.under.checked_mul(other.under)?)
    }

    fn over(self, other: Self) -> Option<Self> {
        let over = self.over.checked_mul(other.under)?;
        Self::of(over, self.under.checked_mul(other.over)?)
    }
}

fn greatest_divisor(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// A combination of the terms of some cells, with a term that no other row has.
#[derive(Clone, Debug)]
struct Row {
    terms: [Fraction; TERMS],
    /// How much of each of the cells.
    of: [Fraction; TERMS],
    /// The term that it alone has, once.
    own: usize,
}

impl Row {
    fn minus_times(&mut self, other: &Self, factor: Fraction) -> Option<()> {
        let terms = self.terms.iter_mut().zip(other.terms);
        let of = self.of.iter_mut().zip(other.of);
        for (here, there) in terms.chain(of) {
            *here = here.minus_times(there, factor)?;
        }
        Some(())
    }
}

/// The cells at which a polynomial is known when it is known at some.
#[derive(Clone, Debug, Default)]
pub(super) struct Span {
    rows: Vec<Row>,
    /// The cells that determine it, by their places.
    pub(super) determined_by: Vec<usize>,
}

impl Span {
    /// The span of some cells; `None` where numbers are too large.
    pub(super) fn of(cells: impl Iterator<Item = Cell>) -> Option<Self> {
        let mut span = Self::default();
        for (place, cell) in cells.enumerate() {
            if span.rows.len() == TERMS {
                break;
            }
            span.add(place, cell)?;
        }
        Some(span)
    }

    fn add(&mut self, place: usize, cell: Cell) -> Option<()> {
        let mut row = Row {
            terms: terms(cell)?.map(Fraction::whole),
            of: [Fraction::ZERO; TERMS],
            own: 0,
        };
        row.of[self.rows.len()] = Fraction::ONE;
        for known in &self.rows {
            row.minus_times(known, row.terms[known.own])?;
        }
        let is_there = |term: &Fraction| *term != Fraction::ZERO;
        let Some(own) = row.terms.iter().position(is_there) else {
            return Some(());
        };
        let divisor = row.terms[own];
        row.own = own;
        for number in row.terms.iter_mut().chain(&mut row.of) {
            *number = number.over(divisor)?;
        }
        for known in &mut self.rows {
            known.minus_times(&row, known.terms[own])?;
        }
        self.rows.push(row);
        self.determined_by.push(place);
        Some(())
    }

    /// Whether the known cells determine the polynomial's value at this cell.
    pub(super) fn has(&self, cell: Cell) -> bool {
        let has = || {
            let mut left = terms(cell)?.map(Fraction::whole);
            for row in &self.rows {
                let factor = left[row.own];
                for (left, term) in left.iter_mut().zip(row.terms) {
                    *left = left.minus_times(term, factor)?;
                }
            }
            Some(left == [Fraction::ZERO; TERMS])
        };
        self.rows.len() == TERMS || has() == Some(true)
    }

    /// The polynomial with these values at the cells that determine it.
    pub(super) fn polynomial(&self, values: &[u64]) -> Option<Polynomial> {
        let mut factors = [Fraction::ZERO; TERMS];
        for row in &self.rows {
            let mut factor = Fraction::ZERO;
            for (&of, &value) in row.of.iter().zip(values) {
                factor = factor.minus_times(of, Fraction::whole(-i128::from(value)))?;
            }
            factors[row.own] = factor;
        }
        let under = factors.iter().try_fold(1_i128, |common, factor| {
            let shared = greatest_divisor(common, factor.under);
            common.checked_mul(factor.under / shared)
        })?;
        let mut over = [0; TERMS];
        for (over, factor) in over.iter_mut().zip(factors) {
            *over = factor.over.checked_mul(under / factor.under)?;
        }
        Some(Polynomial { over, under })
    }
}

/// A polynomial in both numbers of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Polynomial {
    over: [i128; TERMS],
    under: i128,
}

impl Polynomial {
    /// Its value at a cell, where that is a size.
    pub(super) fn at(&self, cell: Cell) -> Option<u64> {
        let mut sum = 0_i128;
        for (factor, term) in self.over.iter().zip(terms(cell)?) {
            sum = sum.checked_add(factor.checked_mul(term)?)?;
        }
        if sum % self.under != 0 {
            return None;
        }
        u64::try_from(sum / self.under).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(batch: u64, length: u64) -> Cell {
        Cell { batch, length }
    }

    fn span(cells: &[Cell]) -> Span {
        Span::of(cells.iter().copied()).expect("small numbers")
    }

    #[test]
    fn a_polynomial_is_found_by_its_values() {
        let of = |Cell {
                      batch: b,
                      length: s,
                  }: Cell| 7 + 3 * b + 5 * s * b + b * (s * s + s) / 2;
        let cells = [
            (1, 1),
            (1, 2),
            (2, 1),
            (2, 5),
            (3, 3),
            (9, 7),
            (4, 64),
            (64, 5),
        ];
        let cells = cells.map(|(b, s)| cell(b, s));
        let span = span(&cells);
        let values = span.determined_by.iter().map(|&place| of(cells[place]));
        let values: Vec<u64> = values.collect();
        assert_eq!(values.len(), TERMS);
        let found = span.polynomial(&values).expect("a polynomial");
        for b in 1..=64 {
            for s in 1..=64 {
                assert_eq!(found.at(cell(b, s)), Some(of(cell(b, s))));
            }
        }
    }

    #[test]
    fn cells_of_one_row_say_nothing_of_others() {
        let cells = [cell(1, 3), cell(1, 5), cell(1, 9), cell(1, 11)];
        let span = span(&cells);
        assert_eq!(span.determined_by, [0, 1, 2]);
        assert!(span.has(cell(1, 64)));
        assert!(!span.has(cell(2, 64)));
        let squares = span.polynomial(&[9, 25, 81]).expect("a polynomial");
        assert_eq!(squares.at(cell(1, 64)), Some(4096));
    }

    #[test]
    fn what_is_no_size_is_no_value() {
        let cells = [cell(1, 1), cell(1, 2), cell(1, 3)];
        let halves = span(&cells).polynomial(&[1, 2, 4]).expect("a polynomial");
        assert_eq!(halves.at(cell(1, 4)), Some(7));
        let falling = span(&cells).polynomial(&[2, 1, 0]).expect("a polynomial");
        assert_eq!(falling.at(cell(1, 4)), None);
    }
}
