//! Stages of the second Swin (`models/swinv2/modeling_swinv2.py` of transformers 5.23): attention by angles,
//! with biases that a small network makes of distances, and norms after it and the feed-forward part.

use super::layer::LayerPlace;
use super::layer::{cropped, partitioned, reversed, shifted, shifted_mask};
use super::network::merged;
use crate::families::vit::kept_samples;
use crate::model::{Activation, SwinConfig};
use crate::nn::attention::{AttentionOptions, dropped, in_heads};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::WeighingBlock;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `Swinv2Stage`.
pub(crate) struct SecondStage {
    blocks: Vec<Layer>,
    /// The layer that makes one patch of four, with the norm behind it.
    merging: Option<(Linear, LayerNorm)>,
    /// Patches along a side.
    side: u64,
    facts: Facts,
}

/// `Swinv2Layer`.
struct Layer {
    attention: Attention,
    dense: Linear,
    norms: [LayerNorm; 2],
    fc1: Linear,
    fc2: Linear,
    side: u64,
    window: u64,
    shifts: bool,
    activation: Activation,
    dropout: bool,
    drops_path: bool,
}

/// `Swinv2SelfAttention`.
struct Attention {
    /// A factor for each head `[A, 1, 1]`.
    logit_scale: Tensor,
    /// The layers that make the biases of distances.
    bias: [Linear; 2],
    /// Distances `[1, .., .., 2]`, and which of them each pair in a window has.
    distances: Tensor,
    index: Tensor,
    projections: [Linear; 3],
    head_dim: u64,
    dropout: bool,
    facts: Facts,
}

/// Columns within the network that makes biases.
const INNER: u64 = 512;

impl SecondStage {
    pub(crate) fn new(
        encoder: &Builder,
        c: &SwinConfig,
        (stage, [depth, heads]): (usize, [u64; 2]),
        options: AttentionOptions,
    ) -> Self {
        let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let b = encoder.item("layers", number(stage as u64));
        let width = c.width(stage);
        let blocks = (0..depth).map(|layer| {
            let at = b.item("blocks", number(layer));
            let place = LayerPlace {
                stage,
                layer,
                heads,
            };
            Layer::new(&at, c, place, options)
        });
        let blocks = blocks.collect();
        let last = stage + 1 == c.stages.len();
        let merging = (!last).then(|| {
            let at = b.at("downsample");
            let reduction = Linear::new(&at.at("reduction"), 4 * width, 2 * width, false);
            (reduction, LayerNorm::new(&at.at("norm"), 2 * width))
        });
        Self {
            blocks,
            merging,
            side: c.stage_side(stage),
            facts: options.facts,
        }
    }
}

impl WeighingBlock for SecondStage {
    type Shared = ();

    fn outliving((): &(), _facts: Facts) {}

    /// Hidden states `[B, side x side, H]` to those of the next stage, and the tensor that those are made of.
    fn forward(&self, t: &Tape, hidden: &Tensor, (): &()) -> (Tensor, Option<Tensor>) {
        let mut seen = hidden.clone();
        for (i, block) in (0..).zip(&self.blocks) {
            seen = t.scoped("blocks", Some(i), || block.forward(t, &seen));
        }
        let Some((reduction, norm)) = &self.merging else {
            return (seen, None);
        };
        let out = t.scoped("downsample", None, || {
            let (merged, image) = merged(t, &seen, self.side, self.facts);
            let reduced = reduction.forward(t, &merged);
            drop(merged);
            let out = norm.forward(t, &reduced);
            drop((reduced, image));
            out
        });
        (out, Some(seen))
    }
}

impl Layer {
    fn new(b: &Builder, c: &SwinConfig, place: LayerPlace, options: AttentionOptions) -> Self {
        let LayerPlace {
            stage,
            layer,
            heads,
        } = place;
        let (hidden, inner) = (c.width(stage), c.inner(stage));
        let (window, shifts) = c.second_window(stage);
        let at = b.at("attention");
        let attention = Attention::new(&at.at("self"), c, [hidden, heads, window], options);
        let linear =
            |at: &Builder, inputs, outputs| Linear::new(&at.at("dense"), inputs, outputs, true);
        let dense = linear(&at.at("output"), hidden, hidden);
        let norm = |name| LayerNorm::new(&b.at(name), hidden);
        let before = norm("layernorm_before");
        let fc1 = linear(&b.at("intermediate"), hidden, inner);
        let fc2 = linear(&b.at("output"), inner, hidden);
        Self {
            attention,
            dense,
            norms: [before, norm("layernorm_after")],
            fc1,
            fc2,
            side: c.stage_side(stage),
            window,
            shifts: layer % 2 == 1 && shifts,
            activation: c.activation,
            dropout: c.dropout.residual,
            drops_path: c.drops_paths && (stage > 0 || layer > 0),
        }
    }

