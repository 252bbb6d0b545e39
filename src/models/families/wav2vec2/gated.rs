//! Attention of `WavLM` (`models/wavlm/modeling_wavlm.py` of transformers 5.23): scores have biases for
//! distances, which each position weighs by a gate of its own.

use crate::model::SpeechConfig;
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Embedding, Linear};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The results of attention.
pub(super) struct Attended {
    /// `[B, S, H]`.
    pub(super) out: Tensor,
    /// The weights, which the layer holds: of all heads, or their mean.
    pub(super) weights: Option<Tensor>,
    /// The biases of distances that the layers below are given.
    pub(super) biases: Option<Tensor>,
}

/// `WavLMAttention`.
pub(crate) struct GatedAttention {
    /// Projections to keys, values and queries, and that of the result. Their weights are read past any adapter.
    projections: [Linear; 4],
    /// `[1, A, 1, 1]`.
    factor: Tensor,
    gate: Linear,
    /// A bias of each head for each distance, in the first layer.
    distances: Option<Embedding>,
    heads: u64,
    options: AttentionOptions,
}

impl GatedAttention {
    /// Attention of the `first` layer or of another.
    pub(crate) fn new(
        b: &Builder,
        c: &SpeechConfig,
        first: bool,
        options: AttentionOptions,
    ) -> Self {
        let (hidden, heads) = (c.hidden_size, c.num_attention_heads);
        let linear = |name| Linear::new(&b.at(name), hidden, hidden, true);
        let projections = || ["k_proj", "v_proj", "q_proj", "out_proj"].map(linear);
        let (factor, projections) =
            b.parameter_after("gru_rel_pos_const", [1, heads, 1, 1], projections);
        let table = || Embedding::new(&b.at("rel_attn_embed"), c.buckets, heads);
        Self {
            projections,
            factor,
            gate: Linear::new(&b.at("gru_rel_pos_linear"), c.head_dim, 8, true),
            distances: first.then(table),
            heads,
            options,
        }
    }

    /// `[B, S, H]` to the same; the biases are `[B A, S, S]`.
    pub(crate) fn attend(&self, t: &Tape, x: &Tensor, biases: Option<Tensor>) -> Attended {
        let (b, s) = (x.dim(0), x.dim(1));
        let biases = biases.or_else(|| self.biases(t, b, s));
        let parted = t.view(x, [b, s, self.heads, x.dim(2) / self.heads]);
        let parted = t.transpose(&parted, 1, 2);
        let projected = {
            let wide = t.scoped("gru_rel_pos_linear", None, || self.gate.forward(t, &parted));
            t.sum_dim(&t.view(&wide, [b, self.heads, s, 2, 4]), 4, false)
        };
        let [first, second] = t.split(&t.sigmoid(&projected), [1, 1], -1);
        let gate = {
            let product = {
                let shifted = {
                    let scaled = t.mul(&second, &self.factor);
                    t.add_scalar(&scaled)
                };
                t.mul(&first, &shifted)
            };
            t.add_scalar(&product)
        };
        let gated = biases
            .as_ref()
            .map(|biases| t.mul(&t.view(&gate, [b * self.heads, s, 1]), biases));
        let (out, weights) = self.attend_over(t, x, gated.as_ref());
        drop((projected, first, second, gate, gated));
        Attended {
            out,
            weights: Some(weights),
            biases,
        }
    }

    /// `F.multi_head_attention_forward` with weights: `[B, S, H]` to the same, and the mean of the
    /// weights of all heads.
    fn attend_over(&self, t: &Tape, x: &Tensor, bias: Option<&Tensor>) -> (Tensor, Tensor) {
        let (b, s, h) = (x.dim(0), x.dim(1), x.dim(2));
        let x = t.transpose(x, 0, 1);
        let [k, v, q, out] = &self.projections;
        let of = [q, k, v];
        let all: Vec<Tensor> = of.iter().filter_map(|linear| linear.bias()).collect();
        let joined = t.cat(&all.iter().collect::<Vec<_>>(), 0);
        let parts = t.split(&joined, [h; 3], 0);
        let [q, k, v] = [0, 1, 2].map(|i| match of[i].weight() {
            Some(weight) => t.linear(&x, weight, Some(&parts[i])),
            None => x.clone(),
        });
        let transposed = |y: Tensor| {
            let parted = t.view(&y, [s, b * self.heads, h / self.heads]);
            t.transpose(&parted, 0, 1)
        };
        let [q, k, v] = [q, k, v].map(transposed);
        let mut weights = {
            let scaled = t.mul_scalar(&q);
            let keys = t.transpose(&k, 1, 2);
            drop(k);
            match bias {
                Some(bias) => t.biased_products(bias, &scaled, &keys),
                None => t.batched(&scaled, &keys),
            }
        };
        weights = t.softmax(&weights, None);
        weights = dropped(t, weights, self.options.dropout);
        let attended = t.batched(&weights, &v);
        drop(v);
        let merged = t.reshape(&t.transpose(&attended, 0, 1), [s * b, h]);
        drop(attended);
        let made = match out.weight() {
            Some(weight) => t.linear(&merged, weight, out.bias().as_ref()),
            None => merged.clone(),
        };
        drop(merged);
        let mean = t.mean_of_rows(&t.view(&weights, [b, self.heads, s * s]));
        drop((weights, joined, q));
        (t.transpose(&t.view(&made, [s, b, h]), 0, 1), mean)
    }

    /// `compute_bias` of the first layer for each sample: `[B A, S, S]`.
    fn biases(&self, t: &Tape, b: u64, s: u64) -> Option<Tensor> {
        let table = self.distances.as_ref()?;
        let square = |op, dtype| t.empty(op, Shape::from([s, s]), dtype);
        let whole = |op| square(op, DType::Int64);
        let values = {
            let places = [(); 2].map(|()| t.empty("arange", Shape::from([s]), DType::Int64));
            let distance = whole("sub");
            let buckets = {
                let after = {
                    let flags = square("gt", DType::Bool);
                    let after = whole("_to_copy");
                    drop(flags);
                    after
                };
                let buckets = whole("mul");
                drop(after);
                let distance = whole("abs");
                let near = square("lt", DType::Bool);
                let mut logarithm = square("_to_copy", DType::Float32);
                for op in ["div", "log", "div", "mul"] {
                    logarithm = square(op, DType::Float32);
                }
                let far = {
                    let far = {
                        let _shifted = square("add", DType::Float32);
                        whole("_to_copy")
                    };
                    let _most = whole("full_like");
                    let _far = far;
                    whole("minimum")
                };
                drop(whole("where"));
                drop((distance, near, logarithm, far));
                buckets
            };
            let values = t.scoped("rel_attn_embed", None, || table.forward(t, &buckets));
            drop((places, distance));
            t.permute(&values, &[2, 0, 1])
        };
        let repeated = t.repeat_along(&t.unsqueeze(&values, 0), 0, b);
        Some(t.view(&repeated, [b * self.heads, s, s]))
    }
}
