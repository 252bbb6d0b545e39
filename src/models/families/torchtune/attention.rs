//! `MultiHeadAttention` (`modules/attention.py`).

use super::rotary::Rotary;
use crate::model::DecoderConfig;
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Linear};
use crate::tape::{Sdpa, Tape, Tensor};
use crate::units::{DType, Shape};

/// Inputs of every layer besides hidden states.
#[derive(Clone)]
pub(super) struct Inputs {
    /// Positions `[B, S]` of tokens within their samples, where those are packed.
    pub(super) positions: Option<Tensor>,
}

/// The linear layers of attention and its rotary embeddings.
pub(super) struct Projections {
    rotary: Rotary,
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    output_proj: Linear,
    head_dim: u64,
}

impl Projections {
    /// The projections of a layer, with the rotary embeddings of all layers or with its own.
    pub(super) fn new(b: &Builder, c: &DecoderConfig, shared: Option<&Rotary>) -> Self {
        let (queries, keys) = (
            c.num_attention_heads * c.head_dim,
            c.num_key_value_heads * c.head_dim,
        );
        let bias = c.attention_bias || c.qkv_bias;
        let linear = |name, outputs| Linear::new(&b.at(name), c.hidden_size, outputs, bias);
        let own = || Rotary::new(&b.at("rotary_emb"), c);
        Self {
            rotary: shared.cloned().unwrap_or_else(own),
            q_proj: linear("q_proj", queries),
            k_proj: linear("k_proj", keys),
            v_proj: linear("v_proj", keys),
            output_proj: Linear::new(&b.at("o_proj"), queries, c.hidden_size, false),
            head_dim: c.head_dim,
        }
    }

    /// `[B, S, heads x D]` as `[B, S, heads, D]`.
    fn parted(&self, t: &Tape, y: &Tensor) -> Tensor {
        let heads = y.dim(2) / self.head_dim;
        t.view(y, [y.dim(0), y.dim(1), heads, self.head_dim])
    }

    /// Queries `[B, S, heads, D]`, rotated.
    pub(super) fn queries(&self, t: &Tape, x: &Tensor, inputs: &Inputs) -> Tensor {
        let q = self.parted(t, &{ self.q_proj.forward(t, x) });
        self.rotary.forward(t, &q, inputs.positions.as_ref())
    }

    /// Keys, rotated, and values `[B, S, heads, D]`.
    pub(super) fn keys_and_values(&self, t: &Tape, x: &Tensor, inputs: &Inputs) -> [Tensor; 2] {
        let k = self.k_proj.forward(t, x);
        let v = self.v_proj.forward(t, x);
        let k = self.parted(t, &{ k });
        let v = self.parted(t, &{ v });
        let rotated = self.rotary.forward(t, &k, inputs.positions.as_ref());
        [rotated, v]
    }

    /// `output.transpose(1, 2).contiguous().view(b, s_x, -1)` through `output_proj`.
    pub(super) fn projected(&self, t: &Tape, out: Tensor) -> Tensor {
        let joined = {
            let rows = t.contiguous(&t.transpose(&out, 1, 2));
            drop(out);
            t.view(&rows, [rows.dim(0), rows.dim(1), rows.dim(2) * rows.dim(3)])
        };
        self.output_proj.forward(t, &joined)
    }
}

/// `MultiHeadAttention`.
pub(super) struct MultiHeadAttention {
    projections: Projections,
    options: AttentionOptions,
}

impl MultiHeadAttention {
    pub(super) fn new(projections: Projections, options: AttentionOptions) -> Self {
        Self {
            projections,
            options,
        }
    }

    /// `[B, S, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor, inputs: &Inputs) -> Tensor {
        let q = t.transpose(&self.projections.queries(t, x, inputs), 1, 2);
        let [k, v] = self.projections.keys_and_values(t, x, inputs);
        let [k, v] = [k, v].map(|x| t.transpose(&x, 1, 2));
        let groups = q.dim(1) / k.dim(1);
        let repeated = |x: Tensor| {
            if groups == 1 {
                return x;
            }
            let (b, heads, s, d) = (x.dim(0), x.dim(1), x.dim(2), x.dim(3));
            let expanded = t.expand(&t.unsqueeze(&x, 2), [b, heads, groups, s, d]);
            t.reshape(&expanded, [b, heads * groups, s, d])
        };
        let k = repeated(k);
        let v = repeated(v);
        let sdpa = Sdpa {
            forced: self.options.forced,
            causal: true,
            dropout: false,
            grouped: false,
            ring: None,
        };
        let out = t.sdpa(&q, &k, &v, None, sdpa);
        let projected = self.projections.projected(t, out);
        drop((q, k, v));
        projected
    }
}

/// Tokens of a block of flex attention's masks (`_DEFAULT_SPARSE_BLOCK_SIZE`, `torch/nn/attention/flex_attention.py`, torch
/// 2.15).
const MASK_BLOCK: u64 = 128;

/// Tensors of the `BlockMask` of packed samples `[B, S]` (`packed_block_causal_mask`, `modules/attention_utils.py`): the sample of
/// each token, and by queries and by keys how many blocks are seen in part or in full, and which.
pub(crate) fn block_mask([samples, tokens]: [u64; 2]) -> Vec<(Shape, DType)> {
    let blocks = tokens.div_ceil(MASK_BLOCK);
    let counts = (Shape::from([samples, 1, blocks]), DType::Int32);
    let places = (Shape::from([samples, 1, blocks, blocks]), DType::Int32);
    let samples_of_tokens = (Shape::from([samples, tokens]), DType::Int64);
    let mut parts = vec![samples_of_tokens];
    parts.extend([counts, places].repeat(4));
    parts
}
