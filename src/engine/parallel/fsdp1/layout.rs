//! Places of parameters in a flat one.
//!
//! Source: `_init_flat_param_and_metadata`, `_get_shard` and `_get_shard_metadata` of
//! `torch/distributed/fsdp/_flat_param.py`, torch 2.15.

/// Bytes to which parameters are aligned that stay as they are (`_get_aligned_numel`).
const ALIGNMENT: u64 = 16;

/// The pieces of a flat parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Elements of each piece, and whether it is padding (`_numels_with_padding`).
    pub(super) pieces: Vec<(u64, bool)>,
    /// Elements of all pieces.
    pub(super) numel: u64,
    /// Elements that each rank has, with padding.
    pub(super) shard: u64,
    /// Elements that this rank has, without padding.
    pub(super) unpadded: u64,
    /// Elements of each parameter that this rank, `place` of `ranks`, has.
    pub(super) own: Vec<u64>,
}

impl Layout {
    /// The layout of parameters of these sizes, aligned for elements of `aligned` bytes, if at all, and then padded to
    /// a multiple of `world`, on the rank with index `place` among the `ranks` that divide it.
    pub(super) fn of(
        sizes: &[u64],
        aligned: Option<u64>,
        world: u64,
        place: u64,
        ranks: u64,
    ) -> Self {
        let mut pieces = Vec::new();
        let mut numel = 0;
        let pad = |to: u64, numel: &mut u64, pieces: &mut Vec<(u64, bool)>| {
            let missing = numel.next_multiple_of(to) - *numel;
            if missing > 0 {
                pieces.push((missing, true));
                *numel += missing;
            }
        };
        for &size in sizes {
            if let Some(element) = aligned {
                pad((ALIGNMENT / element).max(1), &mut numel, &mut pieces);
            }
            pieces.push((size, false));
            numel += size;
        }
        if aligned.is_some() {
            pad(world, &mut numel, &mut pieces);
        }
        let shard = numel.div_ceil(ranks);
        let [first, end] = [place, place + 1].map(|at| (at * shard).min(numel));
        let mut at = 0;
        let own = pieces.iter().filter_map(|&(size, is_padding)| {
            let [from, to] = [at, at + size].map(|edge| edge.clamp(first, end));
            at += size;
            (!is_padding).then_some(to - from)
        });
        Self {
            own: own.collect(),
            pieces,
            numel,
            shard,
            unpadded: end - first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_together_have_every_parameter_once() {
        let sizes = [5, 1024, 3, 7, 4096];
        for (aligned, ranks) in [
            (Some(2), 4),
            (Some(4), 3),
            (None, 4),
            (None, 7),
            (Some(2), 1),
        ] {
            let of = |place| Layout::of(&sizes, aligned, ranks, place, ranks);
            for (i, &size) in sizes.iter().enumerate() {
                assert_eq!((0..ranks).map(|place| of(place).own[i]).sum::<u64>(), size);
            }
            let layout = of(0);
            let pieces: u64 = layout.pieces.iter().map(|(size, _)| size).sum();
            assert_eq!(pieces, layout.numel);
            assert!(layout.shard * ranks >= layout.numel);
        }
    }

    #[test]
    fn parameters_are_aligned_and_the_whole_divides_among_ranks() {
        let layout = Layout::of(&[5, 8, 1], Some(4), 4, 1, 4);
        let pieces = [(5, false), (3, true), (8, false), (1, false), (3, true)];
        assert_eq!(layout.pieces, pieces);
        assert_eq!((layout.numel, layout.shard), (20, 5));
        assert_eq!(layout.own, [0, 2, 0]);
    }
}
