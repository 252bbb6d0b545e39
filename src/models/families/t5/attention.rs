//! Attention of T5: scores that are not scaled, with a learned bias for relative positions that
//! the first layer makes and the others share.

use super::network::T5Options;
use crate::ask::{ActivationCheckpointing, Attention};
use crate::model::{T5Config, Transformers};
use crate::nn::attention::{dropped, in_heads};
use crate::nn::build::{Builder, Embedding, Linear};
use crate::tape::{Sdpa, Tape, Tensor};
use crate::units::{DType, Shape};

/// `T5Attention`, of a layer to itself or to the encoder.
pub(crate) struct T5Attention {
    q: Linear,
    k: Linear,
    v: Linear,
    o: Linear,
    relative_attention_bias: Option<Embedding>,
    decoder: bool,
    head_dim: u64,
    options: T5Options,
}

/// The results of attention.
pub(crate) struct Attended {
    /// `[B, S, H]`.
    pub(crate) output: Tensor,
    /// The bias `[1 or B, A, S, S]` that was added to the scores.
    pub(crate) bias: Tensor,
    /// The probabilities, where the caller is handed them.
    pub(crate) weights: Option<Tensor>,
}

/// Inputs of attention besides the hidden states.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    /// The encoder's result, to attend to it.
    pub(crate) encoder: Option<&'a Tensor>,
    pub(crate) mask: Option<&'a Tensor>,
    /// The bias of the layers before.
    pub(crate) bias: Option<&'a Tensor>,
}

impl T5Attention {
    pub(crate) fn new(
        b: &Builder,
        c: &T5Config,
        options: T5Options,
        decoder: bool,
        biased: bool,
    ) -> Self {
        let inner = c.num_heads * c.d_kv;
        let into = |name| Linear::new(&b.at(name), c.d_model, inner, false);
        let (q, k, v) = (into("q"), into("k"), into("v"));
        let o = Linear::new(&b.at("o"), inner, c.d_model, false);
        let relative_attention_bias = biased.then(|| {
            let b = b.at("relative_attention_bias");
            Embedding::new(&b, c.relative_attention_num_buckets, c.num_heads)
        });
        Self {
            q,
            k,
            v,
            o,
            relative_attention_bias,
            decoder,
            head_dim: c.d_kv,
            options,
        }
    }

    pub(crate) fn forward(&self, t: &Tape, x: &Tensor, given: Given) -> Attended {
        let from = given.encoder.unwrap_or(x);
        let heads =
            |projection: &Linear, x: &Tensor| in_heads(t, &projection.forward(t, x), self.head_dim);
        let q = heads(&self.q, x);
        let project = || (heads(&self.k, from), heads(&self.v, from));
        let (k, v) = if given.encoder.is_some() {
            t.crossed(project)
        } else {
            let (k, v) = project();
            if self.decoder { t.cached(k, v) } else { (k, v) }
        };
        let mut locals = Vec::new();
        let Attended {
            output: out,
            bias,
            weights,
        } = if self.options.facts.transformers == Transformers::V5 {
            self.attend(t, [&q, &k, &v], given)
        } else {
            let (output, bias) = self.attend_in_place(t, [&q, &k, &v], given, &mut locals);
            Attended {
                output,
                bias,
                weights: None,
            }
        };
        let output = {
            let merged = t.reshape(&out, [x.dim(0), x.dim(1), out.dim(2) * out.dim(3)]);
            drop(out);
            self.o.forward(t, &merged)
        };
        drop((q, k, v, locals));
        Attended {
            output,
            bias,
            weights,
        }
    }

    /// transformers 5: `eager_attention_forward`, or sdpa with the bias as its mask.
    fn attend(&self, t: &Tape, [q, k, v]: [&Tensor; 3], given: Given) -> Attended {
        let bias = given.bias.cloned();
        let bias = bias.unwrap_or_else(|| self.bias(t, q, k, q.dtype()));
        if self.options.attention != Attention::Eager {
            let causal = self.decoder && given.encoder.is_none() && q.dim(2) > 1;
            let mask = bias_mask(t, &bias, given.mask, causal, [q, k]);
            let sdpa = Sdpa {
                forced: self.options.forced,
                causal: false,
                dropout: self.options.dropout,
                grouped: false,
                ring: None,
            };
            let out = t.sdpa(q, k, v, Some(&mask), sdpa);
            let out = t.transpose(&out, 1, 2);
            return Attended {
                output: t.contiguous(&out),
                bias,
                weights: None,
            };
        }
        let mut weights = {
            let product = t.matmul(q, &t.transpose(k, 2, 3));
            t.mul_scalar(&product)
        };
        weights = t.add(&weights, &bias);
        if let Some(mask) = given.mask {
            weights = t.add(&weights, mask);
        }
        weights = t.softmax(&weights, None);
        weights = dropped(t, weights, self.options.dropout);
        let out = t.matmul(&weights, v);
        let out = t.transpose(&out, 1, 2);
        Attended {
            output: t.contiguous(&out),
            bias,
            weights: Some(weights),
        }
    }

