//! The cache that a model keeps from one forward pass to the next: the keys and values of its attention
//! layers.
//!
//! Source: `cache_utils.py`, transformers 4.48, 4.51 and 5.23: `DynamicCache` grows by concatenation.

use super::cache_kind::CacheKind;
use super::fixed_cache::Places;
use super::layer_states::{LayerState, LayerStates};
use super::repeats::Standing;
use super::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// Keys and values `[B, K, T, D]` by layer, in the order in which the layers run.
pub struct KeyValueCache {
    kind: CacheKind,
    /// The index tensors by which keys and values are written, if the model makes them beforehand.
    pub(super) places: Option<Places>,
    /// Tensors that later tuples have replaced.
    replaced: Vec<Tensor>,
    pub(super) layers: Vec<CachedLayer>,
    /// Keys and values of the encoder's result, by layer of the decoder: made once.
    crossed: Vec<(Tensor, Tensor)>,
    /// Tokens that each layer sees; layers that are not listed see all.
    windows: Vec<Option<u64>>,
    /// States that layers change in place.
    states: Vec<Tensor>,
    /// The index of the layer that asks next, of the next that asks for keys and values of the encoder's result, and of
    /// the next state.
    next: usize,
    next_crossed: usize,
    next_state: usize,
    /// States of layers that are replaced by new ones.
    pub(super) replaced_states: LayerStates,
}

#[derive(Clone)]
pub(super) struct CachedLayer {
    pub(super) keys: Tensor,
    pub(super) values: Tensor,
    /// Keys `[B, T, D]` that an indexer compares.
    pub(super) indexed: Option<Tensor>,
    /// Tokens that the layer has seen.
    pub(super) seen: u64,
    /// The window as a number on the device.
    pub(super) window: Option<Tensor>,
}

/// How far layers have come in the cache: which asks next in each of its lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor([usize; 4]);

impl std::ops::Sub for Cursor {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|list| self.0[list] - other.0[list]))
    }
}

/// Tensors of one layer in one list.
trait Kept: Clone {
    fn tensors(&mut self) -> Vec<&mut Tensor>;
}

impl Kept for CachedLayer {
    fn tensors(&mut self) -> Vec<&mut Tensor> {
        let kept = [&mut self.keys, &mut self.values];
        let beside = [self.indexed.as_mut(), self.window.as_mut()];
        kept.into_iter()
            .chain(beside.into_iter().flatten())
            .collect()
    }
}

impl Kept for (Tensor, Tensor) {
    fn tensors(&mut self) -> Vec<&mut Tensor> {
        vec![&mut self.0, &mut self.1]
    }
}

impl Kept for Tensor {
    fn tensors(&mut self) -> Vec<&mut Tensor> {
        vec![self]
    }
}

impl Kept for LayerState {
    fn tensors(&mut self) -> Vec<&mut Tensor> {
        self.all()
    }
}

/// The storage ids of the tensors that layers `from..to` of `list` keep.
fn places<K: Kept>(list: &[K], [from, to]: [usize; 2]) -> impl Iterator<Item = u32> + '_ {
    let layers = list.get(from..to).unwrap_or_default();
    let place = |tensor: &mut Tensor| tensor.storage_id();
    layers.iter().flat_map(move |kept| {
        let mut kept = kept.clone();
        let places: Vec<u32> = kept.tensors().into_iter().map(place).collect();
        places
    })
}

/// Copies the cache entries of layers `from..to` to the layers `distance` times `to - from` further on.
fn repeated<K: Kept>(
    list: &mut Vec<K>,
    [from, to]: [usize; 2],
    distance: usize,
    standing: &mut Standing,
) {
    for at in from..to {
        let there = at + distance * (to - from);
        let mut kept = list[at].clone();
        let mut had = list.get(there).cloned();
        let mut had = had.iter_mut().flat_map(Kept::tensors);
        for tensor in kept.tensors() {
            *tensor = standing.instead(tensor, had.next().map(|had| &*had));
        }
        match list.get_mut(there) {
            Some(place) => *place = kept,
            None => list.push(kept),
        }
    }
}

/// The dimension of the tokens.
pub(super) const TOKENS: isize = 2;
const TOKENS_OF_INDEXER: isize = 1;

