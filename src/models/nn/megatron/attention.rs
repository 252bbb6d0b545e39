//! Self-attention without fused kernels (`core/transformer/{attention,dot_product_attention}.py`,
//! `core/fusions/fused_softmax.py`).

use super::linear::{ColumnParallel, RowParallel};
use super::memory::GlobalMemory;
use super::modules::{Modules, Norm};
use super::rotary::rotated;
use crate::tape::{Function, Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;
use std::rc::Rc;

/// `SelfAttention`.
pub(super) struct Attention {
    linear_proj: RowParallel,
    linear_qkv: ColumnParallel,
    q_layernorm: Option<Norm>,
    k_layernorm: Option<Norm>,
    core: Rc<CoreAttention>,
    /// This rank's heads of keys and values, and columns of a head.
    groups: u64,
    columns: u64,
    /// Heads of queries for each of keys.
    queries: u64,
    recomputes_core: bool,
}

impl Attention {
    pub(super) fn new(m: &Modules) -> Self {
        let config = &m.config;
        let (heads, groups) = (config.num_attention_heads, config.num_query_groups);
        let columns = config.kv_channels;
        let hidden = config.hidden_size;
        let norm = || config.qk_layernorm.then(|| Norm::new(m, columns));
        Self {
            linear_proj: RowParallel::new(m, [heads * columns, hidden]),
            linear_qkv: ColumnParallel::new(m, [hidden, (heads + 2 * groups) * columns]),
            q_layernorm: norm(),
            k_layernorm: norm(),
            core: Rc::new(CoreAttention {
                memory: m.memory.clone(),
                softmax_in_fp32: config.softmax_in_fp32,
            }),
            groups: groups / config.tensor_ranks,
            columns,
            queries: heads / groups,
            recomputes_core: config.recomputes("core_attn"),
        }
    }

    /// `[S, B, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor, angles: &Tensor) -> Tensor {
        let [q, k, v] = self.query_key_value(t, x);
        let rotated_q = rotated(t, &q, angles);
        let rotated_k = rotated(t, &k, angles);
        let attended = if self.recomputes_core {
            let core = Rc::clone(&self.core);
            let region: Function = Rc::new(move |t, inputs| match inputs {
                [q, k, v, ..] => smallvec![core.forward(t, [q, k, v])],
                _ => smallvec![],
            });
            let inputs = [&rotated_q, &rotated_k, &v, angles];
            t.checkpoint_reentrant(&inputs, region, Rc::new(()))
                .remove(0)
        } else {
            self.core.forward(t, [&rotated_q, &rotated_k, &v])
        };
        let out = self.linear_proj.forward(t, &attended);
        drop((q, k, rotated_q, rotated_k, v));
        out
    }

    /// `get_query_key_value_tensors`: `[S, B, A, D]`, `[S, B, K, D]` twice.
    fn query_key_value(&self, t: &Tape, x: &Tensor) -> [Tensor; 3] {
        let (columns, width) = (self.columns, self.queries * self.columns);
        let mixed = self.linear_qkv.forward(t, x);
        let [tokens, samples] = [mixed.dim(0), mixed.dim(1)];
        let mixed = t.view(&mixed, [tokens, samples, self.groups, width + 2 * columns]);
        let [q, k, v] = t.split(&mixed, [width, columns, columns], 3);
        let q = t.reshape(&q, [tokens, samples, self.groups * self.queries, columns]);
        let q = match &self.q_layernorm {
            Some(norm) => norm.forward(t, &q),
            None => q,
        };
        let k = match &self.k_layernorm {
            Some(norm) => norm.forward(t, &k),
            None => k,
        };
        [q, k, v]
    }
}

/// `DotProductAttention`.
struct CoreAttention {
    memory: GlobalMemory,
    softmax_in_fp32: bool,
}

impl CoreAttention {
    /// Queries `[S, B, A, D]`, keys and values `[S, B, K, D]` to `[S, B, A * D]`.
    fn forward(&self, t: &Tape, [q, k, v]: [&Tensor; 3]) -> Tensor {
        let times = q.dim(2) / k.dim(2);
        let repeated = |x: &Tensor| {
            if times > 1 {
                t.repeat_interleave(x, 2, times)
            } else {
                x.clone()
            }
        };
        let (k, v) = (repeated(k), repeated(v));
        let (tokens, samples, heads) = (q.dim(0), q.dim(1), q.dim(2));
        let [queries, keys] = [q.dim(3), v.dim(3)];
        let flat = [tokens, samples * heads, queries];
        let q = t.reshape(q, flat);
        let k3 = t.view(&k, flat);
        let elements = samples * heads * tokens * tokens;
        let bias = self.memory.get(t, elements, q.dtype());
        let scores = {
            let q = t.transpose(&q, 0, 1);
            let k = t.transpose(&t.transpose(&k3, 0, 1), 1, 2);
            t.baddbmm(&bias, &q, &k)
        };
        let shape = Shape::from([samples, heads, tokens, tokens]);
        let probabilities = self.probabilities(t, &scores, shape);
        let values = t.view(&v, [tokens, samples * heads, keys]);
        let probabilities = t.view(&probabilities, [samples * heads, tokens, tokens]);
        let context = t.bmm(&probabilities, &t.transpose(&values, 0, 1));
        let context = {
            let context = t.view(&{ context }, [samples, heads, tokens, keys]);
            t.contiguous(&t.permute(&context, &[2, 0, 1, 3]))
        };
        drop((q, k3, k));
        drop((values, v));
        drop(scores);
        drop(probabilities);
        t.view(&context, [tokens, samples, heads * keys])
    }

    /// `FusedScaleMaskSoftmax.forward_torch_softmax` of scores `[B * A, S, S]`, seen as `shape`.
    fn probabilities(&self, t: &Tape, scores: &Tensor, shape: Shape) -> Tensor {
        let (dtype, tokens) = (scores.dtype(), scores.dim(1));
        let widens = self.softmax_in_fp32 && dtype != DType::Float32;
        let wide = widens.then(|| t.to(&t.view(scores, shape), DType::Float32));
        let mask = (tokens > 1).then(|| causal_mask(t, tokens));
        let masked = match (&mask, wide) {
            (Some(mask), Some(wide)) => t.fill_where(wide, mask),
            (Some(mask), None) => t.masked_view(scores, mask, shape),
            (None, wide) => wide.unwrap_or_else(|| t.view(scores, shape)),
        };
        let probabilities = t.softmax(&masked, None);
        t.to(&probabilities, dtype)
    }
}

/// `get_default_causal_mask`.
fn causal_mask(t: &Tape, tokens: u64) -> Tensor {
    let shape = Shape::from([tokens, tokens]);
    let triangle = {
        let _ones = t.empty("ones", shape, DType::Float32);
        t.empty("triu", shape, DType::Float32)
    };
    let mask = t.empty("_to_copy", shape, DType::Bool);
    drop(triangle);
    mask
}
