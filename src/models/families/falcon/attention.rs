//! Falcon's attention and linear layers.

use super::network::Shared;
use crate::ask::{Attention, QuantizationType};
use crate::model::{DecoderConfig, FusedHeads, ResolvedSpec};
use crate::nn::adapters::{BaseWeight, Slot};
use crate::nn::attention::{AttentionOptions, Rotary, dropped, rotary};
use crate::nn::build::{Builder, Facts, Linear};
use crate::tape::{Ring, Sdpa, SdpaKernel, Tape, Tensor};
use crate::units::DType;

/// `FalconLinear`, whose bias is added to a product that is already rounded.
pub(crate) enum FalconLinear {
    Full {
        weight: Tensor,
        bias: Option<Tensor>,
        adapter: Option<Slot>,
    },
    /// bitsandbytes puts a layer of its own in its place, in transformers 4.
    FourBit(Linear),
}

impl FalconLinear {
    /// Weight `[outputs, inputs]`, bias `[outputs]`.
    pub(crate) fn new(b: &Builder, inputs: u64, outputs: u64, bias: bool) -> Self {
        if b.held() != QuantizationType::None {
            return Self::FourBit(Linear::new(b, inputs, outputs, bias));
        }
        let weight = b.parameter("weight", [outputs, inputs]);
        let bias = bias.then(|| b.parameter("bias", [outputs]));
        let base = || BaseWeight::Full(weight.clone());
        Self::Full {
            adapter: b.adapter(inputs, outputs, false, base),
            weight,
            bias,
        }
    }

    /// `[B, S, inputs]` to `[B, S, outputs]`.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::FourBit(layer) => layer.forward(t, x),
            Self::Full {
                weight,
                bias,
                adapter,
            } => {
                let product = t.matmul_transposed(x, weight);
                let result = match bias {
                    Some(bias) => t.add(&product, bias),
                    None => product.clone(),
                };
                drop(product);
                match adapter.as_ref().and_then(|slot| slot.get()) {
                    Some(adapter) => adapter.forward(t, x, result, bias.as_ref()),
                    None => result,
                }
            }
        }
    }
}

/// `FalconAttention`.
pub(crate) struct SelfAttention {
    query_key_value: FalconLinear,
    dense: FalconLinear,
    /// In transformers 4 frequencies without use.
    _rotary: Option<Rotary>,
    heads: u64,
    groups: u64,
    head_dim: u64,
    layout: FusedHeads,
    eager: bool,
    forced: Option<SdpaKernel>,
    ring: Option<Ring>,
    dropout: bool,
    facts: Facts,
}

