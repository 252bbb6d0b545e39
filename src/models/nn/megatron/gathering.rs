//! How experts come to the tokens of all ranks (`MoEAllGatherTokenDispatcher`,
//! `core/transformer/moe/token_dispatcher.py`): each rank has all tokens, and takes the tokens of its experts.

use super::modules::Modules;
use super::router::Routed;
use crate::tape::{Gathered, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// The last tokens of a dispatcher.
#[derive(Default)]
struct Kept {
    /// The experts of the tokens of all ranks, until they are there.
    map: Option<Tensor>,
    /// Tokens of this rank's experts, and their weights.
    local_map: Option<Tensor>,
    local_weights: Option<Tensor>,
    /// The token of each row.
    places: Option<Tensor>,
}

/// The dispatcher of a layer.
pub(super) struct Gathering {
    /// Experts of this rank.
    local: u64,
    /// Ranks whose tokens are gathered.
    ranks: u64,
    memory: Gathered,
    kept: RefCell<Kept>,
}

impl Gathering {
    pub(super) fn new(m: &Modules, experts: u64, [own, others]: [u64; 2]) -> Self {
        Self {
            local: experts / own,
            ranks: own * others,
            memory: m.memory.gathered(),
            kept: RefCell::default(),
        }
    }

    /// Tokens `[N, H]` through the experts, which take rows `[n, H]` and their weights `[n]`.
    pub(super) fn through(
        &self,
        t: &Tape,
        tokens: &Tensor,
        routed: Routed,
        capacity: u64,
        experts: impl FnOnce(&Tensor, &Tensor) -> Tensor,
    ) -> Tensor {
        let Routed { probabilities, map } = routed;
        let rows = self.local * self.ranks * capacity;
        let (tokens, probabilities) = self.gathered(t, tokens, probabilities, map);
        let (permuted, weights) = self.permuted(t, &tokens, &probabilities, rows);
        let given = experts(&permuted, &weights);
        drop((permuted, weights));
        let output = match &self.kept.borrow().places {
            Some(places) => t.added_rows(&given, places, tokens.dim(0)),
            None => given.clone(),
        };
        drop(given);
        if self.ranks == 1 {
            return output;
        }
        let scattered = t.scattered_first(&output, self.ranks);
        drop(output);
        drop(probabilities);
        scattered
    }

    /// `token_dispatch`: the tokens of all ranks, and their weights.
    fn gathered(
        &self,
        t: &Tape,
        tokens: &Tensor,
        probabilities: Tensor,
        map: Tensor,
    ) -> (Tensor, Tensor) {
        let mut kept = self.kept.borrow_mut();
        kept.map = Some(map);
        if self.ranks == 1 {
            return (tokens.clone(), probabilities);
        }
        let all = (kept.map.as_ref()).map(|map| t.gathered_first(map, self.ranks));
        kept.map = all;
        let gathered = t.gathered_first(&probabilities, self.ranks);
        let tokens = t.gathered_first_into(tokens, self.ranks, self.memory.clone());
        drop(probabilities);
        (tokens, gathered)
    }

    /// `dispatch_postprocess`: the rows of this rank's experts, and their weights.
    fn permuted(
        &self,
        t: &Tape,
        tokens: &Tensor,
        probabilities: &Tensor,
        rows: u64,
    ) -> (Tensor, Tensor) {
        let mut kept = self.kept.borrow_mut();
        let count = tokens.dim(0);
        let local = Shape::from([count, self.local]);
        let map = t.empty("clone", local, DType::Bool);
        kept.local_map = Some(map.clone());
        let own = t.contiguous(&t.slice(probabilities, 1, 0, self.local));
        kept.local_weights = Some(own.clone());
        {
            let counts = Shape::from([self.local]);
            let _counts = t.empty("sum", counts, DType::Int64);
            drop(t.empty("sum", local, DType::Int64));
        }
        let by_expert = Shape::from([self.local, count]);
        let (permuted, places) = {
            let flags = t.empty("clone", by_expert, DType::Bool);
            let range = t.empty("arange", Shape::from([count]), DType::Int64);
            let places = t.flagged(&range, &flags, rows);
            let permuted = t.selected_rows(tokens, &places);
            drop(flags);
            drop(range);
            (permuted, places)
        };
        kept.places = Some(places);
        let rotated = t.contiguous(&t.transpose(&own, 0, 1));
        drop(own);
        let flags = t.empty("clone", by_expert, DType::Bool);
        let weights = t.flagged(&rotated, &flags, rows);
        kept.local_weights = Some(weights.clone());
        kept.map = None;
        (permuted, weights)
    }
}
