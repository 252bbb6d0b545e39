//! Inputs that `generate` gives the model besides token ids, growing with each token.
//!
//! Source: `_update_model_kwargs_for_generation` and `prepare_inputs_for_generation`
//! (`generation/utils.py`, transformers 4.48, 4.51 and 5.23).

use super::generate::{flags, numbers};
use crate::families::{Calling, GenerateVersion, mask_beforehand};
use crate::model::TokenKinds;
use crate::nn::BatchShape;
use crate::tape::{CacheKind, Tape, Tensor};
use crate::units::{DType, Shape};

/// `model_kwargs`, and what the model was given last (`model_inputs`).
pub(super) struct Arguments {
    calling: Calling,
    /// B and S of all tokens so far.
    size: (u64, u64),
    /// The mask `[B, S]` that grows with each token, unless it is dropped; that of an encoder's
    /// prompt stays as it is.
    mask: Option<Tensor>,
    /// Positions `[B, S]`, or places `[4, B, S]`; in transformers 4 those of the cache `[S]`.
    positions: Option<Tensor>,
    /// Kinds of tokens `[B, S]`, once they have grown.
    kinds: Option<Tensor>,
    /// The squares of images that each token sees, `[B, S, squares]`, likewise.
    crossed: Option<Tensor>,
    last: Vec<Tensor>,
    /// The mask that the model is given instead, where it is made beforehand.
    made: Option<Tensor>,
    /// Whether the model has run.
    started: bool,
}

/// Inputs of a call of the model.
pub(super) struct Inputs {
    /// Token ids.
    pub(super) ids: Tensor,
    /// Positions of the tokens.
    pub(super) positions: Option<Tensor>,
    /// The squares of images that they see.
    pub(super) _crossed: Option<Tensor>,
}

/// `mask.cumsum(-1) - 1`.
fn counted(t: &Tape, shape: Shape) -> Tensor {
    let _sum = t.cumsum(shape, DType::Int64);
    numbers(t, "sub", shape)
}

/// Token positions `[B, S]` that the mask gives.
pub(super) fn positions(t: &Tape, b: u64, s: u64) -> Tensor {
    let shifted = counted(t, [b, s].into());
    let padding = flags(t, "eq", b * s);
    let filled = numbers(t, "masked_fill", [b, s]);
    drop((padding, shifted));
    filled
}

impl Arguments {
    /// Of token ids `[B, S]` with their mask and, in transformers 5, positions.
    pub(super) fn new(
        t: &Tape,
        calling: Calling,
        ids: &Tensor,
        mask: Option<Tensor>,
        given: Option<Tensor>,
    ) -> Self {
        let recent = calling.version == GenerateVersion::V5;
        let positions = if recent {
            given
        } else {
            // `_get_initial_cache_position`
            let n = ids.dim(1);
            let ones = numbers(t, "ones_like", [n]);
            let sum = t.cumsum([n].into(), ones.dtype());
            drop(ones);
            let shifted = numbers(t, "sub", [n]);
            drop(sum);
            Some(shifted)
        };
        Self {
            calling,
            size: (ids.dim(0), ids.dim(1)),
            mask,
            positions,
            kinds: None,
            crossed: None,
            last: Vec::new(),
            made: None,
            started: false,
        }
    }

    /// Adds `tokens` tokens to each sample.
    pub(super) fn grow(&mut self, t: &Tape, tokens: u64) {
        let (b, s) = self.size;
        self.size.1 += tokens;
        let recent = self.calling.version == GenerateVersion::V5;
        // They are local variables until all have grown.
        let _kinds = self.calling.kinds.and_then(|kinds| {
            let _one = (kinds == TokenKinds::OfTexts).then(|| numbers(t, "new_zeros", [b, 1]));
            self.kinds.replace(numbers(t, "cat", [b, s + tokens]))
        });
        let longer = self.positions.as_ref().filter(|_| recent).map(|all| {
            let with = |tokens| of_tokens(all, tokens);
            let _next = {
                let range = numbers(t, "arange", [1]);
                let _sum = numbers(t, "add", with(1));
                drop(range);
                numbers(t, "add", with(1))
            };
            numbers(t, "cat", with(s + tokens))
        });
        if self.mask.is_some() && !self.calling.encodes {
            let _one = numbers(t, "new_ones", [b, 1]);
            self.mask = Some(numbers(t, "cat", [b, s + tokens]));
        }
        self.positions = if recent {
            longer
        } else {
            Some(numbers(t, "add", [1]))
        };
        if let Some(squares) = self.calling.crossed {
            self.crossed = Some(numbers(t, "cat", [b, s + tokens, squares]));
        }
    }

