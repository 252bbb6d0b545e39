//! Layers over images or over texts that are compared with them: norms come before attention and
//! feed-forward (CLIP, `SigLIP`).

use crate::ask::Attention;
use crate::model::{Activation, DualKind, TowerConfig};
use crate::nn::attention::{
    AttentionOptions, attend_as_bert, attend_with_weights, in_heads, joined,
};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::{Block, Shell};
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use std::rc::Rc;

/// `CLIPEncoder`.
pub(crate) struct Tower {
    layers: Vec<Rc<TowerLayer>>,
    path: &'static str,
}

impl Tower {
    /// The layers of the model b, which stand at `path`; `whole` where one of them is unlike the others.
    pub(crate) fn new(
        b: &Builder,
        (path, whole): (&'static str, bool),
        (kind, c): (DualKind, &TowerConfig),
        options: AttentionOptions,
    ) -> Self {
        let options = AttentionOptions {
            dropout: c.attention_dropout,
            positions_given: false,
            ..options
        };
        let list = b.at("encoder");
        let layers = list.items("layers", c.num_hidden_layers, |b| {
            if whole {
                b.differs();
            }
            Rc::new(TowerLayer::new(b, (kind, c), options))
        });
        Self { layers, path }
    }

    /// How many layers there are.
    pub(crate) fn layers(&self) -> u64 {
        self.layers.len() as u64
    }

    /// `[B, S, H]` to the same; without a mask each token sees all of them or, if `causal`, those
    /// before it.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        shell: &Shell,
        embedded: &Tensor,
        given: &(Option<Tensor>, bool),
    ) -> Tensor {
        self.forward_keeping(t, shell, embedded, given, None).0
    }

    /// The same, and the hidden states before the `after` last layers, if that is asked for.
    pub(crate) fn forward_keeping(
        &self,
        t: &Tape,
        shell: &Shell,
        embedded: &Tensor,
        given: &(Option<Tensor>, bool),
        after: Option<u64>,
    ) -> (Tensor, Option<Tensor>) {
        let mut hidden = embedded.clone();
        let mut kept = None;
        let rest = |i: u32| self.layers.len() as u64 - 1 - u64::from(i);
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped(self.path, Some(i), || shell.run(t, layer, &hidden, given));
            if after == Some(rest(i)) {
                kept = Some(hidden.clone());
            }
        }
        (hidden, kept)
    }
}

/// `CLIPEncoderLayer`.
struct TowerLayer {
    key: Linear,
    value: Linear,
    query: Linear,
    output: Linear,
    norms: [LayerNorm; 2],
    mlp: TowerMlp,
    head_dim: u64,
    options: AttentionOptions,
}

/// `CLIPMLP`.
pub(crate) struct TowerMlp {
    fc1: Linear,
    fc2: Linear,
    activation: Activation,
}

impl TowerMlp {
    pub(crate) fn new(b: &Builder, c: &TowerConfig) -> Self {
        Self::named(b, c, ["fc1", "fc2"])
    }

    /// A tower by other names.
    pub(crate) fn named(b: &Builder, c: &TowerConfig, [first, second]: [&'static str; 2]) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        Self {
            fc1: Linear::new(&b.at(first), hidden, inner, true),
            fc2: Linear::new(&b.at(second), inner, hidden, true),
            activation: c.activation,
        }
    }

    /// `[.., H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let active = activated(t, self.activation, self.fc1.forward(t, x));
        self.fc2.forward(t, &active)
    }
}

impl TowerLayer {
    fn new(b: &Builder, (kind, c): (DualKind, &TowerConfig), options: AttentionOptions) -> Self {
        let hidden = c.hidden_size;
        let norm = |name| LayerNorm::new(&b.at(name), hidden);
        let attention = || {
            let at = b.at("self_attn");
            ["k_proj", "v_proj", "q_proj", "out_proj"]
                .map(|name| Linear::new(&at.at(name), hidden, hidden, true))
        };
        let mlp = || TowerMlp::new(&b.at("mlp"), c);
        let (attention, before, mlp, after) = if kind.attention_first() {
            let (attention, before, mlp) = (attention(), norm("layer_norm1"), mlp());
            (attention, before, mlp, norm("layer_norm2"))
        } else {
            let (before, attention, after) =
                (norm("layer_norm1"), attention(), norm("layer_norm2"));
            (attention, before, mlp(), after)
        };
        let [key, value, query, output] = attention;
        Self {
            key,
            value,
            query,
            output,
            norms: [before, after],
            mlp,
            head_dim: c.head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds.
    fn attend(
        &self,
        t: &Tape,
        x: &Tensor,
        (mask, causal): &(Option<Tensor>, bool),
    ) -> (Tensor, Option<Tensor>) {
        let projected = [&self.query, &self.key, &self.value].map(|layer| layer.forward(t, x));
        let [q, k, v] = projected.map(|y| in_heads(t, &y, self.head_dim));
        let mask = mask.as_ref();
        let (out, weights) = if self.options.implementation == Attention::Eager {
            attend_with_weights(t, self.options, &q, &k, &v, mask)
        } else {
            attend_as_bert(t, self.options, [&q, &k, &v], mask, *causal)
        };
        let merged = joined(t, out);
        (self.output.forward(t, &merged), weights)
    }
}

impl Block for TowerLayer {
    /// The mask, and whether tokens see those before them alone where there is none.
    type Shared = (Option<Tensor>, bool);

    fn outliving(given: &Self::Shared, _facts: Facts) -> Self::Shared {
        given.clone()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, given: &Self::Shared) -> Tensor {
        let [before, after] = &self.norms;
        let normed = t.scoped("layer_norm1", None, || before.forward(t, hidden));
        let (attended, weights) = t.scoped("self_attn", None, || self.attend(t, &normed, given));
        drop(normed);
        let sum = t.add(hidden, &attended);
        drop(attended);
        let normed = t.scoped("layer_norm2", None, || after.forward(t, &sum));
        let out = t.scoped("mlp", None, || self.mlp.forward(t, &normed));
        drop(normed);
        let result = t.add(&sum, &out);
        drop((out, sum, weights));
        result
    }
}
