//! Runs that do the same with storages of other bytes.

use super::Cell;
use super::alone::Alone;
use super::polynomial::{Polynomial, Span};
use crate::sim::Trace;
use std::collections::BTreeMap;

/// Runs of several cells that differ in the bytes of their storages alone.
///
/// Storages with the same bytes in each of these runs are of one kind; there are some 40 kinds.
pub(super) struct Structure {
    /// The run of the first cell.
    pub(super) trace: Trace,
    /// The kind of each storage that is written.
    kinds: Vec<u32>,
    /// The runs that are known.
    seen: Vec<Seen>,
    /// The places of those, by their cells.
    places: BTreeMap<Cell, usize>,
    /// The bytes of each kind at cells that are not known; empty before [`Structure::fit`].
    laws: Vec<Option<Law>>,
    is_polynomial: Vec<bool>,
    /// The operations that take bytes of their own, each with the bytes of its storages by number of tokens.
    alone: Vec<(Alone, BTreeMap<u64, Vec<u64>>)>,
    /// Whether they were looked for.
    was_looked_for: bool,
    span: Span,
}

/// A run that is known.
struct Seen {
    cell: Cell,
    /// The bytes of each kind.
    bytes: Vec<u64>,
}

/// The bytes of storages of one kind.
enum Law {
    /// A polynomial in both numbers.
    Polynomial(Polynomial),
    /// The bytes of the storage `place` of operation `operation`, which is run alone for the cell's tokens.
    Alone { operation: usize, place: usize },
    /// A function of the number of tokens in a batch, as far as it is known.
    OfTokens(BTreeMap<u64, u64>),
    /// A function of the sequence length.
    OfLength(BTreeMap<u64, u64>),
}

/// Number of runs that have to confirm a polynomial, beyond the runs that determine it.
const CONFIRMING: usize = 4;

impl Structure {
    /// The structure of a run.
    pub(super) fn of(cell: Cell, trace: Trace) -> Self {
        let mut known = BTreeMap::new();
        let mut bytes = Vec::new();
        let storages = trace.record.written().iter();
        let kinds = storages.map(|storage| {
            *known.entry(storage.bytes).or_insert_with(|| {
                bytes.push(storage.bytes);
                number(bytes.len() - 1)
            })
        });
        let kinds = kinds.collect();
        Self {
            trace,
            kinds,
            seen: vec![Seen { cell, bytes }],
            places: BTreeMap::from([(cell, 0)]),
            laws: Vec::new(),
            is_polynomial: Vec::new(),
            alone: Vec::new(),
            was_looked_for: false,
            span: Span::default(),
        }
    }

    /// Whether a run has this structure.
    pub(super) fn is_of(&self, trace: &Trace) -> bool {
        let own = &self.trace;
        let counts = |of: &Trace| (of.num_parameters, of.num_trainable, of.begins_loaded);
        own.program == trace.program
            && own.marks == trace.marks
            && counts(own) == counts(trace)
            && own.record.differs_in_bytes_only(&trace.record)
    }

    /// Takes in another run of this structure.
    pub(super) fn add(&mut self, cell: Cell, trace: &Trace) {
        let mut bytes: Vec<Option<u64>> = vec![None; self.kind_count()];
        let mut split = BTreeMap::new();
        for (kind, storage) in self.kinds.iter_mut().zip(trace.record.written().iter()) {
            let known = bytes[*kind as usize].get_or_insert(storage.bytes);
            if *known == storage.bytes {
                continue;
            }
            // It was like the others so far.
            let before = *kind;
            *kind = *split.entry((before, storage.bytes)).or_insert_with(|| {
                for seen in &mut self.seen {
                    seen.bytes.push(seen.bytes[before as usize]);
                }
                bytes.push(Some(storage.bytes));
                number(bytes.len() - 1)
            });
        }
        let bytes = bytes.into_iter().map(Option::unwrap_or_default).collect();
        self.places.insert(cell, self.seen.len());
        self.seen.push(Seen { cell, bytes });
    }

