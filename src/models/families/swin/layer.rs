//! One layer of Swin: attention in windows, which every second layer shifts.

use crate::ask::Attention;
use crate::families::vit::kept_samples;
use crate::model::{Activation, SwinConfig};
use crate::nn::attention::{
    AttentionOptions, attend_as_bert, attend_with_weights, dropped, in_heads, joined,
};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `SwinLayer`.
pub(crate) struct SwinLayer {
    projections: [Linear; 4],
    /// Biases of each head for each distance in a window, and the distance of each pair in it.
    table: Tensor,
    index: Tensor,
    norms: [LayerNorm; 2],
    fc1: Linear,
    fc2: Linear,
    window: u64,
    shifts: bool,
    head_dim: u64,
    activation: Activation,
    dropout: bool,
    drops_path: bool,
    options: AttentionOptions,
}

/// The place of a layer.
#[derive(Clone, Copy)]
pub(crate) struct LayerPlace {
    /// Its stage.
    pub(crate) stage: usize,
    /// Its place in the stage.
    pub(crate) layer: u64,
    /// A, the heads of the stage.
    pub(crate) heads: u64,
}

impl SwinLayer {
    pub(crate) fn new(
        b: &Builder,
        c: &SwinConfig,
        place: LayerPlace,
        options: AttentionOptions,
    ) -> Self {
        let LayerPlace {
            stage,
            layer,
            heads,
        } = place;
        let (hidden, inner) = (c.width(stage), c.inner(stage));
        let attention = b.at("attention");
        let linear = |name, bias| Linear::new(&attention.at(name), hidden, hidden, bias);
        let projections = [
            linear("q_proj", c.qkv_bias),
            linear("k_proj", c.qkv_bias),
            linear("v_proj", c.qkv_bias),
            linear("o_proj", true),
        ];
        let biases = attention.at("relative_position_bias");
        let distances = 2 * c.window_size - 1;
        let table = biases.parameter(
            "relative_position_bias_table",
            [distances * distances, heads],
        );
        let pairs = c.window_size.pow(4);
        let index = biases.buffer("relative_position_index", [pairs], DType::Int64);
        let norms =
            ["layernorm_before", "layernorm_after"].map(|name| LayerNorm::new(&b.at(name), hidden));
        let mlp = b.at("mlp");
        Self {
            projections,
            table,
            index,
            norms,
            fc1: Linear::new(&mlp.at("fc1"), hidden, inner, true),
            fc2: Linear::new(&mlp.at("fc2"), inner, hidden, true),
            window: c.window_size,
            shifts: layer % 2 == 1 && c.shifts(stage),
            head_dim: hidden / heads,
            activation: c.activation,
            dropout: c.dropout.residual,
            drops_path: c.drops_paths && (stage > 0 || layer > 0),
            options,
        }
    }

    /// Hidden states `[B, side x side, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, hidden: &Tensor, side: u64) -> Tensor {
        let (b, columns) = (hidden.dim(0), hidden.dim(2));
        let padded = side.next_multiple_of(self.window);
        let image = {
            let normed = t.scoped("layernorm_before", None, || {
                self.norms[0].forward(t, hidden)
            });
            let image = t.view(&normed, [b, side, side, columns]);
            t.pad(&image, [b, padded, padded, columns].into())
        };
        let windows = {
            let shifted = shifted(t, &image, self.shifts);
            let windows = partitioned(t, &shifted, self.window);
            t.view(
                &windows,
                [
                    windows.numel() / (self.window * self.window * columns),
                    self.window * self.window,
                    columns,
                ],
            )
        };
        let mask = self
            .shifts
            .then(|| shifted_mask(t, self.window, padded, image.dtype()));
        let (attended, weights) = t.scoped("attention", None, || {
            self.attend(t, &windows, (b, mask.as_ref()))
        });
        let attended = dropped(t, attended, self.dropout);
        let mut back = {
            let whole = reversed(t, &attended, self.window, b, padded);
            shifted(t, &whole, self.shifts)
        };
        if padded > side {
            back = cropped(t, self.options.facts, &back, side);
        }
        let back = t.view(&back, [b, side * side, columns]);
        let sum = {
            let kept = kept_samples(t, &back, self.drops_path);
            t.add(hidden, &kept)
        };
        drop(image);
        let out = {
            let normed = t.scoped("layernorm_after", None, || self.norms[1].forward(t, &sum));
            let out = t.scoped("mlp", None, || {
                let active = activated(t, self.activation, self.fc1.forward(t, &normed));
                self.fc2.forward(t, &active)
            });
            drop(normed);
            dropped(t, out, self.dropout)
        };
        let result = t.add(&out, &sum);
        drop((out, windows, mask, attended, back, sum, weights));
        result
    }

    /// `SwinAttention` of windows `[N, W, H]`, with eager attention's weights.
    fn attend(
        &self,
        t: &Tape,
        x: &Tensor,
        (b, mask): (u64, Option<&Tensor>),
    ) -> (Tensor, Option<Tensor>) {
        let [query, key, value, output] = &self.projections;
        let made = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        let (q, k, v) = (made(query), made(key), made(value));
        let area = x.dim(1);
        let bias = {
            let chosen = t.index_rows(&self.table, &self.index);
            let square = t.view(&chosen, [area, area, q.dim(1)]);
            let first = t.contiguous(&t.permute(&square, &[2, 0, 1]));
            t.unsqueeze(&first, 0)
        };
        let mut seen = None;
        let combined = match mask {
            Some(mask) => {
                let all = t.expand(
                    &t.unsqueeze(&t.unsqueeze(mask, 1), 0),
                    [b, mask.dim(0), 1, area, area],
                );
                let all = t.reshape(&all, [x.dim(0), 1, area, area]);
                let combined = t.add(&bias, &all);
                seen = Some(all);
                combined
            }
            None => bias.clone(),
        };
        let (out, weights) = if self.options.implementation == Attention::Eager {
            attend_with_weights(t, self.options, &q, &k, &v, Some(&combined))
        } else {
            attend_as_bert(t, self.options, [&q, &k, &v], Some(&combined), false)
        };
        let out = output.forward(t, &joined(t, out));
        drop((seen, bias, combined));
        (out, weights)
    }
}

