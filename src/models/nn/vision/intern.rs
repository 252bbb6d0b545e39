//! `InternVL`'s images in squares (`models/internvl/modeling_internvl.py` of transformers 5.23).

use super::features::{ImageFeatures, Pooled};
use super::patches::Patches;
use super::split::shuffled;
use super::tower::TowerMlp;
use crate::model::{Activation, InternConfig, NormKind};
use crate::nn::attention::{AttentionOptions, attend_as_bert, in_heads};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Norm};
use crate::nn::decoder::{Block, Shell};
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use std::rc::Rc;

/// `InternVLVisionModel` and `InternVLMultiModalProjector`.
pub(crate) struct InternTower {
    scope: u32,
    class: Tensor,
    positions: Tensor,
    patches: Patches,
    layers: Vec<Rc<InternLayer>>,
    last_norm: Option<LayerNorm>,
    projector: Projector,
    /// Patches along each side of a square, and of what becomes one token.
    sides: [u64; 2],
}

/// `InternVLMultiModalProjector`.
struct Projector {
    scope: u32,
    norm: LayerNorm,
    layers: [Linear; 2],
    activation: Activation,
}

/// `InternVLVisionLayer`.
struct InternLayer {
    /// Queries, keys and values.
    projections: [Linear; 3],
    output: Linear,
    /// Norms of queries and of keys.
    qk_norms: Option<[Norm; 2]>,
    mlp: TowerMlp,
    norms: [Norm; 2],
    /// Factors of the results of attention and feed-forward, `[H]`.
    scales: [Tensor; 2],
    head_dim: u64,
    options: AttentionOptions,
}

impl InternLayer {
    fn new(b: &Builder, c: &InternConfig, options: AttentionOptions) -> Self {
        let hidden = c.tower.hidden_size;
        let kind = if c.root_norms {
            NormKind::Root
        } else {
            NormKind::Layer
        };
        let parts = || {
            let at = b.at("attention");
            let projections = ["q_proj", "k_proj", "v_proj"]
                .map(|name| Linear::new(&at.at(name), hidden, hidden, c.attention_bias));
            let output = Linear::new(&at.at("projection_layer"), hidden, hidden, true);
            let norm = |name| Norm::new(&at.at(name), NormKind::Root, hidden);
            let qk_norms = c.qk_norm.then(|| ["q_norm", "k_norm"].map(norm));
            let mlp = TowerMlp::new(&b.at("mlp"), &c.tower);
            let norm = |name| Norm::new(&b.at(name), kind, hidden);
            let norms = ["layernorm_before", "layernorm_after"].map(norm);
            (projections, output, qk_norms, mlp, norms)
        };
        let (first, (second, (projections, output, qk_norms, mlp, norms))) =
            b.parameter_after("lambda_1", [hidden], || {
                b.parameter_after("lambda_2", [hidden], parts)
            });
        Self {
            projections,
            output,
            qk_norms,
            mlp,
            norms,
            scales: [first, second],
            head_dim: c.tower.head_dim,
            options,
        }
    }

    /// `[N, P, H]` to the same, with eager attention's weights, which the layer holds.
    fn attend(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        let [mut q, mut k, v] = self.projections.each_ref().map(|layer| layer.forward(t, x));
        if let Some([of_queries, of_keys]) = &self.qk_norms {
            q = of_queries.forward(t, &q);
            k = of_keys.forward(t, &k);
        }
        let [q, k, v] = [q, k, v].map(|y| in_heads(t, &y, self.head_dim));
        let (out, weights) = attend_as_bert(t, self.options, [&q, &k, &v], None, false);
        let merged = t.reshape(&out, *x.shape());
        drop(out);
        (self.output.forward(t, &merged), weights)
    }
}

impl Block for InternLayer {
    type Shared = ();

    fn outliving((): &(), _facts: Facts) {}