    /// How many kinds there are.
    pub(super) fn kind_count(&self) -> usize {
        self.seen.first().map_or(0, |seen| seen.bytes.len())
    }

    /// The kind of a storage, by where it is written.
    pub(super) fn kind(&self, stored: usize) -> Option<usize> {
        self.kinds.get(stored).map(|&kind| kind as usize)
    }

    /// The cell of the first run.
    pub(super) fn first_cell(&self) -> Cell {
        self.seen[0].cell
    }

    /// The bytes of each kind in the first run.
    pub(super) fn first_bytes(&self) -> &[u64] {
        &self.seen[0].bytes
    }

    /// Looks for the law of each kind, by which bytes will be asked for of cells with these numbers of tokens.
    /// `candidates` are the operations that can have made those without a polynomial; it is called where there are some.
    pub(super) fn fit(
        &mut self,
        tokens: &(impl Iterator<Item = u64> + Clone),
        candidates: impl FnOnce(&Self) -> Vec<Alone>,
    ) {
        let Some(span) = Span::of(self.seen.iter().map(|seen| seen.cell)) else {
            return;
        };
        self.span = span;
        let kinds = 0..self.kind_count();
        let mut laws: Vec<Option<Law>> = kinds.map(|kind| self.polynomial(kind)).collect();
        self.is_polynomial = laws.iter().map(Option::is_some).collect();
        if self.is_confirmed() && laws.iter().any(Option::is_none) {
            if !self.was_looked_for {
                self.was_looked_for = true;
                let candidates = candidates(self).into_iter();
                let likely = candidates.filter(|alone| self.is_likely(alone));
                self.alone = likely.map(|alone| (alone, BTreeMap::new())).collect();
            }
            let seen: Vec<u64> = self.seen.iter().map(|seen| seen.cell.tokens()).collect();
            for (alone, table) in &mut self.alone {
                fill(table, alone, seen.iter().copied());
            }
            for (kind, law) in laws.iter_mut().enumerate() {
                if law.is_none() {
                    *law = self.alone(kind);
                }
            }
            for law in laws.iter().flatten() {
                if let Law::Alone { operation, .. } = law {
                    let (alone, table) = &mut self.alone[*operation];
                    fill(table, alone, tokens.clone());
                }
            }
        }
        self.laws = laws;
    }

    /// The written places of storages whose bytes are no polynomial, one for each kind.
    pub(super) fn without_polynomial(&self) -> impl Iterator<Item = usize> {
        let kinds = self.is_polynomial.iter().enumerate();
        let kinds = kinds.filter(|(_, is_polynomial)| !**is_polynomial);
        kinds.filter_map(|(kind, _)| self.kinds.iter().position(|&of| of as usize == kind))
    }

    /// Whether an operation takes the bytes of a kind without a polynomial in the first run and in the last one.
    fn is_likely(&self, alone: &Alone) -> bool {
        let [Some(first), Some(last)] = [self.seen.first(), self.seen.last()] else {
            return false;
        };
        let [in_first, in_last] = [first, last].map(|seen| alone.bytes(seen.cell.tokens()));
        let kinds = (0..self.kind_count()).filter(|&kind| !self.is_polynomial[kind]);
        let takes = |kind: usize| {
            let mut both = in_first.iter().zip(&in_last);
            both.any(|(one, other)| [*one, *other] == [first.bytes[kind], last.bytes[kind]])
        };
        kinds.into_iter().any(takes)
    }

    /// Whether there are runs enough to confirm a law.
    pub(super) fn is_confirmed(&self) -> bool {
        self.seen.len() >= self.span.determined_by.len() + CONFIRMING
    }