    /// transformers 4: the bias includes the mask and is added to the scores in place. `locals` live
    /// until the function returns.
    fn attend_in_place(
        &self,
        t: &Tape,
        [q, k, v]: [&Tensor; 3],
        given: Given,
        locals: &mut Vec<Tensor>,
    ) -> (Tensor, Tensor) {
        let scores = t.matmul(q, &t.transpose(k, 2, 3));
        let mut length = None;
        let bias = if let Some(bias) = given.bias {
            bias.clone()
        } else {
            if given.encoder.is_none() {
                // cache_position[-1] + 1
                length = Some(t.empty("add", Shape::new(&[]), DType::Int64));
            }
            let bias = self.bias(t, q, k, scores.dtype());
            match given.mask {
                Some(mask) => t.add(&bias, mask),
                None => bias,
            }
        };
        let scores = t.add_in_place(scores, &bias);
        let weights = {
            let probabilities = {
                let wide = t.to(&scores, DType::Float32);
                t.softmax(&wide, None)
            };
            t.to(&probabilities, scores.dtype())
        };
        let weights = dropped(t, weights, self.options.dropout);
        let out = t.matmul(&weights, v);
        let out = {
            let out = t.transpose(&out, 1, 2);
            t.contiguous(&out)
        };
        locals.extend([Some(scores), length, Some(weights)].into_iter().flatten());
        (out, bias)
    }

    /// The bias of the first layer: learned, or zeros `[1, A, S, S]` towards the encoder.
    fn bias(&self, t: &Tape, q: &Tensor, k: &Tensor, dtype: DType) -> Tensor {
        let (heads, queries, keys) = (q.dim(1), q.dim(2), k.dim(2));
        let Some(table) = &self.relative_attention_bias else {
            let zeros = t.empty("zeros", Shape::from([1, heads, queries, keys]), dtype);
            let trains = self.options.checkpointing != ActivationCheckpointing::None;
            return if trains && !self.options.own_biases {
                t.input_leaf(&zeros)
            } else {
                zeros
            };
        };
        let values = {
            let (buckets, _positions) = self.buckets(t, queries, keys);
            table.forward(t, &buckets)
        };
        let values = t.permute(&values, &[2, 0, 1]);
        let values = t.unsqueeze(&values, 0);
        if self.options.facts.transformers == Transformers::V5 {
            return values;
        }
        // position_bias[:, :, -seq_length:, :]
        self.options.facts.index_all(t, &values, 4)
    }

    /// `_relative_position_bucket` of all distances: indices `[S, S]`, and what the caller holds.
    fn buckets(&self, t: &Tape, queries: u64, keys: u64) -> (Tensor, Vec<Tensor>) {
        let square = |op, dtype| t.empty(op, Shape::from([queries, keys]), dtype);
        let indices = |op| square(op, DType::Int64);
        let range = |n| t.empty("arange", Shape::from([n]), DType::Int64);
        let mut held = Vec::new();
        if self.options.facts.transformers == Transformers::V5 {
            let positions = range(queries);
            held.push(t.add_scalar(&positions));
        }
        held.push(range(keys));
        held.push(indices("sub"));
        let mut buckets = None;
        let distance;
        if self.decoder {
            let past = {
                let _zeros = indices("zeros_like");
                indices("minimum")
            };
            distance = t.neg(&past);
        } else {
            let scaled = {
                let wide = {
                    let positive = square("gt", DType::Bool);
                    let wide = indices("_to_copy");
                    drop(positive);
                    wide
                };
                let scaled = indices("mul");
                drop(wide);
                scaled
            };
            buckets = Some(t.add_scalar(&scaled));
            drop(scaled);
            distance = indices("abs");
        }
        let small = square("lt", DType::Bool);
        // A variable of its own in UMT5.
        let ratio;
        let large = {
            let mut float = square("_to_copy", DType::Float32);
            for op in ["div", "log", "div", "mul"] {
                float = square(op, DType::Float32);
            }
            let whole = indices("_to_copy");
            ratio = Some(float).filter(|_| self.options.own_biases);
            let shifted = indices("add");
            drop(whole);
            let _most = indices("full_like");
            let large = indices("minimum");
            drop(shifted);
            large
        };
        let chosen = indices("where");
        let buckets = buckets.unwrap_or_else(|| t.add_scalar(&chosen));
        drop((chosen, distance, small, large, ratio));
        (buckets, held)
    }
}

/// `create_position_bias_mask` (`integrations/sdpa_attention.py`, transformers 5.23): the bias where
/// positions see each other.
fn bias_mask(
    t: &Tape,
    bias: &Tensor,
    mask: Option<&Tensor>,
    causal: bool,
    [q, k]: [&Tensor; 2],
) -> Tensor {
    let mut allowed = None;
    let masked = match mask {
        Some(mask) => t.where_allowed(mask, bias),
        None if causal => {
            let (queries, keys) = (q.dim(2), k.dim(2));
            let ranges = [queries, keys].map(|n| t.empty("arange", Shape::from([n]), DType::Int64));
            let earlier = t.empty("ge", Shape::from([1, 1, queries, keys]), DType::Bool);
            drop(ranges);
            let masked = t.where_allowed(&earlier, bias);
            allowed = Some(earlier);
            masked
        }
        None => bias.clone(),
    };
    let mask = t.contiguous(&masked);
    drop(allowed);
    mask
}