    /// Hidden states `[B, side x side, H]` to the same.
    fn forward(&self, t: &Tape, hidden: &Tensor) -> Tensor {
        let (b, columns, side) = (hidden.dim(0), hidden.dim(2), self.side);
        let padded = side.next_multiple_of(self.window);
        let area = self.window * self.window;
        let image = {
            let image = t.view(hidden, [b, side, side, columns]);
            t.pad(&image, [b, padded, padded, columns].into())
        };
        let rolled = shifted(t, &image, self.shifts);
        let windows = partitioned(t, &rolled, self.window);
        let windows = t.view(
            &windows,
            [windows.numel() / (area * columns), area, columns],
        );
        let mask = self
            .shifts
            .then(|| shifted_mask(t, self.window, padded, image.dtype()));
        let attended = t.scoped("attention", None, || {
            let out = self.attention.forward(t, &windows, (b, mask.as_ref()));
            dropped(t, self.dense.forward(t, &out), self.attention.dropout)
        });
        let whole = reversed(t, &attended, self.window, b, padded);
        let mut back = shifted(t, &whole, self.shifts);
        if padded > side {
            back = cropped(t, self.attention.facts, &back, side);
        }
        let back = t.view(&back, [b, side * side, columns]);
        let normed = t.scoped("layernorm_before", None, || self.norms[0].forward(t, &back));
        drop(image);
        let sum = t.add(hidden, &kept_samples(t, &normed, self.drops_path));
        drop(normed);
        let active = t.scoped("intermediate", None, || {
            activated(t, self.activation, self.fc1.forward(t, &sum))
        });
        let fed = t.scoped("output", None, || {
            dropped(t, self.fc2.forward(t, &active), self.dropout)
        });
        drop(active);
        let out = {
            let kept = {
                let normed = t.scoped("layernorm_after", None, || self.norms[1].forward(t, &fed));
                kept_samples(t, &normed, self.drops_path)
            };
            t.add(&sum, &kept)
        };
        drop((fed, sum, rolled, windows, mask, attended, back, whole));
        out
    }
}

impl Attention {
    fn new(
        b: &Builder,
        c: &SwinConfig,
        [hidden, heads, window]: [u64; 3],
        options: AttentionOptions,
    ) -> Self {
        let logit_scale = b.parameter("logit_scale", [heads, 1, 1]);
        let network = |n| b.item("continuous_position_bias_mlp", n);
        let bias = [
            Linear::new(&network(0), 2, INNER, true),
            Linear::new(&network(2), INNER, heads, false),
        ];
        let side = 2 * window - 1;
        let dtype = b.loaded_dtype();
        let distances = b.buffer("relative_coords_table", [1, side, side, 2], dtype);
        let index = b.buffer("relative_position_index", [window.pow(4)], DType::Int64);
        let linear = |name, bias| Linear::new(&b.at(name), hidden, hidden, bias);
        Self {
            logit_scale,
            bias,
            distances,
            index,
            projections: [
                linear("query", c.qkv_bias),
                linear("key", false),
                linear("value", c.qkv_bias),
            ],
            head_dim: hidden / heads,
            dropout: c.dropout.attention,
            facts: options.facts,
        }
    }

    /// Windows `[N, W, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor, (b, mask): (u64, Option<&Tensor>)) -> Tensor {
        let [q, k, v] = self
            .projections
            .each_ref()
            .map(|projection| in_heads(t, &projection.forward(t, x), self.head_dim));
        let unit = |x: &Tensor| {
            let length = t.clamp(&t.length_last(x), 1);
            t.div(x, &length)
        };
        let mut scores = {
            let (q, k) = (unit(&q), unit(&k));
            t.matmul(&q, &t.transpose(&k, 2, 3))
        };
        let scale = t.exp(&t.clamp(&self.logit_scale, 1));
        scores = t.mul(&scores, &scale);
        let (table, bias) = self.biases(t, x.dim(1), q.dim(1));
        scores = t.add(&scores, &t.unsqueeze(&bias, 0));
        if let Some(mask) = mask {
            let whole = *scores.shape();
            let apart = [b, mask.dim(0), whole.dim(1), whole.dim(2), whole.dim(3)];
            let mask = t.unsqueeze(&t.unsqueeze(mask, 1), 0);
            scores = t.add(&t.view(&scores, apart), &mask);
            scores = t.add(&scores, &mask);
            scores = t.view(&scores, whole);
        }
        let weights = dropped(t, t.softmax(&scores, None), self.dropout);
        let out = {
            let attended = t.matmul(&weights, &v);
            t.contiguous(&t.transpose(&attended, 1, 2))
        };
        drop((q, k, v, scores, scale, table, bias, weights));
        t.view(&out, *x.shape())
    }

    /// The network's result for each distance, and the biases `[A, W, W]`.
    fn biases(&self, t: &Tape, area: u64, heads: u64) -> (Tensor, Tensor) {
        let table = {
            let inner = t.relu_in_place(self.bias[0].forward(t, &self.distances));
            self.bias[1].forward(t, &inner)
        };
        let table = t.view(&table, [table.numel() / heads, heads]);
        let bias = {
            let chosen = t.view(&t.index_rows(&table, &self.index), [area, area, heads]);
            t.contiguous(&t.permute(&chosen, &[2, 0, 1]))
        };
        let bias = t.mul_scalar(&t.sigmoid(&bias));
        (table, bias)
    }
}
