//! How a parameter is divided among ranks, row by row.

use crate::units::Shape;

/// `Shard(0)` of a parameter: chunks of `ceil(rows / ranks)` rows, of which the last ones can be shorter or
/// empty (`_chunk_with_empty`, `torch/distributed/fsdp/_fully_shard/_fsdp_common.py`, torch 2.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowShard {
    /// The shape of this rank's rows.
    pub(super) local: Shape,
    /// Elements of a chunk with its padding, as it is gathered.
    pub(super) padded: u64,
}

impl RowShard {
    /// The shard of a parameter of `shape` on the rank with index `place` among `ranks`.
    pub(super) fn of(shape: &Shape, place: u64, ranks: u64) -> Self {
        let dims = shape.dims();
        let rows = dims.first().copied().unwrap_or(1);
        let width: u64 = dims.iter().skip(1).product();
        let chunk = rows.div_ceil(ranks);
        let first = (place * chunk).min(rows);
        let own = chunk.min(rows - first);
        let mut local = dims.to_vec();
        match local.first_mut() {
            Some(first) => *first = own,
            None => local.push(own),
        }
        Self {
            local: Shape::new(&local),
            padded: chunk * width,
        }
    }

    /// Whether it has fewer rows than a chunk.
    pub(super) fn is_padded(&self) -> bool {
        self.local.numel() < self.padded
    }

    /// One past the last rank, from index `place` among `ranks` on, that has the same number of rows.
    pub(super) fn alike_until(shape: &Shape, place: u64, ranks: u64) -> u64 {
        let rows = shape.dims().first().copied().unwrap_or(1);
        let chunk = rows.div_ceil(ranks).max(1);
        let full = rows / chunk;
        if place < full {
            full
        } else if place == full && !rows.is_multiple_of(chunk) {
            full + 1
        } else {
            ranks
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_together_hold_every_row_once() {
        for (rows, ranks) in [(8, 2), (8, 3), (8, 32), (1, 4), (50, 24)] {
            let shape = Shape::from([rows, 16]);
            let of = |place| RowShard::of(&shape, place, ranks);
            let sum: u64 = (0..ranks).map(|place| of(place).local.numel()).sum();
            assert_eq!(sum, shape.numel());
            assert!(of(0).padded * ranks >= shape.numel());
        }
    }

    #[test]
    fn ranks_are_alike_until_one_has_fewer_rows() {
        for (rows, ranks) in [(8, 2), (8, 3), (8, 32), (1, 4), (50, 24), (0, 2)] {
            let shape = Shape::from([rows, 16]);
            let of = |place| RowShard::of(&shape, place, ranks).local;
            for place in 0..ranks {
                let end = RowShard::alike_until(&shape, place, ranks);
                assert!((place..end).all(|other| of(other) == of(place)));
                assert!(end == ranks || of(end) != of(place));
            }
        }
    }
}
