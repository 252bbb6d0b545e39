//! States of flash-linear-attention's layers from one forward pass to the next: the state of a
//! recurrence, the last inputs of convolutions, keys and values.
//!
//! Source: `fla/models/cache_utils.py` (0.6.0), `fla/models/utils.py` (0.2.2).

use super::{Category, FlaVersion, Tape, Tensor};
use crate::units::{DType, Shape};

/// The dimension of tokens in the keys and values that attention keeps.
const TOKENS: isize = 1;

/// The states of all layers, in the order in which they run.
#[derive(Default)]
pub(super) struct LayerStates {
    layers: Vec<LayerState>,
    /// The state that the running layer will keep.
    coming: LayerState,
    /// The layer that is running.
    next: usize,
}

#[derive(Clone, Default)]
pub(super) struct LayerState {
    /// Tokens that the layer has seen.
    seen: u64,
    recurrent: Vec<Tensor>,
    /// One for each convolution.
    convolved: Vec<Tensor>,
    /// Keys and values `[B, T, K D]`.
    attended: Vec<Tensor>,
}

impl LayerState {
    /// All that is kept.
    pub(super) fn all(&mut self) -> Vec<&mut Tensor> {
        let kept = [&mut self.recurrent, &mut self.convolved, &mut self.attended];
        kept.into_iter().flatten().collect()
    }
}

impl LayerStates {
    /// The layer that runs next.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Moves on by the states of `layers` layers, which have run.
    pub(super) fn advance(&mut self, layers: usize) {
        self.next += layers;
    }

    pub(super) fn layers(&self) -> &[LayerState] {
        &self.layers
    }

    pub(super) fn layers_mut(&mut self) -> &mut Vec<LayerState> {
        &mut self.layers
    }

    pub(super) fn rewind(&mut self) {
        self.next = 0;
    }

    fn current(&self) -> Option<&LayerState> {
        self.layers.get(self.next)
    }

    /// Copies the state of every layer, with its samples in another order: all of them before the first is
    /// dropped (`_transform_states`).
    pub(super) fn reorder(&mut self, t: &Tape) {
        let copied = |kept: &[Tensor]| -> Vec<Tensor> {
            let copy = |x: &Tensor| {
                let copy = t.empty("index_select", *x.shape(), x.dtype());
                copy.set_category(Category::KvCache);
                copy
            };
            kept.iter().map(copy).collect()
        };
        let reordered = |layer: &LayerState| LayerState {
            seen: layer.seen,
            recurrent: copied(&layer.recurrent),
            attended: copied(&layer.attended),
            convolved: copied(&layer.convolved),
        };
        self.layers = self.layers.iter().map(reordered).collect();
    }

    /// Lengthens the keys and values that attention keeps by `tokens` tokens.
    pub(super) fn grow(&mut self, t: &Tape, tokens: u64) {
        for layer in &mut self.layers {
            layer.seen += tokens;
            for kept in &mut layer.attended {
                let mut shape = *kept.shape();
                shape.dims_mut()[TOKENS.unsigned_abs()] += tokens;
                let longer = t.empty("cat", shape, kept.dtype());
                longer.set_category(Category::KvCache);
                *kept = longer;
            }
        }
    }
}

impl Tape {
    fn with_states<R>(&self, f: impl FnOnce(&mut LayerStates) -> R) -> Option<R> {
        let mut cache = self.cache.borrow_mut();
        cache.as_mut().map(|cache| f(&mut cache.replaced_states))
    }

    /// Tokens that the layer that is running has seen in earlier passes.
    pub fn tokens_seen_by_layer(&self) -> u64 {
        let seen = self.with_states(|states| states.current().map(|layer| layer.seen));
        seen.flatten().unwrap_or(0)
    }

    /// The state after the last token `[N, H, K, V]`, in float32, where there is a cache for it.
    pub(super) fn final_state(&self, op: &'static str, shape: Shape) {
        self.recurrent_state(op, shape, DType::Float32);
    }

    /// The state after the last token in a given dtype, such as `[N, D]` of a recurrence of vectors, where there is a
    /// cache for it.
    pub(super) fn recurrent_state(&self, op: &'static str, shape: Shape, dtype: DType) {
        if self.has_cache() {
            let state = self.empty(op, shape, dtype);
            state.set_category(Category::KvCache);
            self.with_states(|states| states.coming.recurrent.push(state));
        }
    }

    /// Keeps the state that a layer gives as it is, where there is a cache for it.
    pub fn keep_state(&self, state: &Tensor) {
        self.with_states(|states| states.coming.recurrent.push(state.clone()));
    }

    /// The last inputs of a convolution `[N, D, W]`, where there is a cache for them.
    pub(super) fn convolution_state(&self, op: &'static str, shape: Shape, dtype: DType) {
        if self.has_cache() {
            let state = self.empty(op, shape, dtype);
            state.set_category(Category::KvCache);
            self.with_states(|states| states.coming.convolved.push(state));
        }
    }

    /// Ends a layer that has run over `tokens` tokens: its new state replaces the former one.
    pub fn update_layer_state(&self, tokens: u64) {
        self.with_states(|states| {
            if states.layers.len() <= states.next {
                states.layers.push(LayerState::default());
            }
            let coming = std::mem::take(&mut states.coming);
            let layer = &mut states.layers[states.next];
            states.next += 1;
            layer.seen += tokens;
            for (kept, new) in [
                (&mut layer.recurrent, coming.recurrent),
                (&mut layer.convolved, coming.convolved),
                (&mut layer.attended, coming.attended),
            ] {
                if !new.is_empty() {
                    *kept = new;
                }
            }
        });
    }

    /// Keys and values `[B, T, K D]` of all tokens so far, where there is a cache; they are kept.
    /// Also returns the keys and values of earlier tokens and the new ones, which the layer holds since 0.6.0.
    pub fn attended(&self, new: [Tensor; 2]) -> ([Tensor; 2], Vec<Tensor>) {
        let before = self.with_states(|states| match states.current() {
            Some(layer) => layer.attended.clone(),
            None => Vec::new(),
        });
        let Some(before) = before else {
            return (new, Vec::new());
        };
        let tokens = new[0].dim(TOKENS);
        let all = if let [k, v] = &before[..] {
            let joined = |old: &Tensor, new: &Tensor| self.cat(&[old, new], TOKENS);
            [joined(k, &new[0]), joined(v, &new[1])]
        } else {
            new.clone()
        };
        for x in &all {
            x.set_category(Category::KvCache);
        }
        let held = match self.backend().fla {
            FlaVersion::V060 => before.into_iter().chain(new).collect(),
            FlaVersion::V022 => Vec::new(),
        };
        self.with_states(|states| states.coming.attended.extend(all.iter().cloned()));
        self.update_layer_state(tokens);
        (all, held)
    }
}
