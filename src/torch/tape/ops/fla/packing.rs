//! The positions of tokens that are no padding, and the results that flash-linear-attention caches between calls
//! (`fla/layers/utils.py`, `fla/ops/utils/index.py`, `tensor_cache`).
//!
//! Not modelled: intermediate results, some hundred bytes per sample.

use super::FlaVersion;
use crate::tape::graph::Backward;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::collections::VecDeque;

/// Results that 0.6.0 keeps of a function (`FLA_TENSOR_CACHE_SIZE`); 0.2.2 keeps one.
const KEPT: usize = 4;

/// `tensor_cache`: the last results of a function, with the tensor that it was given and a number.
#[derive(Default)]
struct Memo(RefCell<VecDeque<(Tensor, u64, Vec<Tensor>)>>);

impl Memo {
    /// The results for this very tensor and number.
    fn get(
        &self,
        t: &Tape,
        given: &Tensor,
        number: u64,
        make: impl FnOnce() -> Vec<Tensor>,
    ) -> Vec<Tensor> {
        let asked = |entry: &&(Tensor, u64, Vec<Tensor>)| entry.0.is(given) && entry.1 == number;
        if let Some((.., results)) = self.0.borrow().iter().find(asked) {
            return results.clone();
        }
        let results = make();
        let most = match t.backend().fla {
            FlaVersion::V060 => KEPT,
            FlaVersion::V022 => 1,
        };
        let mut entries = self.0.borrow_mut();
        entries.push_back((given.clone(), number, results.clone()));
        let rest = entries.len().saturating_sub(most);
        entries.drain(..rest);
        results
    }
}

/// Results for recent masks, function by function.
#[derive(Default)]
pub(in crate::tape) struct Packing {
    of_masks: Memo,
    of_last_tokens: Memo,
    of_attention: Memo,
    lengths: Memo,
    boundaries: Memo,
    boundaries_of_masks: Memo,
    lengths_of_chunks: Memo,
    chunks: Memo,
    offsets: Memo,
    /// The beginnings of sequences that the functions are given now.
    given: RefCell<Option<Tensor>>,
}

/// How `prepare_chunk_indices` is called: results of other calls are no results of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chunks {
    /// With its integer arguments alone.
    Of(u64),
    /// With its integer arguments and a keyword argument, since 0.6.0.
    Named(u64),
}

fn numbers(t: &Tape, op: &'static str, shape: impl Into<Shape>, dtype: DType) -> Tensor {
    t.empty(op, shape.into(), dtype)
}

impl Tape {
    /// The indices of the last `tokens` tokens of each sample that a mask `[B, S]` calls no padding
    /// (`get_unpad_indices_and_cu`): all of them, at most. What follows is told where samples begin.
    pub fn unpadding(&self, mask: &Tensor, tokens: u64) -> Tensor {
        let last = || self.slice(mask, 1, mask.dim(1) - tokens, mask.dim(1));
        let memo = &self.packing;
        let found = match self.backend().fla {
            FlaVersion::V022 => self.unpadding_of_attention(&last()),
            FlaVersion::V060 if mask.dim(1) == tokens => self.unpadding_of(mask),
            FlaVersion::V060 => {
                let find = || self.unpadding_of(&last());
                memo.of_last_tokens.get(self, mask, tokens, find)
            }
        };
        memo.given.replace(Some(found[1].clone()));
        found[0].clone()
    }

    /// Nothing is packed from here on.
    pub fn nothing_packed(&self) {
        self.packing.given.take();
    }

    /// Whether functions are told where samples begin.
    pub fn is_packed(&self) -> bool {
        self.packing.given.borrow().is_some()
    }

    /// Functions of packed samples remember where those begin (`ctx.cu_seqlens`).
    pub(in crate::tape) fn remembering_packing(&self, backward: Backward) -> Backward {
        let Some(boundaries) = self.packing.given.borrow().clone() else {
            return backward;
        };
        Box::new(move |t, g| {
            let before = t.packing.given.replace(Some(boundaries.clone()));
            let grads = backward(t, g);
            t.packing.given.replace(before);
            grads
        })
    }

    fn unpadding_of(&self, mask: &Tensor) -> Vec<Tensor> {
        let memo = &self.packing;
        memo.of_masks.get(self, mask, 0, || {
            let lengths = self.lengths_of(mask);
            self.synchronize_stream();
            let indices = numbers(self, "nonzero", [mask.numel()], DType::Int64);
            vec![indices, self.boundaries_of(&lengths, 0)]
        })
    }

    /// The indices of tokens that are no padding, and where samples begin (`get_unpad_data`).
    pub fn unpadding_of_attention(&self, mask: &Tensor) -> Vec<Tensor> {
        let memo = &self.packing;
        memo.of_attention.get(self, mask, 0, || {
            let lengths = self.lengths_of(mask);
            self.synchronize_stream();
            let indices = numbers(self, "nonzero", [mask.numel()], DType::Int64);
            let boundaries = memo.boundaries_of_masks.get(self, mask, 0, || {
                vec![match self.backend().fla {
                    FlaVersion::V060 => self.boundaries_of(&lengths, 1),
                    FlaVersion::V022 => self.boundaries_made_of(&lengths),
                }]
            });
            vec![indices, boundaries[0].clone()]
        })
    }

    /// `prepare_lens_from_mask(mask)`.
    pub fn lengths_of(&self, mask: &Tensor) -> Tensor {
        let make = || vec![numbers(self, "sum", [mask.dim(0)], DType::Int32)];
        self.packing.lengths.get(self, mask, 0, make)[0].clone()
    }

    fn boundaries_made_of(&self, lengths: &Tensor) -> Tensor {
        numbers(self, "cumsum", [lengths.dim(0) + 1], DType::Int32)
    }

    fn boundaries_of(&self, lengths: &Tensor, call: u64) -> Tensor {
        let make = || vec![self.boundaries_made_of(lengths)];
        self.packing.boundaries.get(self, lengths, call, make)[0].clone()
    }

    fn lengths_within(&self, boundaries: &Tensor) {
        let make = || {
            let dtype = DType::Int32;
            vec![numbers(self, "diff", [boundaries.dim(0) - 1], dtype)]
        };
        self.packing
            .lengths_of_chunks
            .get(self, boundaries, 0, make);
    }

    /// `prepare_chunk_indices`, of sequences of `tokens` tokens together, where samples are packed.
    pub(super) fn chunk_indices(&self, chunks: Chunks, tokens: u64) {
        let Some(boundaries) = self.packing.given.borrow().clone() else {
            return;
        };
        let (size, named) = match chunks {
            Chunks::Of(size) => (size, 0),
            Chunks::Named(size) => (size, 1),
        };
        let make = || {
            self.lengths_within(&boundaries);
            let samples = boundaries.dim(0) - 1;
            let count = samples * (tokens / samples).div_ceil(size);
            vec![numbers(
                self,
                "prepare_chunk_indices",
                [count, 2],
                DType::Int32,
            )]
        };
        self.packing
            .chunks
            .get(self, &boundaries, 2 * size + named, make);
    }

    /// `prepare_chunk_offsets`, where samples are packed.
    pub(super) fn chunk_offsets(&self, size: u64) {
        let Some(boundaries) = self.packing.given.borrow().clone() else {
            return;
        };
        let make = || {
            self.lengths_within(&boundaries);
            vec![numbers(
                self,
                "prepare_chunk_offsets",
                [boundaries.dim(0)],
                DType::Int64,
            )]
        };
        self.packing.offsets.get(self, &boundaries, size, make);
    }
}
