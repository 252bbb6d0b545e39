//! `SigLIP`'s head over images: a vector that attends to all patches, by PyTorch's own
//! `torch.nn.MultiheadAttention`.

use crate::model::TowerConfig;
use crate::nn::build::{Builder, LayerNorm, Linear};
use crate::nn::vision::TowerMlp;
use crate::tape::{Tape, Tensor};

/// `SiglipMultiheadAttentionPoolingHead`.
pub(crate) struct PoolingHead {
    probe: Tensor,
    in_proj_weight: Tensor,
    in_proj_bias: Tensor,
    out_proj: Linear,
    layernorm: LayerNorm,
    mlp: TowerMlp,
    heads: u64,
}

impl PoolingHead {
    pub(crate) fn new(b: &Builder, c: &TowerConfig) -> Self {
        let hidden = c.hidden_size;
        let probe = b.parameter("probe", [1, 1, hidden]);
        let attention = b.at("attention");
        Self {
            probe,
            in_proj_weight: attention.parameter("in_proj_weight", [3 * hidden, hidden]),
            in_proj_bias: attention.parameter("in_proj_bias", [3 * hidden]),
            out_proj: Linear::new(&attention.at("out_proj"), hidden, hidden, true),
            layernorm: LayerNorm::new(&b.at("layernorm"), hidden),
            mlp: TowerMlp::new(&b.at("mlp"), c),
            heads: c.num_attention_heads,
        }
    }

    /// `[B, S, H]` to `[B, H]`.
    pub(crate) fn forward(&self, t: &Tape, hidden: &Tensor) -> Tensor {
        let probe = t.repeat_along(&self.probe, 0, hidden.dim(0));
        let attended = t.scoped("attention", None, || self.attend(t, &probe, hidden));
        let normed = self.layernorm.forward(t, &attended);
        let out = {
            let wide = self.mlp.forward(t, &normed);
            t.add(&attended, &wide)
        };
        drop((normed, probe, attended));
        t.select(&out, 1)
    }

    /// `multi_head_attention_forward` of queries `[B, 1, H]` over keys and values `[B, S, H]`.
    fn attend(&self, t: &Tape, queries: &Tensor, keys: &Tensor) -> Tensor {
        let (b, s, h) = (keys.dim(0), keys.dim(1), keys.dim(2));
        let columns = h / self.heads;
        let [of_query, of_both] = t.split(&self.in_proj_weight, [h, 2 * h], 0);
        let [bias_of_query, bias_of_both] = t.split(&self.in_proj_bias, [h, 2 * h], 0);
        let q = {
            let queries = t.transpose(queries, 0, 1);
            t.linear(&queries, &of_query, Some(&bias_of_query))
        };
        let both = {
            let keys = t.transpose(keys, 0, 1);
            let both = if t.is_grad_enabled() {
                t.linear(&keys, &of_both, Some(&bias_of_both))
            } else {
                // Views of parameters ask for gradients there, too, so that rows are copied.
                t.linear(&t.contiguous(&keys), &of_both, None)
            };
            let parts = t.view(&both, [1, s, b, 2, h]);
            drop(both);
            let first = t.permute(&parts, &[3, 1, 2, 0, 4]);
            let flat = t.contiguous(&first);
            t.view(&flat, [2, s, b, h])
        };
        let in_heads = |x: &Tensor| {
            let split = t.view(x, [x.dim(0), b * self.heads, columns]);
            t.transpose(&split, 0, 1)
        };
        let split = in_heads(&q);
        let [k, v] = [(); 2].map(|()| in_heads(&t.select(&both, 0)));
        drop(both);
        let weights = {
            let scores = {
                let scaled = t.mul_scalar(&split);
                t.batched(&scaled, &t.transpose(&k, 1, 2))
            };
            t.softmax(&scores, None)
        };
        let attended = {
            let by_head = t.batched(&weights, &v);
            t.view(&t.transpose(&by_head, 0, 1), [b, h])
        };
        drop((k, v));
        let out = match self.out_proj.weight() {
            Some(weight) => t.linear(&attended, weight, self.out_proj.bias().as_ref()),
            None => self.out_proj.forward(t, &attended),
        };
        drop(attended);
        let mean = t.empty("mean", [b, 1, s].into(), weights.dtype());
        drop((weights, split, q));
        drop(mean);
        t.view(&out, [b, 1, h])
    }
}
