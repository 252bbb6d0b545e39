//! Attention of GPT-Neo, GPT-J and `CodeGen`, whose scores are computed in float32 and in one way only
//! (`models/{gpt_neo,gptj,codegen}/modeling_*.py`, transformers 5.23, 4.51 and 4.48).

use super::kind::Kind;
use crate::model::{DecoderConfig, Transformers};
use crate::nn::attention::{AttentionOptions, dropped, rotary_pairs, without_later};
use crate::nn::build::{Builder, Call, Linear};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `GPTNeoSelfAttention`, `GPTJAttention` or `CodeGenAttention`.
pub(crate) struct WideAttention {
    /// Projections to queries, keys and values, or one to all of them.
    projections: Vec<Linear>,
    out_proj: Linear,
    /// How positions are told, and the buffer that tells them.
    positions: Positions,
    /// Before transformers 5 a number on the device: what GPT-Neo would hide tokens with, what
    /// others divide scores by.
    number: Option<Tensor>,
    heads: u64,
    head_dim: u64,
    options: AttentionOptions,
    dropout: bool,
    call: Rc<Call>,
}

enum Positions {
    /// By the model; which tokens are later is in a mask of all positions `[1, 1, P, P]`.
    Mask(Tensor),
    /// By sines and cosines of all positions `[P, R]` in float32, which each layer gathers.
    Gathered(Tensor),
    /// The same, which each layer indexes.
    Indexed(Tensor),
}

/// Rows of `CodeGen`'s projection that hold queries, values and keys of some heads each (`mp_num`).
const PARTS: u64 = 4;

impl WideAttention {
    pub(super) fn new(
        b: &Builder,
        kind: Kind,
        c: &DecoderConfig,
        options: AttentionOptions,
    ) -> Self {
        let (hidden, rows) = (c.hidden_size, c.position_rows);
        let linear = |name, outputs, bias| Linear::new(&b.at(name), hidden, outputs, bias);
        let table = || b.buffer("embed_positions", [rows, c.rotary_dim], DType::Float32);
        let neo = kind == Kind::Neo;
        let mask = neo.then(|| b.triangle("bias", [1, 1, rows, rows]));
        let name = if neo { "masked_bias" } else { "scale_attn" };
        let number = (options.facts.transformers != Transformers::V5)
            .then(|| b.buffer(name, Shape::new(&[]), b.loaded_dtype()));
        let projections = if kind == Kind::CodeGen {
            vec![linear("qkv_proj", 3 * hidden, false)]
        } else {
            let [k, v, q] = ["k_proj", "v_proj", "q_proj"].map(|name| linear(name, hidden, false));
            vec![q, k, v]
        };
        let out_proj = linear("out_proj", hidden, neo);
        Self {
            out_proj,
            positions: match mask {
                Some(mask) => Positions::Mask(mask),
                None if projections.len() == 1 => Positions::Indexed(table()),
                None => Positions::Gathered(table()),
            },
            projections,
            number,
            heads: c.num_attention_heads,
            head_dim: c.head_dim,
            options,
            dropout: c.dropout.residual,
            call: b.call(),
        }
    }