impl Tape {
    /// From here on attention keeps its keys and values, and starts with an empty cache. `windows` holds the tokens
    /// that each layer sees. A cache of fixed size has the index tensors that `places` describes.
    pub fn open_cache(&self, kind: CacheKind, places: Places, windows: Vec<Option<u64>>) {
        let windowed = matches!(kind, CacheKind::Joined | CacheKind::Fixed);
        *self.cache.borrow_mut() = Some(KeyValueCache {
            kind,
            places: (kind == CacheKind::Fixed).then_some(places),
            replaced: Vec::new(),
            layers: Vec::new(),
            crossed: Vec::new(),
            windows: if windowed { windows } else { Vec::new() },
            states: Vec::new(),
            next: 0,
            next_crossed: 0,
            next_state: 0,
            replaced_states: LayerStates::default(),
        });
    }

    /// Takes the cache of attention, which keeps nothing more.
    pub fn take_cache(&self) -> Option<KeyValueCache> {
        self.cache.take()
    }

    /// Drops what attention has kept; it keeps nothing more.
    pub fn close_cache(&self) {
        drop(self.take_cache());
    }

    /// Drops the tuples that later ones have replaced.
    pub fn drop_replaced_cache(&self) {
        if let Some(cache) = self.cache.borrow_mut().as_mut() {
            cache.replaced.clear();
        }
    }

    /// Whether attention keeps keys and values.
    pub fn has_cache(&self) -> bool {
        self.cache.borrow().is_some()
    }

    /// Runs a layer that is not given the cache, as an encoder and checkpointed layers are not
    /// (`GradientCheckpointingLayer`, `modeling_layers.py`, transformers 5.23).
    pub fn without_cache<R>(&self, layer: impl FnOnce() -> R) -> R {
        let cache = self.take_cache();
        let result = layer();
        self.cache.replace(cache);
        result
    }

    /// A forward pass begins: the next layer that asks is the first.
    pub(super) fn rewind_cache(&self) {
        if let Some(cache) = self.cache.borrow_mut().as_mut() {
            cache.next = 0;
            cache.next_crossed = 0;
            cache.next_state = 0;
            cache.replaced_states.rewind();
        }
    }

    /// How keys and values are kept, if they are.
    pub(super) fn cache_kind(&self) -> Option<CacheKind> {
        self.cache.borrow().as_ref().map(|cache| cache.kind)
    }

    /// The layer that asks next.
    pub(super) fn cache_cursor(&self) -> Cursor {
        let cache = self.cache.borrow();
        cache.as_ref().map_or(Cursor::default(), |cache| {
            let states = cache.replaced_states.next();
            Cursor([cache.next, cache.next_crossed, cache.next_state, states])
        })
    }

    /// The storage ids of all cache entries of the layers between two cursors.
    pub(super) fn kept_between(&self, from: Cursor, to: Cursor) -> Vec<u32> {
        let cache = self.cache.borrow();
        let Some(cache) = cache.as_ref() else {
            return Vec::new();
        };
        let between = |list: usize| [from.0[list], to.0[list]];
        places(&cache.layers, between(0))
            .chain(places(&cache.crossed, between(1)))
            .chain(places(&cache.states, between(2)))
            .chain(places(cache.replaced_states.layers(), between(3)))
            .collect()
    }

    /// Fills the cache entries of the layer `distance` further than the one between two cursors, which is not run, with
    /// copies of that one's.
    pub(super) fn repeat_cache(
        &self,
        [from, to]: [Cursor; 2],
        distance: usize,
        standing: &mut Standing,
    ) {
        let mut cache = self.cache.borrow_mut();
        let Some(cache) = cache.as_mut() else {
            return;
        };
        let between = |list: usize| [from.0[list], to.0[list]];
        repeated(&mut cache.layers, between(0), distance, standing);
        repeated(&mut cache.crossed, between(1), distance, standing);
        repeated(&mut cache.states, between(2), distance, standing);
        let states = cache.replaced_states.layers_mut();
        repeated(states, between(3), distance, standing);
        let Cursor(one) = to - from;
        cache.next += one[0];
        cache.next_crossed += one[1];
        cache.next_state += one[2];
        cache.replaced_states.advance(one[3]);
    }

    /// Tokens that earlier passes have left in the cache; 0 without one.
    pub fn cached_tokens(&self) -> u64 {
        let cache = self.cache.borrow();
        let first = cache.as_ref().and_then(|cache| cache.layers.first());
        first.map_or(0, |layer| layer.seen)
    }