    fn polynomial(&self, kind: usize) -> Option<Law> {
        let determined = self.span.determined_by.iter();
        let values: Vec<u64> = determined.map(|&at| self.seen[at].bytes[kind]).collect();
        let polynomial = self.span.polynomial(&values)?;
        let holds = |seen: &Seen| polynomial.at(seen.cell) == Some(seen.bytes[kind]);
        (self.is_confirmed() && self.seen.iter().all(holds)).then_some(Law::Polynomial(polynomial))
    }

    /// The operation that takes the bytes of a kind in all known runs; else the bytes by tokens or by length, where no
    /// known run contradicts.
    fn alone(&self, kind: usize) -> Option<Law> {
        let takes = |table: &BTreeMap<u64, Vec<u64>>, place: usize| {
            let takes = |seen: &Seen| table.get(&seen.cell.tokens())?.get(place).copied();
            (self.seen.iter()).all(|seen| takes(seen) == Some(seen.bytes[kind]))
        };
        for (operation, (_, table)) in self.alone.iter().enumerate() {
            let first = table.get(&self.first_cell().tokens());
            let places = first.map_or(0, Vec::len);
            if let Some(place) = (0..places).find(|&place| takes(table, place)) {
                return Some(Law::Alone { operation, place });
            }
        }
        let of = |key: fn(Cell) -> u64| {
            let mut known = BTreeMap::new();
            for seen in &self.seen {
                let bytes = seen.bytes[kind];
                if *known.entry(key(seen.cell)).or_insert(bytes) != bytes {
                    return None;
                }
            }
            (self.seen.len() >= known.len() + CONFIRMING).then_some(known)
        };
        let of_length = || of(|cell| cell.length).map(Law::OfLength);
        of(Cell::tokens).map(Law::OfTokens).or_else(of_length)
    }

    /// The bytes of each kind at a cell that has this structure; `None` where they are not known for sure.
    pub(super) fn bytes_at(&self, cell: Cell) -> Option<Vec<u64>> {
        if let Some(&seen) = self.places.get(&cell) {
            return Some(self.seen[seen].bytes.clone());
        }
        if self.laws.is_empty() || !self.span.has(cell) {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.laws.len());
        for law in &self.laws {
            let of_kind = match law.as_ref()? {
                Law::Polynomial(polynomial) => polynomial.at(cell)?,
                Law::Alone { operation, place } => {
                    let (_, table) = &self.alone[*operation];
                    *table.get(&cell.tokens())?.get(*place)?
                }
                Law::OfTokens(known) => *known.get(&cell.tokens())?,
                Law::OfLength(known) => *known.get(&cell.length)?,
            };
            // A storage without bytes is not recorded.
            if of_kind == 0 {
                return None;
            }
            bytes.push(of_kind);
        }
        Some(bytes)
    }

    /// Whether all storages of a run have the predicted bytes.
    pub(super) fn foretells(&self, cell: Cell, trace: &Trace) -> bool {
        let Some(bytes) = self.bytes_at(cell) else {
            return true;
        };
        let mut both = self.kinds.iter().zip(trace.record.written().iter());
        both.all(|(&kind, storage)| bytes[kind as usize] == storage.bytes)
    }

    /// The run with these bytes of each kind.
    pub(super) fn resized(&self, bytes: &[u64]) -> Trace {
        let sizes = self.kinds.iter();
        let sizes = sizes.map(|&kind| bytes.get(kind as usize).copied().unwrap_or(0));
        let own = &self.trace;
        Trace {
            record: own.record.with_bytes(sizes),
            program: own.program.clone(),
            marks: own.marks.clone(),
            begins_loaded: own.begins_loaded,
            ..Trace::default()
        }
    }
}

/// Adds the bytes that an operation takes for some numbers of tokens to `table`.
fn fill(table: &mut BTreeMap<u64, Vec<u64>>, alone: &Alone, tokens: impl Iterator<Item = u64>) {
    for tokens in tokens {
        table.entry(tokens).or_insert_with(|| alone.bytes(tokens));
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
