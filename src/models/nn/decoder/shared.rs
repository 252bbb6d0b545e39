//! Inputs of the layers of a causal language model.

use crate::model::Transformers;
use crate::nn::attention::CosSin;
use crate::nn::build::Facts;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::rc::Rc;

/// Keys and values `[B, K, S, D]` that later layers read: of layers that see everything, and of those
/// with a window (`KVSharingDict`).
pub(crate) type KeptStates = Rc<RefCell<[Option<[Tensor; 2]>; 2]>>;

/// Inputs of every layer of one kind besides the hidden states.
#[derive(Clone)]
pub(crate) struct Shared {
    /// Token positions `[S]` or `[B, S]`, which most layers only hold.
    pub(crate) positions: Option<Tensor>,
    pub(crate) mask: Option<Tensor>,
    pub(crate) cos: Tensor,
    pub(crate) sin: Tensor,
    /// The first and the last key that a layer with a window sees, if the layer narrows the mask by itself.
    pub(crate) narrows: Option<[u64; 2]>,
    /// The layer's input from an embedding of its own, `[B, S, P]`.
    pub(crate) input: Option<Tensor>,
    /// Keys and values that later layers read.
    pub(crate) states: KeptStates,
    /// The keys that the tokens of the layer before saw, `[B, S, K]`, where layers hand that on.
    pub(crate) chosen: Option<Tensor>,
    /// The states to which layers of their own attend.
    pub(crate) crossing: Option<Crossing>,
    /// Cosines and sines of layers of the other kind, which transformers 4 passes to all layers.
    pub(crate) _others: Option<[Tensor; 2]>,
}

/// The states to which layers of their own attend.
#[derive(Clone)]
pub(crate) struct Crossing {
    /// `[B x squares, P, H]`; after a prompt layers have kept what they made of them.
    pub(crate) states: Option<Tensor>,
    /// A mask of the states that a token sees, added to scores `[B, 1, S, K]`.
    pub(crate) mask: Tensor,
    /// Whether a token sees any, `[B, 1, S, 1]`.
    pub(crate) rows: Tensor,
}

impl Shared {
    /// The inputs that a layer gives its attention: these, or these with the mask of its window. Then that mask and the
    /// positions in the window live as long as the layer runs (`sliding_window_mask` in
    /// `models/gemma2/modeling_gemma2.py`, transformers 4.51).
    pub(crate) fn narrowed(&self, t: &Tape) -> (Self, Option<Tensor>) {
        let mut narrow = self.clone();
        let Some((mask, [from, to])) = self.mask.as_ref().zip(self.narrows) else {
            return (narrow, None);
        };
        let outside = {
            let ones = t.empty("ones_like", *mask.shape(), DType::Bool);
            let outside = t.empty("tril", *ones.shape(), DType::Bool);
            drop(ones);
            outside
        };
        let number = t.empty("scalar_tensor", Shape::new(&[]), mask.dtype());
        let hidden = t.empty("where", *mask.shape(), mask.dtype());
        drop(number);
        let keys = mask.dim(-1);
        narrow.mask = Some(if to - from < keys {
            t.slice(&hidden, -1, from, to.min(keys))
        } else {
            hidden
        });
        (narrow, Some(outside))
    }

    /// The keys of which a layer with a window sees a mask, for `s` tokens after those in the cache.
    pub(crate) fn near(t: &Tape, s: u64, window: Option<u64>) -> [u64; 2] {
        let seen = t.cached_tokens() + s;
        let most = window.map_or(seen, |window| window.max(s));
        let from = seen.saturating_sub(most);
        [from, from + most]
    }

    /// The inputs for the last `kept` positions alone.
    pub(crate) fn last(&self, t: &Tape, kept: u64) -> Self {
        let last = |x: &Tensor, dim| {
            let end = x.dim(dim);
            t.slice(x, dim, end - kept.min(end), end)
        };
        Self {
            mask: self.mask.as_ref().map(|mask| last(mask, 2)),
            cos: last(&self.cos, -2),
            sin: last(&self.sin, -2),
            input: self.input.as_ref().map(|input| last(input, 1)),
            ..self.clone()
        }
    }

    /// The inputs with the angles of layers of the other kind.
    pub(crate) fn beside(&self, other: &Self) -> Self {
        Self {
            _others: Some([other.cos.clone(), other.sin.clone()]),
            ..self.clone()
        }
    }

    /// The inputs of a layer without attention: no mask and, if only layers that attend `rotate`, no cosines and sines.
    pub(crate) fn without_attention(&self, t: &Tape, rotate: bool) -> Self {
        let mut given = self.clone();
        given.mask = None;
        if rotate {
            let none = t.empty("none", Shape::from([0]), self.cos.dtype());
            (given.cos, given.sin) = (none.clone(), none);
        }
        given
    }

    /// The tensors that a layer's call passes, beside integers.
    pub(crate) fn passed(&mut self) -> Vec<&mut Tensor> {
        let given = [&mut self.input, &mut self.mask];
        let given = given.into_iter().filter_map(Option::as_mut);
        given.chain([&mut self.cos, &mut self.sin]).collect()
    }

    /// The inputs with these cosines and sines.
    pub(crate) fn rotated_by(&self, (cos, sin): CosSin) -> Self {
        Self {
            cos,
            sin,
            ..self.clone()
        }
    }

    /// The inputs of a layer whose tokens may see the keys that tokens of the layer before saw.
    pub(crate) fn seeing(&self, chosen: Option<Tensor>) -> Self {
        Self {
            chosen,
            ..self.clone()
        }
    }

    /// The inputs of a layer that reads its columns of `inputs` `[B, S, L, P]`.
    pub(crate) fn with_input(&self, t: &Tape, inputs: &Tensor) -> Self {
        Self {
            input: Some(t.select(inputs, 2)),
            ..self.clone()
        }
    }

    /// The inputs that a re-entrant checkpoint holds until the graph dies: since transformers 5 all keyword arguments;
    /// before, only the position embeddings, since the rest are saved tensors.
    pub(crate) fn outliving(&self, facts: Facts) -> Self {
        let mut kept = self.clone();
        // A saved tensor.
        kept.input = None;
        if facts.transformers != Transformers::V5 {
            kept.positions = None;
            kept.mask = None;
        }
        kept
    }
}
