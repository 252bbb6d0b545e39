//! Attention of Gemma 3n and 4, whose last layers read keys and values of layers before.
//!
//! Source: transformers 5.23, `models/{gemma3n,gemma4}/modeling_*.py`.

use super::attend::{attend_with_weights, joined};
use super::options::AttentionOptions;
use super::rotary;
use crate::model::{DecoderConfig, KeysAndValues, NormKind};
use crate::nn::build::{Builder, Linear, Norm};
use crate::nn::decoder::Shared;
use crate::tape::{Tape, Tensor};

/// The first layer that reads keys and values of layers before, over the positions that are kept.
pub(crate) fn readers_from(c: &DecoderConfig) -> usize {
    let sliced = c.gemma_layers.filter(|_| c.altup.is_none());
    let readers = sliced.map_or(0, |layers| layers.readers);
    usize::try_from(c.num_hidden_layers - readers).unwrap_or(usize::MAX)
}

/// `q_proj`, its norm, `o_proj`, and what makes keys and values where the layer has its own.
pub(crate) struct SharingAttention {
    q_proj: Linear,
    q_norm: Norm,
    own: Option<Own>,
    o_proj: Linear,
    /// Whether values are projected when keys are rotated (Gemma 3n).
    values_last: bool,
    /// Whether later layers read its keys and values.
    keeps: bool,
    /// The index of its kind among the kept states.
    kind: usize,
    head_dim: u64,
    options: AttentionOptions,
}

/// The layers that make a layer's own keys and values.
struct Own {
    norms: [Norm; 2],
    k_proj: Linear,
    /// Nothing where values are what keys are made of.
    v_proj: Option<Linear>,
}

impl SharingAttention {
    /// Of the layer of which `c` is the config alone, the `index`th.
    pub(crate) fn new(
        b: &Builder,
        c: &DecoderConfig,
        options: AttentionOptions,
        index: usize,
    ) -> Self {
        let (columns, near) = (c.head_dim, c.is_windowed(index));
        let queries = c.num_attention_heads * columns;
        let project =
            |name, outputs| Linear::new(&b.at(name), c.hidden_size, outputs, c.attention_bias);
        let norm = |name, kind| Norm::new(&b.at(name), kind, columns);
        let (q_proj, q_norm) = (project("q_proj", queries), norm("q_norm", NormKind::Power));
        let states = c.keys_and_values(index);
        let keys = c.num_key_value_heads * columns;
        let keys_are_values = !near && c.gemma_layers.is_some_and(|layers| layers.keys_are_values);
        let norms = || {
            [
                norm("k_norm", NormKind::Power),
                norm("v_norm", NormKind::BarePower),
            ]
        };
        let projections = || {
            let k_proj = project("k_proj", keys);
            (k_proj, (!keys_are_values).then(|| project("v_proj", keys)))
        };
        let values_last = c.altup.is_some();
        let own = (states != KeysAndValues::Read).then(|| {
            let (norms, (k_proj, v_proj)) = if values_last {
                let projections = projections();
                (norms(), projections)
            } else {
                (norms(), projections())
            };
            Own {
                norms,
                k_proj,
                v_proj,
            }
        });
        let o_proj = Linear::new(&b.at("o_proj"), queries, c.hidden_size, c.attention_bias);
        Self {
            q_proj,
            q_norm,
            own,
            o_proj,
            values_last,
            keeps: states == KeysAndValues::Kept,
            kind: usize::from(near),
            head_dim: columns,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Option<Tensor>) {
        let angles = [&shared.cos, &shared.sin];
        let q = {
            let rows = self
                .q_norm
                .forward(t, &self.parted(t, &self.q_proj.forward(t, x)));
            let rotated = rotary::apply_along(t, &rows, angles, 2);
            t.transpose(&rotated, 1, 2)
        };
        let [k, v] = match &self.own {
            None => self.read(shared),
            Some(own) => {
                let [k, v] = self.made(t, own, x, angles);
                <[Tensor; 2]>::from(t.cached(k, v))
            }
        };
        if self.keeps {
            shared.states.borrow_mut()[self.kind] = Some([k.clone(), v.clone()]);
        }
        let mask = shared.mask.as_ref();
        let (out, weights) = attend_with_weights(t, self.options, &q, &k, &v, mask);
        let out = joined(t, out);
        (self.o_proj.forward(t, &out), weights)
    }

    /// The keys and values of the layer of its kind that kept them last.
    fn read(&self, shared: &Shared) -> [Tensor; 2] {
        let states = shared.states.borrow();
        states[self.kind]
            .clone()
            .expect("a layer of this kind before")
    }

    /// Computes the layer's own keys and values `[B, K, S, D]`.
    fn made(&self, t: &Tape, own: &Own, x: &Tensor, angles: [&Tensor; 2]) -> [Tensor; 2] {
        let [k_norm, v_norm] = &own.norms;
        let mut k = self.parted(t, &own.k_proj.forward(t, x));
        let values = |v_proj: &Linear| self.parted(t, &v_proj.forward(t, x));
        let early = match &own.v_proj {
            Some(_) if self.values_last => None,
            Some(v_proj) => Some(values(v_proj)),
            None => Some(k.clone()),
        };
        k = k_norm.forward(t, &k);
        k = rotary::apply_along(t, &k, angles, 2);
        let k = t.transpose(&k, 1, 2);
        let late = || own.v_proj.as_ref().map(values);
        let v = early.or_else(late).map(|v| v_norm.forward(t, &v));
        let v = v.unwrap_or_else(|| k.clone());
        [k, t.transpose(&v, 1, 2)]
    }

    /// `[B, S, heads x D]` as `[B, S, heads, D]`.
    fn parted(&self, t: &Tape, y: &Tensor) -> Tensor {
        let heads = y.dim(2) / self.head_dim;
        t.view(y, [y.dim(0), y.dim(1), heads, self.head_dim])
    }
}
