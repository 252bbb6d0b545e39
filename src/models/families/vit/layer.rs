//! One layer of a vision transformer: norms come before attention and feed-forward.

use crate::ask::Attention;
use crate::model::{Activation, Transformers, VitConfig};
use crate::nn::attention::{
    AttentionOptions, attend_as_bert, attend_with_scores, attend_with_weights, dropped, in_heads,
};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::Block;
use crate::nn::mlp::{GatedMlp, activated};
use crate::tape::{Tape, Tensor};

/// `ViTLayer` and its like.
pub(crate) struct VitLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    layernorm_before: LayerNorm,
    layernorm_after: LayerNorm,
    mlp: Mlp,
    /// Factors of `DINOv2` for the results of attention and feed-forward, `[H]`.
    scales: Option<[Tensor; 2]>,
    norm_names: [&'static str; 2],
    head_dim: u64,
    activation: Activation,
    dropout: bool,
    options: AttentionOptions,
}

/// The feed-forward part.
enum Mlp {
    Plain([Linear; 2]),
    Gated(GatedMlp),
}

impl VitLayer {
    pub(crate) fn new(b: &Builder, c: &VitConfig, options: AttentionOptions) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let recent = options.facts.transformers == Transformers::V5;
        let dino = c.kind.of_dino();
        let norm_names = c.kind.layer_names(recent).norms;
        let [before, after] = norm_names.map(|name| b.at(name));
        let first = dino.then(|| LayerNorm::new(&before, hidden));
        let attention = b.at("attention");
        let own = if recent {
            attention.same()
        } else {
            attention.at("attention")
        };
        let projection = |recent_name, name| {
            let name = if recent { recent_name } else { name };
            Linear::new(&own.at(name), hidden, hidden, c.qkv_bias)
        };
        let query = projection("q_proj", "query");
        let key = projection("k_proj", "key");
        let value = projection("v_proj", "value");
        let output = if recent {
            attention.at("o_proj")
        } else {
            attention.at("output").at("dense")
        };
        let output = Linear::new(&output, hidden, hidden, true);
        let scale = |name| dino.then(|| b.at(name).parameter("lambda1", [hidden]));
        let first_scale = scale("layer_scale1");
        let norms = || {
            let before = first.unwrap_or_else(|| LayerNorm::new(&before, hidden));
            [before, LayerNorm::new(&after, hidden)]
        };
        let feed_forward = || {
            let [fc1, fc2] = if recent {
                let mlp = b.at("mlp");
                [mlp.at("fc1"), mlp.at("fc2")]
            } else {
                [b.at("intermediate").at("dense"), b.at("output").at("dense")]
            };
            if c.gated {
                let mlp = b.at("mlp");
                return Mlp::Gated(GatedMlp::with_bias(&mlp, hidden, inner, true, Tape::silu));
            }
            Mlp::Plain([
                Linear::new(&fc1, hidden, inner, true),
                Linear::new(&fc2, inner, hidden, true),
            ])
        };
        let ([layernorm_before, layernorm_after], mlp) = if recent {
            let norms = norms();
            (norms, feed_forward())
        } else {
            let mlp = feed_forward();
            (norms(), mlp)
        };
        let scales = first_scale
            .zip(scale("layer_scale2"))
            .map(<[Tensor; 2]>::from);
        Self {
            query,
            key,
            value,
            output,
            layernorm_before,
            layernorm_after,
            mlp,
            scales,
            norm_names,
            head_dim: c.head_dim,
            activation: c.activation,
            dropout: c.dropout.residual,
            options,
        }
    }

    /// q, k and v `[B, A, tokens, D]`, in the order in which each version makes them.
    fn projected(&self, t: &Tape, x: &Tensor) -> [Tensor; 3] {
        let made = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        match self.options.facts.transformers {
            Transformers::V5 => [made(&self.query), made(&self.key), made(&self.value)],
            Transformers::V451 => {
                let (k, v) = (made(&self.key), made(&self.value));
                [made(&self.query), k, v]
            }
            Transformers::V448 => {
                let mixed = self.query.forward(t, x);
                let (k, v) = (made(&self.key), made(&self.value));
                [in_heads(t, &mixed, self.head_dim), k, v]
            }
        }
    }

    /// `[B, tokens, H]` to the same, with eager attention's weights where the layer holds them.
    fn attend(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        let [q, k, v] = self.projected(t, x);
        let version = self.options.facts.transformers;
        let plain = version == Transformers::V448;
        let mut scores = None;
        let (out, weights) = if self.options.implementation != Attention::Eager {
            let parts = [&q, &k, &v];
            if version == Transformers::V451 {
                let parts = parts.map(|x| t.contiguous(x));
                attend_as_bert(t, self.options, parts.each_ref(), None, false)
            } else {
                attend_as_bert(t, self.options, parts, None, false)
            }
        } else if plain {
            let (out, made) = attend_with_scores(t, self.options, [&q, &k, &v], None);
            scores = Some(made);
            (out, None)
        } else if self.scales.is_some() {
            attend_as_bert(t, self.options, [&q, &k, &v], None, false)
        } else {
            attend_with_weights(t, self.options, &q, &k, &v, None)
        };
        let merged = t.reshape(&out, *x.shape());
        drop(out);
        if version == Transformers::V5 {
            return (self.output.forward(t, &merged), weights);
        }
        drop((q, k, v, weights, scores));
        let out = self.output.forward(t, &merged);
        (dropped(t, out, self.dropout), None)
    }
}