impl SelfAttention {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let (hidden, bias) = (c.hidden_size, c.attention_bias);
        let columns = (c.num_attention_heads + 2 * c.num_key_value_heads) * c.head_dim;
        let options = AttentionOptions::of(spec, facts);
        let query_key_value = FalconLinear::new(&b.at("query_key_value"), hidden, columns, bias);
        let dense = FalconLinear::new(&b.at("dense"), hidden, hidden, bias);
        let unused = facts.sdpa_inputs_contiguous && !c.alibi;
        Self {
            query_key_value,
            dense,
            _rotary: unused.then(|| Rotary::new(&b.at("rotary_emb"), c.rotary_dim, facts)),
            heads: c.num_attention_heads,
            groups: c.num_key_value_heads,
            head_dim: c.head_dim,
            layout: c.fused_heads,
            eager: spec.attention == Attention::Eager,
            forced: options.forced,
            ring: options.ring(),
            dropout: c.dropout.attention,
            facts,
        }
    }

    /// `[B, S, H]` to the same, with the weights of eager attention.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Option<Tensor>) {
        let fused = self.query_key_value.forward(t, x);
        let [mut q, mut k, mut v] = self.split(t, &fused);
        if shared.alibi.is_none() {
            let rotated_q = rotary::apply(t, &q, &shared.cos, &shared.sin);
            let rotated_k = rotary::apply(t, &k, &shared.cos, &shared.sin);
            (q, k) = (rotated_q, rotated_k);
        }
        (k, v) = t.cached(k, v);
        if self.facts.sdpa_inputs_contiguous && !self.eager && shared.mask.is_some() {
            q = t.contiguous(&q);
            k = t.contiguous(&k);
            v = t.contiguous(&v);
        }
        if !self.eager {
            let out = self.sdpa(t, [&q, &k, &v], shared);
            return (self.dense.forward(t, &out), None);
        }
        match &shared.alibi {
            None => self.eager_rotated(t, x.dtype(), [&q, &k, &v], shared),
            Some(alibi) => self.eager_biased(t, x.dtype(), [&q, &k, &v], alibi, shared),
        }
    }

    /// Queries, keys and values `[B, heads, S, D]`.
    fn split(&self, t: &Tape, fused: &Tensor) -> [Tensor; 3] {
        let (b, s, dim) = (fused.dim(0), fused.dim(1), self.head_dim);
        let heads = |x: Tensor| t.transpose(&x, 1, 2);
        match self.layout {
            FusedHeads::Each => {
                let all = t.view(fused, [b, s, self.heads, 3, dim]);
                [0, 1, 2].map(|_| heads(self.facts.index_all(t, &t.select(&all, 3), 1)))
            }
            FusedHeads::Last => {
                let all = t.view(fused, [b, s, self.heads + 2, dim]);
                let one = || t.index_one(&self.facts.index_all(t, &all, 1), 2);
                let q = t.slice(&all, 2, 0, self.heads);
                let q = self.facts.index_all(t, &q, 1);
                [heads(q), heads(one()), heads(one())]
            }
            FusedHeads::Groups => {
                let each = self.heads / self.groups;
                let all = t.view(fused, [b, s, self.groups, each + 2, dim]);
                let q = t.slice(&self.facts.index_all(t, &all, 3), 3, 0, each);
                let one = || t.index_one(&self.facts.index_all(t, &all, 3), 3);
                let (k, v) = (one(), one());
                let flat = |x: &Tensor| {
                    let wide = t.expand(x, *q.shape());
                    t.reshape(&wide, [b, s, self.heads, dim])
                };
                let parts = [t.reshape(&q, [b, s, self.heads, dim]), flat(&k), flat(&v)];
                parts.map(heads)
            }
        }
    }

    /// `[B, S, A x D]`.
    fn sdpa(&self, t: &Tape, [q, k, v]: [&Tensor; 3], shared: &Shared) -> Tensor {
        let mask = shared.mask.as_ref();
        let options = Sdpa {
            forced: self.forced,
            causal: mask.is_none() && q.dim(2) > 1,
            dropout: self.dropout && shared.alibi.is_some(),
            grouped: false,
            ring: self.ring,
        };
        let out = t.sdpa(q, k, v, mask, options);
        self.merged(t, &out)
    }

    fn merged(&self, t: &Tape, out: &Tensor) -> Tensor {
        let (b, s) = (out.dim(0), out.dim(2));
        let out = t.transpose(out, 1, 2);
        t.reshape(&out, [b, s, self.heads * self.head_dim])
    }

    fn eager_rotated(
        &self,
        t: &Tape,
        dtype: DType,
        [q, k, v]: [&Tensor; 3],
        shared: &Shared,
    ) -> (Tensor, Option<Tensor>) {
        let weights = {
            let scores = t.matmul(q, &t.transpose(k, 2, 3));
            let scores = t.scale_in_place(scores);
            let weights = {
                let masked = add_mask(t, &scores, shared.mask.as_ref());
                t.softmax(&masked, Some(dtype))
            };
            drop(scores);
            weights
        };
        let out = {
            let out = t.matmul(&weights, v);
            self.merged(t, &out)
        };
        (self.dense.forward(t, &out), Some(weights))
    }

    fn eager_biased(
        &self,
        t: &Tape,
        dtype: DType,
        [q, k, v]: [&Tensor; 3],
        alibi: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Option<Tensor>) {
        let product = t.matmul(q, &t.transpose(k, 2, 3));
        let scores = t.to(&product, DType::Float32);
        let logits = {
            let biases = t.view(alibi, [q.dim(0), self.heads, 1, k.dim(2)]);
            let sum = t.add(&scores, &biases);
            t.scale_in_place(sum)
        };
        let weights = {
            let masked = add_mask(t, &logits, shared.mask.as_ref());
            t.softmax(&masked, Some(dtype))
        };
        let weights = dropped(t, weights, self.dropout);
        let out = {
            let seen = t.view(&weights, *weights.shape());
            let out = t.matmul(&seen, v);
            self.merged(t, &out)
        };
        let projected = self.dense.forward(t, &out);
        drop((product, scores, logits));
        (projected, Some(weights))
    }
}

fn add_mask(t: &Tape, scores: &Tensor, mask: Option<&Tensor>) -> Tensor {
    match mask {
        Some(mask) => t.add(scores, mask),
        None => scores.clone(),
    }
}