    /// `past_key_values.update(k, v, layer)`: all keys and values so far, `[B, K, T, D]`, where
    /// there is a cache. A layer with a window keeps as many tokens as the next one sees.
    pub fn cached(&self, k: Tensor, v: Tensor) -> (Tensor, Tensor) {
        let mut cache = self.cache.borrow_mut();
        let Some(cache) = cache.as_mut() else {
            return (k, v);
        };
        let at = cache.next;
        cache.next += 1;
        let window = cache.windows.get(at).copied().flatten();
        let tokens = k.dim(TOKENS);
        if let Some(places) = cache.places {
            return places.keep(self, (&mut cache.layers, at), &[k, v], window);
        }
        if cache.layers.len() <= at && cache.kind != CacheKind::Joined {
            kept_as_they_are([&k, &v]);
            cache.layers.push(CachedLayer {
                keys: k.clone(),
                values: v.clone(),
                indexed: None,
                seen: tokens,
                window: None,
            });
            return (k, v);
        }
        if cache.layers.len() <= at {
            let number = || self.empty("_to_copy", Shape::new(&[]), DType::Int64);
            let number = window.map(|_| number());
            let (keys, values) = self.joined_to_nothing(&k, &v);
            cache.layers.push(CachedLayer {
                keys: self.last_tokens(&keys, window),
                values: self.last_tokens(&values, window),
                indexed: None,
                seen: tokens,
                window: number,
            });
            return (keys, values);
        }
        let layer = &mut cache.layers[at];
        layer.seen += tokens;
        if cache.kind == CacheKind::Tuples {
            cache.replaced.push(layer.keys.clone());
            cache.replaced.push(layer.values.clone());
        }
        let keys = self.joined(&[&layer.keys, &k]);
        // Without a window the old keys go before the values come.
        if window.is_none() {
            layer.keys = keys.clone();
        }
        let values = self.joined(&[&layer.values, &v]);
        layer.keys = self.last_tokens(&keys, window);
        layer.values = self.last_tokens(&values, window);
        (keys, values)
    }

    /// `past_key_values.update_indexer(k, layer)`: all keys `[B, T, D]` so far that the indexer of the layer
    /// compares which has just kept its own, where there is a cache (`DynamicIndexedLayer`).
    pub fn cached_for_indexer(&self, k: Tensor) -> Tensor {
        let mut cache = self.cache.borrow_mut();
        let Some(cache) = cache.as_mut() else {
            return k;
        };
        let last = cache.next.checked_sub(1);
        let Some(layer) = last.and_then(|at| cache.layers.get_mut(at)) else {
            return k;
        };
        let parts: Vec<&Tensor> = layer.indexed.iter().chain([&k]).collect();
        let all = self.cat(&parts, TOKENS_OF_INDEXER);
        all.set_category(Category::KvCache);
        layer.indexed = Some(all.clone());
        all
    }

    /// Whether an earlier pass has left the next state that is asked for.
    pub fn knows_state(&self) -> bool {
        let cache = self.cache.borrow();
        cache
            .as_ref()
            .is_some_and(|cache| cache.next_state < cache.states.len())
    }

    /// The next of the states that layers change in place, where there is a cache, and whether an earlier pass has left
    /// it; if none has, it is made of zeros (`LinearAttentionLayer`).
    pub fn state(&self, shape: impl Into<Shape>, dtype: DType) -> Option<(Tensor, bool)> {
        let mut cache = self.cache.borrow_mut();
        let cache = cache.as_mut()?;
        let at = cache.next_state;
        cache.next_state += 1;
        if let Some(known) = cache.states.get(at) {
            return Some((known.clone(), true));
        }
        let state = self.allocate("zeros", shape.into(), dtype, Category::KvCache);
        cache.states.push(state.clone());
        Some((state, false))
    }

    /// `cross_attention_cache.update(k, v, layer)`: the keys and values of the encoder's result, which
    /// each layer of a decoder makes in its first pass, where there is a cache.
    pub fn crossed(&self, project: impl FnOnce() -> (Tensor, Tensor)) -> (Tensor, Tensor) {
        let known = self.cache.borrow_mut().as_mut().map(|cache| {
            let at = cache.next_crossed;
            cache.next_crossed += 1;
            (cache.crossed.get(at).cloned(), cache.kind)
        });
        match known {
            None => project(),
            Some((Some(kept), _)) => kept,
            Some((None, kind)) => {
                let (k, v) = project();
                let kept = if kind == CacheKind::Joined {
                    self.joined_to_nothing(&k, &v)
                } else {
                    kept_as_they_are([&k, &v]);
                    (k, v)
                };
                if let Some(cache) = self.cache.borrow_mut().as_mut() {
                    cache.crossed.push(kept.clone());
                }
                kept
            }
        }
    }