    /// Inputs of the model's next call: of the whole `prompt` `[B, S]`, then of the newest token `[B, 1]`.
    pub(super) fn inputs(&mut self, t: &Tape, prompt: &Tensor) -> Inputs {
        let first = !self.started;
        self.started = true;
        if self.calling.version == GenerateVersion::V5 {
            return self.inputs_since_5(t, first);
        }
        let (ids, given) = self.inputs_before_5(t, prompt, first);
        self.made = mask_beforehand(t, BatchShape::of(&ids), self.size.1);
        Inputs {
            ids,
            positions: given,
            _crossed: None,
        }
    }

    fn inputs_before_5(
        &mut self,
        t: &Tape,
        prompt: &Tensor,
        first: bool,
    ) -> (Tensor, Option<Tensor>) {
        let (b, s) = self.size;
        let n = if first { s } else { 1 };
        if self.calling.prepares_inputs {
            let copied = !first && b > 1;
            let ids = if copied {
                numbers(t, "clone", [b, 1])
            } else {
                prompt.clone()
            };
            self.last = [Some(&ids), self.mask.as_ref()]
                .into_iter()
                .flatten()
                .cloned()
                .collect();
            return (ids, None);
        }
        // Without the class `Cache` there is none before the first call.
        let cached = !first || self.calling.cache != CacheKind::Tuples;
        if cached {
            drop(flags(t, "ge", 1));
        }
        let newest = (!first).then(|| numbers(t, "index", [b, 1]));
        let ids = numbers(t, "clone", [b, n]);
        let all = self.calling.positions.then(|| positions_in_place(t, b, s));
        let given = match &all {
            Some(_) if cached => Some(numbers(t, "clone", [b, n])),
            whole => whole.clone(),
        };
        drop((all, newest));
        self.keep(t, &ids, given.as_ref());
        (ids, given)
    }

    /// The mask that is made beforehand for the model's next call, where there is one.
    pub(super) fn made(&self) -> Option<Tensor> {
        self.made.clone()
    }

    /// The mask of the model's next call.
    pub(super) fn mask(&self) -> Option<Tensor> {
        self.mask.clone()
    }

    fn inputs_since_5(&mut self, t: &Tape, first: bool) -> Inputs {
        let (b, s) = self.size;
        let n = if first { s } else { 1 };
        let seen = |squares| numbers(t, "clone", [b, n, squares]);
        let later = |positions: Tensor| {
            if self.calling.later_positions {
                t.add_scalar(&positions)
            } else {
                positions
            }
        };
        let ids = numbers(t, "clone", [b, n]);
        if first {
            let given = self.positions.clone().map(later);
            return Inputs {
                ids,
                positions: given,
                _crossed: self.calling.crossed.map(seen),
            };
        }
        let newest = |all: &Tensor| numbers(t, "clone", of_tokens(all, 1));
        let given = self.positions.as_ref().map(newest);
        let kinds = self.kinds.as_ref().map(newest);
        let given = given.map(later);
        let unused = Some(TokenKinds::Repeated { given: false });
        let kinds = kinds.filter(|_| self.calling.kinds != unused);
        let seen = self.calling.crossed.map(seen);
        self.keep(t, &ids, given.as_ref());
        self.last.extend(kinds.into_iter().chain(seen.clone()));
        Inputs {
            ids,
            positions: given,
            _crossed: seen,
        }
    }

    /// Keeps the model's inputs until its next call.
    fn keep(&mut self, t: &Tape, ids: &Tensor, given: Option<&Tensor>) {
        let earlier =
            self.calling.version != GenerateVersion::V5 && self.calling.cache != CacheKind::Tuples;
        // With a mask made beforehand it is not given this one.
        let mask = self.mask.as_ref();
        let mask = mask.filter(|_| self.calling.cache != CacheKind::Fixed);
        let held = [Some(ids), given, mask];
        let position = self.positions.as_ref().filter(|_| earlier);
        t.drop_replaced_cache();
        self.last = held
            .into_iter()
            .chain([position])
            .flatten()
            .cloned()
            .collect();
    }
}

/// The shape of numbers of `tokens` tokens like `all` `[.., S]`.
fn of_tokens(all: &Tensor, tokens: u64) -> Shape {
    let mut shape = *all.shape();
    if let Some(last) = shape.dims_mut().last_mut() {
        *last = tokens;
    }
    shape
}

/// [`positions`], filled in place (transformers 4).
fn positions_in_place(t: &Tape, b: u64, s: u64) -> Tensor {
    let shifted = counted(t, [b, s].into());
    drop(flags(t, "eq", b * s));
    shifted
}