    fn forward(&self, t: &Tape, hidden: &Tensor, (): &()) -> Tensor {
        let [before, after] = &self.norms;
        let [first, second] = &self.scales;
        let normed = t.scoped("layernorm_before", None, || before.forward(t, hidden));
        let (attended, weights) = t.scoped("attention", None, || self.attend(t, &normed));
        drop(normed);
        let scaled = t.mul(first, &attended);
        drop(attended);
        let sum = t.add(&scaled, hidden);
        let normed = t.scoped("layernorm_after", None, || after.forward(t, &sum));
        let mut out = t.scoped("mlp", None, || self.mlp.forward(t, &normed));
        drop(normed);
        out = t.mul(second, &out);
        let result = t.add(&out, &sum);
        drop((out, sum, scaled, weights));
        result
    }
}

impl InternTower {
    /// A tower for a decoder of `hidden` columns.
    pub(crate) fn new(
        b: &Builder,
        c: &InternConfig,
        hidden: u64,
        options: AttentionOptions,
    ) -> Self {
        let options = AttentionOptions {
            dropout: c.tower.attention_dropout,
            positions_given: false,
            ..options
        };
        let at = b.at("vision_tower");
        let (seen, side) = (c.tower.hidden_size, c.side());
        let embeddings = at.at("embeddings");
        let class = embeddings.parameter("cls_token", [1, 1, seen]);
        let rows = side * side + 1;
        let (positions, patches) =
            embeddings.parameter_after("position_embeddings", [1, rows, seen], || {
                let at = embeddings.at("patch_embeddings");
                let required = at.input_requires_gradient(true);
                Patches::new(&at.at("projection"), [seen, c.channels, c.patch_size], true)
                    .with_gradient(required)
            });
        let layers = at
            .at("encoder")
            .items("layer", c.tower.num_hidden_layers, |b| {
                Rc::new(InternLayer::new(b, c, options))
            });
        let last_norm = c
            .last_norm
            .then(|| LayerNorm::new(&at.at("layernorm"), seen));
        let p = b.at("multi_modal_projector");
        let merged = seen * c.merge * c.merge;
        let projector = Projector {
            scope: p.scope,
            norm: LayerNorm::new(&p.at("layer_norm"), merged),
            layers: [
                Linear::new(&p.at("linear_1"), merged, hidden, true),
                Linear::new(&p.at("linear_2"), hidden, hidden, true),
            ],
            activation: c.activation,
        };
        Self {
            scope: at.scope,
            class,
            positions,
            patches,
            layers,
            last_norm,
            projector,
            sides: [side, c.merge],
        }
    }

    /// How many layers see images.
    pub(crate) fn layers(&self) -> u64 {
        self.layers.len() as u64
    }

    /// `get_image_features` of squares `[N, C, I, I]`.
    pub(crate) fn features(&self, t: &Tape, shell: &Shell, images: &Tensor) -> ImageFeatures {
        let pixels = t.to(images, shell.dtype());
        let (last, raw) = t.in_scope(self.scope, || self.see_patches(t, shell, &pixels));
        let projected = {
            let read = t.slice(&last, 1, 1, last.dim(1));
            let merged = shuffled(t, &read, self.sides);
            t.in_scope(self.projector.scope, || self.projector.forward(t, merged))
        };
        drop(pixels);
        ImageFeatures::new(Pooled::Whole(projected), [last, raw])
    }

    /// To the last hidden states `[N, P + 1, H']`, and those before the last norm.
    fn see_patches(&self, t: &Tape, shell: &Shell, pixels: &Tensor) -> (Tensor, Tensor) {
        let embedded = {
            let patches = self.patches.forward(t, pixels);
            let class = t.expand(&self.class, [patches.dim(0), 1, patches.dim(2)]);
            let tokens = t.cat(&[&class, &patches], 1);
            drop(patches);
            t.add(&tokens, &self.positions)
        };
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("encoder.layer", Some(i), || {
                shell.run(t, layer, &hidden, &())
            });
        }
        let last = match &self.last_norm {
            Some(norm) => norm.forward(t, &hidden),
            None => hidden.clone(),
        };
        (last, hidden)
    }
}

impl Projector {
    /// `[N, tokens, ..]` to `[N, tokens, H]`.
    fn forward(&self, t: &Tape, merged: Tensor) -> Tensor {
        let [first, second] = &self.layers;
        let normed = self.norm.forward(t, &merged);
        let inner = first.forward(t, &normed);
        drop(normed);
        let active = activated(t, self.activation, inner);
        let out = second.forward(t, &active);
        drop(merged);
        out
    }
}