impl VitLayer {
    /// The result of attention or of the feed-forward part as it is added to the residual stream: scaled if the layer
    /// scales it, and dropped out, by `DINOv2` in whole samples.
    fn added(&self, t: &Tape, x: Tensor, part: usize) -> Tensor {
        let Some(scales) = &self.scales else {
            return dropped(t, x, self.dropout);
        };
        let scaled = t.mul(&x, &scales[part]);
        drop(x);
        kept_samples(t, &scaled, self.dropout)
    }
}

/// `x [B, ..]` with whole samples dropped in training if `drops` says so (`Dinov2DropPath`,
/// `SwinDropPath`).
pub(crate) fn kept_samples(t: &Tape, x: &Tensor, drops: bool) -> Tensor {
    if !drops || !t.is_training() {
        return x.clone();
    }
    let mut shape = *x.shape();
    shape.dims_mut()[1..].fill(1);
    let samples = |op| t.empty(op, shape, x.dtype());
    let kept = {
        let drawn = samples("rand");
        let sum = samples("add");
        let kept = samples("floor");
        drop((sum, drawn));
        kept
    };
    let divided = t.div_scalar(x);
    t.mul(&divided, &kept)
}

impl Block for VitLayer {
    type Shared = ();

    fn outliving((): &(), _facts: Facts) {}

    fn forward(&self, t: &Tape, hidden: &Tensor, (): &()) -> Tensor {
        let recent = self.options.facts.transformers == Transformers::V5;
        let [before, after] = self.norm_names;
        let normed = t.scoped(before, None, || self.layernorm_before.forward(t, hidden));
        let (mut attended, weights) = t.scoped("attention", None, || self.attend(t, &normed));
        drop(normed);
        if recent {
            attended = self.added(t, attended, 0);
        }
        let sum = t.add(&attended, hidden);
        // transformers 4 holds what attention gave until the layer returns.
        let attended = (!recent).then_some(attended);
        let normed = t.scoped(after, None, || self.layernorm_after.forward(t, &sum));
        let mut wide = None;
        let (mut out, normed) = t.scoped("mlp", None, || match &self.mlp {
            Mlp::Gated(mlp) => (mlp.forward(t, &normed), Some(normed)),
            Mlp::Plain([fc1, fc2]) => {
                let active = activated(t, self.activation, fc1.forward(t, &normed));
                // Since transformers 5 the caller of the MLP holds what it reads.
                let normed = recent.then_some(normed);
                let out = fc2.forward(t, &active);
                // In transformers 4 the sum is part of what reads the wide states.
                wide = (!recent).then_some(active);
                (out, normed)
            }
        });
        drop(normed);
        out = self.added(t, out, 1);
        let result = t.add(&out, &sum);
        drop((wide, out, sum, attended, weights));
        result
    }
}
