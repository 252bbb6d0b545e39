//! Bytes that an operation takes for a number of tokens, found by running it alone.

use crate::sim::Trace;
use crate::tape::{Backend, Tape};
use crate::units::{DType, Shape};
use std::collections::BTreeSet;

/// An operation whose scratch follows the number of tokens in ways of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// The gradient of a table, from one row for each token.
    Embedding { rows: u64, columns: u64 },
    /// A sum over rows, as many for each token.
    Sum { rows_each: u64, columns: u64 },
}

/// An operation that is run alone.
#[derive(Clone, Debug)]
pub(super) struct Alone {
    operation: Operation,
    dtype: DType,
    backend: Backend,
}

/// Tensors of different shapes whose operations are looked at, at most: a model has few widths.
const MOST: usize = 32;

/// Elements beyond which an operation is not run: it would be cut into thousands of parts.
const MOST_ELEMENTS: u64 = 1 << 36;

/// Rows for each token: one, or one for each head.
const ROWS_EACH: [u64; 18] = [
    1, 2, 3, 4, 5, 6, 7, 8, 12, 14, 16, 20, 24, 28, 32, 40, 64, 128,
];

impl Alone {
    /// The operations that can have made some storages of a run that was simulated in detail.
    pub(super) fn candidates(
        trace: &Trace,
        backend: Backend,
        storages: impl Iterator<Item = usize>,
    ) -> Vec<Self> {
        let details = &trace.details;
        let names: BTreeSet<&str> = storages.map(|stored| details.op(stored)).collect();
        let mut shapes: BTreeSet<(Option<u64>, u64)> = BTreeSet::new();
        for stored in 0..trace.record.written().count() {
            let Some((shape, _)) = details.shape(stored) else {
                continue;
            };
            if !names.contains(details.op(stored)) || shapes.len() >= MOST {
                continue;
            }
            match *shape.dims() {
                [rows, columns] if rows > 1 => shapes.insert((Some(rows), columns)),
                [.., columns] if columns == shape.numel() => shapes.insert((None, columns)),
                _ => false,
            };
        }
        let operations = shapes.into_iter().flat_map(|(rows, columns)| {
            let sums = ROWS_EACH.map(|rows_each| Operation::Sum { rows_each, columns });
            let table = rows.map(|rows| Operation::Embedding { rows, columns });
            sums.into_iter()
                .filter(move |_| rows.is_none())
                .chain(table)
        });
        let of_dtypes = operations.flat_map(|operation| {
            [DType::Float32, DType::BFloat16].map(|dtype| Self {
                operation,
                dtype,
                backend,
            })
        });
        of_dtypes.collect()
    }

    /// The bytes of the operation's storages for `tokens` tokens, in order; empty where they have more elements than a
    /// model's gradients.
    pub(super) fn bytes(&self, tokens: u64) -> Vec<u64> {
        let elements = match self.operation {
            Operation::Embedding { rows, columns } => tokens.max(rows).checked_mul(columns),
            Operation::Sum { rows_each, columns } => tokens
                .checked_mul(rows_each)
                .and_then(|rows| rows.checked_mul(columns)),
        };
        if elements.is_none_or(|elements| elements > MOST_ELEMENTS) {
            return Vec::new();
        }
        let tape = Tape::new(self.backend);
        match self.operation {
            Operation::Embedding { rows, columns } => {
                let table = tape.parameter(Shape::from([rows, columns]), self.dtype);
                let indices = tape.empty("indices", Shape::from([tokens]), DType::Int64);
                let found = tape.embedding(&table, &indices);
                tape.backward(&found);
            }
            Operation::Sum { rows_each, columns } => {
                let rows = tokens.saturating_mul(rows_each);
                let x = tape.empty("x", Shape::from([rows, columns]), self.dtype);
                drop(tape.reduce("sum", &x, Shape::from([columns]), self.dtype));
            }
        }
        let (record, _) = tape.finish();
        record
            .written()
            .iter()
            .map(|storage| storage.bytes)
            .collect()
    }
}
