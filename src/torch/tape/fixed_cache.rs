//! Keys and values of a number of tokens that is known beforehand.
//!
//! Source: `HybridCache` (`cache_utils.py`, transformers 4.51), which begins on the host, so that each layer
//! has its part on the device from its first tokens on.

use super::cache::{CachedLayer, KeyValueCache, TOKENS};
use super::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// How many tokens there are places for, and in which dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Tokens of layers that see all.
    pub tokens: u64,
    /// The dtype of keys and values.
    pub dtype: DType,
}

impl Places {
    /// Keeps new keys and values `[B, K, S, D]` of one of the layers, whose places are allocated with its first tokens;
    /// returns the keys and values to attend to.
    pub(super) fn keep(
        self,
        t: &Tape,
        (layers, at): (&mut Vec<CachedLayer>, usize),
        new: &[Tensor; 2],
        window: Option<u64>,
    ) -> (Tensor, Tensor) {
        if layers.len() <= at {
            layers.push(CachedLayer {
                keys: self.of(t, &new[0], window),
                values: self.of(t, &new[1], window),
                indexed: None,
                seen: 0,
                window: None,
            });
        }
        let layer = &mut layers[at];
        layer.seen += new[0].dim(TOKENS);
        let kept = [layer.keys.clone(), layer.values.clone()];
        let [keys, values] = self.write(t, kept, new, window.is_some());
        (keys, values)
    }

    /// The places of a layer for keys or values like `x` `[B, K, S, D]`: of no more tokens than it sees.
    fn of(self, t: &Tape, x: &Tensor, window: Option<u64>) -> Tensor {
        let mut shape = *x.shape();
        let seen = window.map_or(self.tokens, |window| window.min(self.tokens));
        shape.dims_mut()[TOKENS.unsigned_abs()] = seen;
        t.allocate("_to_copy", shape, self.dtype, Category::KvCache)
    }

    /// Writes new keys and values `[B, K, S, D]` into their places; returns the keys and values to attend to. A layer
    /// with a window copies what it keeps, shifted where there are more than its places, unless the new ones alone are
    /// more.
    fn write(self, t: &Tape, kept: [Tensor; 2], new: &[Tensor; 2], windowed: bool) -> [Tensor; 2] {
        let new = new.each_ref().map(|x| t.to(x, self.dtype));
        let (s, places) = (new[0].dim(TOKENS), kept[0].dim(TOKENS));
        if !windowed {
            return kept;
        }
        if s > places {
            return new;
        }
        let numbers = |op, n: u64| t.empty(op, Shape::from([n]), DType::Int64);
        let counted = {
            let _ones = numbers("ones", places);
            t.cumsum(Shape::from([places]), DType::Int64)
        };
        let positions = numbers("clamp", s);
        let beyond = t.empty("ge", Shape::from([s]), DType::Bool);
        let sources = {
            let shift = t.empty("_to_copy", Shape::new(&[]), DType::Int32);
            let sum = numbers("add", places);
            drop(shift);
            let from_zero = numbers("sub", places);
            drop(sum);
            let _from_zero = from_zero;
            numbers("remainder", places)
        };
        let shifted = kept.map(|x| t.empty("index", *x.shape(), self.dtype));
        drop((positions, counted, beyond, sources));
        shifted
    }
}

impl KeyValueCache {
    /// Forgets its tokens, and says how many places the first layer has.
    fn emptied(&mut self) -> Option<u64> {
        for layer in &mut self.layers {
            layer.seen = 0;
        }
        self.layers.first().map(|layer| layer.keys.dim(TOKENS))
    }
}

impl Tape {
    /// The places for keys and values that are made beforehand, where they are.
    pub fn cache_places(&self) -> Option<Places> {
        self.cache.borrow().as_ref()?.places
    }

    /// Attention keeps keys and values in the places that an earlier text has left, which are emptied and
    /// looked through twice for the tokens that they hold.
    pub fn reopen_cache(&self, mut cache: KeyValueCache) {
        if let Some(places) = cache.emptied() {
            let found = || {
                let any = self.empty("any", Shape::from([places]), DType::Bool);
                let sum = self.empty("sum", Shape::new(&[]), DType::Int64);
                drop(self.empty("sum", Shape::from([places]), DType::Int64));
                drop(any);
                sum
            };
            drop(found());
            drop(found());
        }
        self.cache.replace(Some(cache));
    }
}