/// `cyclic_shift` of images `[B, side, side, H]`, if the layer `shifts` them.
pub(crate) fn shifted(t: &Tape, image: &Tensor, shifts: bool) -> Tensor {
    if shifts {
        t.roll_twice(image)
    } else {
        image.clone()
    }
}

/// The first `side` rows and columns of images that were padded.
pub(crate) fn cropped(t: &Tape, facts: Facts, image: &Tensor, side: u64) -> Tensor {
    let rows = t.slice(&t.slice(image, 1, 0, side), 2, 0, side);
    t.contiguous(&facts.index_all(t, &rows, 2))
}

/// `get_attn_mask` of images with padded sides: `[windows, W, W]`.
pub(crate) fn shifted_mask(t: &Tape, window: u64, side: u64, dtype: DType) -> Tensor {
    let line = |op, dtype| t.empty(op, Shape::from([side]), dtype);
    let held = [(); 2].map(|()| line("arange", DType::Int64));
    let regions = [(); 2].map(|()| {
        let parts = [(); 2].map(|()| {
            let _beyond = line("ge", DType::Bool);
            line("_to_copy", DType::Int64)
        });
        let sum = line("add", DType::Int64);
        drop(parts);
        sum
    });
    let image = Shape::from([1, side, side, 1]);
    let numbered = {
        let tripled = line("mul", DType::Int64);
        let sum = t.empty("add", image, DType::Int64);
        drop(tripled);
        t.to(&sum, dtype)
    };
    let windows = partitioned(t, &numbered, window);
    let area = window * window;
    let all = Shape::from([side * side / area, area, area]);
    let different = t.empty("sub", all, dtype);
    let flags = |op| t.empty(op, all, DType::Bool);
    let filled = || t.empty("masked_fill", all, dtype);
    let first = {
        let _different = flags("ne");
        filled()
    };
    let same = flags("eq");
    let mask = filled();
    drop((first, same, different, held, regions, numbered, windows));
    mask
}

/// `window_partition`: images `[B, side, side, C]` to `[B x rows x columns of windows, ...]`.
pub(crate) fn partitioned(t: &Tape, image: &Tensor, window: u64) -> Tensor {
    let (b, side, columns) = (image.dim(0), image.dim(1), image.dim(3));
    let parts = t.view(
        image,
        [b * side / window, window, side / window, window, columns],
    );
    t.contiguous(&t.transpose(&parts, 1, 2))
}

/// `window_reverse`: windows `[N, W, C]` to images `[B, side, side, C]`.
pub(crate) fn reversed(t: &Tape, windows: &Tensor, window: u64, b: u64, side: u64) -> Tensor {
    let columns = windows.dim(-1);
    let parts = t.view(
        windows,
        [b * side / window, side / window, window, window, columns],
    );
    let whole = t.contiguous(&t.transpose(&parts, 1, 2));
    t.view(&whole, [b, side, side, columns])
}