    /// `[B, S, H]` to the same, with the weights where the block returns them
    /// (transformers 5).
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let (b, s) = (x.dim(0), x.dim(1));
        let ([q, k, v], projected) = self.parts(t, x);
        let ([q, k], held) = self.rotated(t, [q, k]);
        let [q, k, v] = [q, k, v].map(|x| t.transpose(&x, 1, 2));
        // `CodeGen` keeps keys in the dtype of the hidden states.
        let kept = match &self.positions {
            Positions::Indexed(_) if t.has_cache() => t.to(&k, x.dtype()),
            _ => k.clone(),
        };
        let (k, v) = {
            let _wide = k;
            t.cached(kept, v)
        };
        let (out, weights) = self.attend(t, [&q, &k, &v], mask);
        let merged = {
            let merged = t.contiguous(&t.transpose(&out, 1, 2));
            drop(out);
            t.view(&merged, [b, s, self.heads * self.head_dim])
        };
        let result = self.out_proj.forward(t, &merged);
        drop(merged);
        let result = dropped(t, result, self.dropout);
        drop((projected, held, q, k, v));
        let recent = self.options.facts.transformers == Transformers::V5;
        (result, Some(weights).filter(|_| recent))
    }

    /// Queries, keys and values `[B, S, A, D]`, and what all of them are copied from.
    fn parts(&self, t: &Tape, x: &Tensor) -> ([Tensor; 3], Option<Tensor>) {
        let (b, s, dim) = (x.dim(0), x.dim(1), self.head_dim);
        if let [q, k, v] = self.projections.as_slice() {
            let rows = |y: &Tensor| t.view(y, [b, s, self.heads, dim]);
            let all = [q, k, v].map(|projection| projection.forward(t, x));
            return (all.map(|y| rows(&y)), None);
        }
        let all = self.projections[0].forward(t, x);
        let columns = self.heads / PARTS * dim;
        let rows = t.view(&all, [b, s, PARTS, 3 * columns]);
        let [q, v, k] = t.split(&rows, [columns; 3], -1);
        let parts = [q, k, v].map(|part| {
            let heads = t.view(&part, [b, s, PARTS, self.heads / PARTS, dim]);
            t.reshape(&heads, [b, s, self.heads, dim])
        });
        (parts, Some(all))
    }

    /// Queries and keys `[B, S, A, D]` whose first R columns are rotated, and what stays in local
    /// variables.
    fn rotated(&self, t: &Tape, [q, k]: [Tensor; 2]) -> ([Tensor; 2], Vec<Tensor>) {
        let (s, dtype) = (k.dim(1), k.dtype());
        // Positions are those of all samples, unless they are given for each.
        let samples = self.call.positions().map_or(1, |given| given.dim(0));
        let (angles, mut held) = match &self.positions {
            Positions::Mask(_) => return ([q, k], Vec::new()),
            Positions::Gathered(table) => {
                let (rows, columns) = (table.dim(0), table.dim(1));
                let copy = t.empty(
                    "repeat",
                    Shape::from([samples, rows, columns]),
                    DType::Float32,
                );
                let indices = t.empty("repeat", Shape::from([samples, s, columns]), DType::Int64);
                let angles = t.empty("gather", Shape::from([samples, s, columns]), DType::Float32);
                (angles, vec![copy, indices])
            }
            Positions::Indexed(table) => {
                let shape = Shape::from([samples, s, table.dim(1)]);
                (t.empty("index", shape, DType::Float32), Vec::new())
            }
        };
        let recent = self.options.facts.transformers == Transformers::V5;
        let angles = match &self.positions {
            Positions::Gathered(_) if recent => t.to(&angles, dtype),
            _ => angles,
        };
        let columns = angles.dim(-1);
        let all = |x: &Tensor| self.options.facts.index_all(t, x, 3);
        let part = |x: &Tensor, from, to| t.slice(&all(x), -1, from, to);
        let [k_first, k_rest] = [(0, columns), (columns, k.dim(-1))].map(|(a, b)| part(&k, a, b));
        let [q_first, q_rest] = [(0, columns), (columns, q.dim(-1))].map(|(a, b)| part(&q, a, b));
        let spread = || {
            t.empty(
                "clone",
                Shape::from([samples, s, 1, columns]),
                angles.dtype(),
            )
        };
        let rotate = |x: &Tensor| {
            let (sin, cos) = (spread(), spread());
            let straight = t.mul(x, &cos);
            let rotated = {
                let exchanged = rotary_pairs::exchanged(t, [&all(x), &all(x)]);
                t.mul(&exchanged, &sin)
            };
            t.add(&straight, &rotated)
        };
        let (rotated_k, rotated_q) = (rotate(&k_first), rotate(&q_first));
        let whole_k = t.cat(&[&rotated_k, &k_rest], -1);
        drop(k);
        let whole_q = t.cat(&[&rotated_q, &q_rest], -1);
        drop(q);
        held.extend([angles, rotated_k, k_rest, rotated_q, q_rest]);
        ([whole_q, whole_k], held)
    }

    /// Scores divided by a number.
    fn scaled(&self, t: &Tape, scores: &Tensor) -> Tensor {
        match &self.number {
            Some(number) => t.div_by(scores, number),
            None => t.div_scalar(scores),
        }
    }

    /// `_attn`: q, k and v `[B, A, S, D]` to the same and the weights.
    fn attend(&self, t: &Tape, [q, k, v]: [&Tensor; 3], mask: Option<&Tensor>) -> (Tensor, Tensor) {
        let (q, k) = (t.to(q, DType::Float32), t.to(k, DType::Float32));
        let mut scores = t.matmul(&q, &t.transpose(&k, 2, 3));
        let mut lowest = None;
        match &self.positions {
            Positions::Mask(causal) => {
                let (seen, number) = without_later(t, &scores, causal);
                scores = seen;
                lowest = Some(number);
            }
            Positions::Gathered(_) => scores = self.scaled(t, &scores),
            Positions::Indexed(_) => {}
        }
        if let Some(mask) = mask {
            scores = t.add(&scores, mask);
        }
        if matches!(self.positions, Positions::Indexed(_)) {
            scores = self.scaled(t, &scores);
        }
        scores = t.softmax(&scores, None);
        scores = t.to(&scores, v.dtype());
        let weights = dropped(t, scores, self.options.dropout);
        let out = t.matmul(&weights, v);
        drop((q, k, lowest));
        (out, weights)
    }
}
