//! Lightning attention (`MiniMaxLightningAttention`, `models/minimax/modeling_minimax.py`, transformers
//! 5.23): block by block of tokens, attention within a block and from the blocks before.

use crate::model::ScanHeads;
use crate::nn::build::{Builder, Linear, RmsNorm};
use crate::tape::{Tape, Tensor};

/// Local variables of the loop over blocks, which live until the next block has others: decay, scores, the outputs from
/// the block and from the blocks before, the block's update of the state.
type Held = [Option<Tensor>; 5];

/// `MiniMaxLightningAttention`.
pub(crate) struct Lightning {
    norm: RmsNorm,
    qkv_proj: Linear,
    out_proj: Linear,
    output_gate: Linear,
    /// `[A, 1, 1]`, of which all others are made.
    slope_rate: Tensor,
    /// `[A, L, 1]`, of tokens from the start of a block and to its end.
    decays: [Tensor; 2],
    /// `[1, A, L, L]`.
    diagonal: Tensor,
    /// A heads of D columns; L tokens of a block.
    heads: ScanHeads,
    padding: bool,
}

impl Lightning {
    /// From `hidden` columns to as many.
    pub(crate) fn new(b: &Builder, hidden: u64, heads: ScanHeads) -> Self {
        let (count, block, width) = (heads.count, heads.chunk, heads.width());
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let norm = RmsNorm::new(&b.at("norm"), width);
        let qkv_proj = linear("qkv_proj", hidden, 3 * width);
        let out_proj = linear("out_proj", width, hidden);
        let output_gate = linear("output_gate", hidden, width);
        let dtype = b.loaded_dtype();
        let decay = |name| b.buffer(name, [count, block, 1], dtype);
        Self {
            norm,
            qkv_proj,
            out_proj,
            output_gate,
            slope_rate: b.buffer("slope_rate", [count, 1, 1], dtype),
            decays: [decay("query_decay"), decay("key_decay")],
            diagonal: b.buffer("diagonal_decay", [1, count, block, block], dtype),
            heads,
            padding: b.has_padding_mask(),
        }
    }

    /// `[B, S, H]` to the same, and what later tokens would know of all blocks `[B, A, D, D]`.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> (Tensor, Tensor) {
        let (batch, seq) = (x.dim(0), x.dim(1));
        let ScanHeads {
            count,
            columns,
            chunk,
            ..
        } = self.heads;
        let mut joined = {
            let projected = self.qkv_proj.forward(t, x);
            t.silu(&projected)
        };
        if self.padding && seq > 1 {
            joined = t.mul_scalar(&joined);
        }
        let joined = t.reshape(&joined, [batch, seq, count, 3 * columns]);
        let parts: [Tensor; 3] = t.split(&joined, [columns; 3], 3);
        let [query, key, value] = parts.map(|part| t.transpose(&part, 1, 2));
        let mut known = t.empty(
            "zeros",
            [batch, count, columns, columns].into(),
            value.dtype(),
        );
        let mut outputs = Vec::new();
        let mut held = Held::default();
        for start in (0..seq).step_by(usize::try_from(chunk).unwrap_or(usize::MAX)) {
            let end = (start + chunk).min(seq);
            let parts = [&query, &key, &value].map(|x| t.slice(x, 2, start, end));
            let out = self.block(t, parts.each_ref(), &known, &mut held);
            outputs.push(out);
            known = {
                let [decay, .., added] = held.each_ref().map(Option::as_ref);
                match (decay, added) {
                    (Some(decay), Some(added)) => t.add(&t.mul(&known, decay), added),
                    _ => known,
                }
            };
        }
        let attended = {
            let joined = t.cat(&outputs.iter().collect::<Vec<_>>(), -2);
            outputs.drain(..outputs.len() - 1);
            let rows = t.transpose(&joined, 1, 2);
            drop(joined);
            t.reshape(&rows, [batch, seq, count * columns])
        };
        let normalized = t.scoped("norm", None, || self.norm.forward(t, &attended));
        drop(attended);
        let gated = {
            let gate = t.sigmoid(&self.output_gate.forward(t, x));
            t.mul(&gate, &normalized)
        };
        drop(normalized);
        let out = self.out_proj.forward(t, &gated);
        drop((gated, held, outputs, joined));
        t.keep_state(&known);
        t.update_layer_state(seq);
        (out, known)
    }

    /// Attention `[B, A, n, D]` of a block's tokens to themselves and, through the state `known`, to those of earlier
    /// blocks.
    fn block(&self, t: &Tape, [q, k, v]: [&Tensor; 3], known: &Tensor, held: &mut Held) -> Tensor {
        let (tokens, block) = (q.dim(2), self.heads.chunk);
        let [query_decay, key_decay] = &self.decays;
        let first = t.slice(query_decay, 1, 0, tokens);
        let last = t.slice(key_decay, 1, block - tokens, block);
        let near = t.slice(&t.slice(&self.diagonal, 2, 0, tokens), 3, 0, tokens);
        let [decay, scores, within, before, added] = held;
        *decay = {
            let scaled = {
                let negative = t.neg(&self.slope_rate);
                t.mul_scalar(&negative)
            };
            Some(t.exp(&scaled))
        };
        let made = scores.insert(t.matmul(q, &t.transpose(k, 2, 3)));
        let near = {
            let weighed = t.mul(made, &near);
            within.insert(t.matmul(&weighed, v))
        };
        let far = {
            let weighed = t.mul(q, &first);
            before.insert(t.matmul(&weighed, known))
        };
        let out = t.add(far, near);
        *added = {
            let weighed = t.mul(k, &last);
            Some(t.matmul(&t.transpose(&weighed, 2, 3), v))
        };
        out
    }
}
