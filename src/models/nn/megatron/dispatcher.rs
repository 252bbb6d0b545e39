//! How tokens come to experts on other ranks and back: all to all (`MoEAlltoAllTokenDispatcher`,
//! `core/transformer/moe/token_dispatcher.py`), with the room of every expert filled.

use super::router::Routed;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// The last tokens of a dispatcher.
#[derive(Default)]
struct Kept {
    routed: Option<Routed>,
    /// The token of each row.
    places: Option<Tensor>,
}

/// The dispatcher of a layer.
pub(super) struct Dispatcher {
    experts: u64,
    /// Ranks that divide the experts, and ranks that divide each.
    ranks: [u64; 2],
    kept: RefCell<Kept>,
}

impl Dispatcher {
    pub(super) fn new(experts: u64, ranks: [u64; 2]) -> Self {
        Self {
            experts,
            ranks,
            kept: RefCell::default(),
        }
    }

    /// Experts of this rank.
    pub(super) fn local(&self) -> u64 {
        self.experts / self.ranks[0]
    }

    /// `dispatch_preprocess`: tokens `[N, H]` and their weights, one expert's after the other.
    pub(super) fn permuted(
        &self,
        t: &Tape,
        tokens: &Tensor,
        routed: Routed,
        capacity: u64,
    ) -> [Tensor; 2] {
        let (probabilities, map) = (routed.probabilities.clone(), routed.map.clone());
        self.kept.borrow_mut().routed = Some(routed);
        let (experts, count) = (self.experts, tokens.dim(0));
        let by_expert = Shape::from([experts, count]);
        let flags = {
            let _narrow = t.empty("_to_copy", *map.shape(), DType::UInt8);
            t.empty("clone", by_expert, DType::UInt8)
        };
        drop(map);
        let rows = Shape::from([experts * capacity]);
        let places = {
            let _all = t.sorted_places(&flags);
            t.empty("clone", rows, DType::Int64)
        };
        let weights = t.contiguous(&t.transpose(&probabilities, 0, 1));
        drop(probabilities);
        let weights = t.view(&weights, [experts * count]);
        let range = t.empty("arange", Shape::from([experts]), DType::Int64);
        let linear = {
            let _first = t.empty("mul", Shape::from([experts]), DType::Int64);
            t.empty("add", rows, DType::Int64)
        };
        let chosen = t.selected_rows(&weights, &linear);
        drop(linear);
        let permuted = t.selected_rows(tokens, &places);
        drop(flags);
        drop(weights);
        drop(range);
        self.kept.borrow_mut().places = Some(places);
        [permuted, chosen]
    }

    /// `token_dispatch`, and back `token_combine`: what ranks exchange.
    pub(super) fn exchanged(&self, t: &Tape, x: &Tensor) -> Tensor {
        if self.ranks[0] > 1 {
            t.exchanged(x, self.ranks[0])
        } else {
            t.passed_on(x)
        }
    }

    /// `dispatch_postprocess`: rows `[n, H]` of all ranks and their weights, sorted by this rank's experts.
    pub(super) fn sorted(&self, t: &Tape, both: [&Tensor; 2], capacity: u64) -> [Tensor; 2] {
        let from = self.ranks[0] * self.ranks[1];
        let gather = |x: &Tensor| {
            if self.ranks[1] > 1 {
                t.gathered_first(x, self.ranks[1])
            } else {
                x.clone()
            }
        };
        both.map(gather)
            .map(|x| self.swapped(t, &x, [from, self.local()], capacity))
    }

    /// `combine_preprocess`: what experts gave, sorted by the ranks that it goes to.
    pub(super) fn unsorted(&self, t: &Tape, x: &Tensor, capacity: u64) -> Tensor {
        let to = self.ranks[0] * self.ranks[1];
        let swapped = self.swapped(t, x, [self.local(), to], capacity);
        if self.ranks[1] > 1 {
            return t.scattered_first(&swapped, self.ranks[1]);
        }
        swapped
    }

    /// Rows in groups of groups `[a, b, capacity, ..]`, those of `b` outside.
    fn swapped(&self, t: &Tape, x: &Tensor, groups: [u64; 2], capacity: u64) -> Tensor {
        if self.local() == 1 {
            return x.clone();
        }
        let mut dims = vec![groups[0], groups[1], capacity];
        dims.extend_from_slice(&x.shape().dims()[1..]);
        let parted = t.view(x, Shape::new(&dims));
        let swapped = t.contiguous(&t.transpose(&parted, 0, 1));
        t.view(&swapped, *x.shape())
    }

    /// `combine_postprocess`: rows added up to tokens `[N, H]`.
    pub(super) fn combined(&self, t: &Tape, rows: &Tensor, tokens: u64) -> Tensor {
        match &self.kept.borrow().places {
            Some(places) => t.added_rows(rows, places, tokens),
            None => rows.clone(),
        }
    }
}