    fn joined(&self, parts: &[&Tensor]) -> Tensor {
        let all = self.cat(parts, TOKENS);
        all.set_category(Category::KvCache);
        all
    }

    /// The first keys and values: both begin as nothing in the dtype of the keys, which the values
    /// take on.
    fn joined_to_nothing(&self, k: &Tensor, v: &Tensor) -> (Tensor, Tensor) {
        let nothing = {
            let mut shape = *v.shape();
            shape.dims_mut()[TOKENS.unsigned_abs()] = 0;
            self.empty("tensor", shape, k.dtype())
        };
        (self.joined(&[k]), self.joined(&[&nothing, v]))
    }

    /// The tokens that a layer with a window needs for the next pass: a view of the last.
    fn last_tokens(&self, x: &Tensor, window: Option<u64>) -> Tensor {
        let tokens = x.dim(TOKENS);
        match window {
            Some(window) if tokens >= window => self.slice(x, TOKENS, tokens + 1 - window, tokens),
            _ => x.clone(),
        }
    }

    /// Lengthens what every layer keeps by `tokens` tokens, as passes over them one by one do.
    pub fn grow_cache(&self, tokens: u64) {
        let mut cache = self.cache.borrow_mut();
        let Some(cache) = cache.as_mut() else {
            return;
        };
        let now = || self.recorder.ends().1;
        let start = now();
        for (at, layer) in cache.layers.iter_mut().enumerate() {
            let window = cache.windows.get(at).copied().flatten();
            layer.seen += tokens;
            if cache.places.is_some() {
                continue;
            }
            let longer = |x: &Tensor, along: isize| {
                let mut shape = *x.shape();
                let kept = shape.dim(along) + tokens;
                shape.dims_mut()[along.unsigned_abs()] =
                    window.map_or(kept, |window| kept.min(window - 1));
                let all = self.empty("cat", shape, x.dtype());
                all.set_category(Category::KvCache);
                all
            };
            layer.keys = longer(&layer.keys, TOKENS);
            layer.values = longer(&layer.values, TOKENS);
            let indexed = layer.indexed.as_ref();
            layer.indexed = indexed.map(|keys| longer(keys, TOKENS_OF_INDEXER));
        }
        self.made_for_layers(start, cache.layers.len());
        let start = now();
        cache.replaced_states.grow(self, tokens);
        self.made_for_layers(start, cache.replaced_states.layers().len());
    }

    /// Converts all keys and values to float32, as those of tuples are; returns the former tensors.
    pub fn widen_cache(&self) -> Vec<Tensor> {
        let mut cache = self.cache.borrow_mut();
        let Some(KeyValueCache {
            layers, crossed, ..
        }) = cache.as_mut()
        else {
            return Vec::new();
        };
        let mut crossed = crossed.iter_mut();
        let mut replaced = Vec::new();
        for layer in layers {
            let crossed = crossed.next().into_iter().flat_map(Kept::tensors);
            for x in layer.tensors().into_iter().chain(crossed) {
                let wide = self.to(x, DType::Float32);
                replaced.push(std::mem::replace(x, wide));
            }
        }
        replaced
    }

    /// `cache.reorder_cache(beams)`: every layer's keys and values are copied in another order.
    pub fn reorder_cache(&self) {
        let mut cache = self.cache.borrow_mut();
        let copy = |x: &mut Tensor| {
            let copy = self.empty("index_select", *x.shape(), x.dtype());
            copy.set_category(Category::KvCache);
            *x = copy;
        };
        let now = || self.recorder.ends().1;
        for cache in cache.iter_mut() {
            let start = now();
            cache.replaced_states.reorder(self);
            self.made_for_layers(start, cache.replaced_states.layers().len());
            let start = now();
            for layer in &mut cache.layers {
                layer.tensors().into_iter().for_each(copy);
            }
            self.made_for_layers(start, cache.layers.len());
            for (keys, values) in &mut cache.crossed {
                copy(keys);
                copy(values);
            }
            cache.states.iter_mut().for_each(copy);
        }
    }
}

/// The first keys and values of a cache that takes them without a copy.
fn kept_as_they_are(kept: [&Tensor; 2]) {
    for x in kept {
        if x.category() == Category::Temporaries {
            x.set_category(Category::KvCache);
        }
    }
}
