//! Mistral 3's images of any size, whose patches are joined to one sequence
//! (`models/{mistral3,pixtral}/modeling_*.py` of transformers 5.23).

use super::features::{ImageFeatures, Pooled};
use super::packed::angles;
use crate::ask::Attention;
use crate::model::{Activation, JoinedConfig, NormKind};
use crate::nn::attention::{
    AttentionOptions, attend_as_bert, attend_with_weights, flash, in_heads, joined, rotary,
};
use crate::nn::build::{Builder, Facts, Linear, Norm};
use crate::nn::decoder::{Block, Shell};
use crate::nn::mlp::{GatedMlp, activated};
use crate::tape::{Packed, Tape, Tensor, Window};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `PixtralVisionModel` and `Mistral3MultiModalProjector`.
pub(crate) struct JoinedTower {
    scope: u32,
    patches: Tensor,
    /// Whether embedded patches are made to require a gradient.
    patches_require_gradient: bool,
    norm: Norm,
    layers: Vec<Rc<PixtralLayer>>,
    /// The frequencies and a second copy of them.
    _frequencies: [Tensor; 2],
    projector: Projector,
    config: JoinedConfig,
    /// Patches down and across an image.
    grid: [u64; 2],
}

/// `Mistral3MultiModalProjector`.
struct Projector {
    scope: u32,
    norm: Norm,
    merging: Linear,
    layers: [Linear; 2],
    activation: Activation,
}

/// `PixtralAttentionLayer`.
struct PixtralLayer {
    norms: [Norm; 2],
    mlp: GatedMlp,
    key: Linear,
    value: Linear,
    query: Linear,
    output: Linear,
    head_dim: u64,
    options: AttentionOptions,
}

/// Inputs of all layers.
#[derive(Clone)]
struct Given {
    /// A mask of the patches of the same image, added to scores; an argument by its place.
    mask: Option<Tensor>,
    /// Or where each image's patches begin, and how many images there are, which the flash-attn package is
    /// told.
    bounds: Option<(Tensor, u64)>,
    cos: Tensor,
    sin: Tensor,
}

impl PixtralLayer {
    fn new(b: &Builder, c: &JoinedConfig, options: AttentionOptions) -> Self {
        let (hidden, inner) = (c.tower.hidden_size, c.tower.intermediate_size);
        let norm = |name| Norm::new(&b.at(name), NormKind::Root, hidden);
        let before = norm("attention_norm");
        let active = match c.tower.activation {
            Activation::Silu => Tape::silu,
            _ => Tape::gelu,
        };
        let mlp = GatedMlp::new(&b.at("feed_forward"), hidden, inner, active);
        let at = b.at("attention");
        let [key, value, query, output] = ["k_proj", "v_proj", "q_proj", "o_proj"]
            .map(|name| Linear::new(&at.at(name), hidden, hidden, false));
        Self {
            norms: [before, norm("ffn_norm")],
            mlp,
            key,
            value,
            query,
            output,
            head_dim: c.tower.head_dim,
            options,
        }
    }

    /// `[1, n, H]` to the same, with eager attention's weights, which the layer holds.
    fn attend(&self, t: &Tape, x: &Tensor, given: &Given) -> (Tensor, Option<Tensor>) {
        let projected = [&self.query, &self.key, &self.value].map(|layer| layer.forward(t, x));
        let [q, k, v] = projected.map(|y| in_heads(t, &y, self.head_dim));
        let both = [q, k];
        let angles = [&given.cos, &given.sin];
        let [q, k] = both
            .each_ref()
            .map(|x| rotary::apply_along(t, x, angles, 0));
        drop(both);
        let mask = given.mask.as_ref();
        let (out, weights) = if let Some((boundaries, count)) = &given.bounds {
            let (boundaries, count) = (boundaries, *count);
            let images = Packed { boundaries, count };
            (
                flash::attend_in_list(t, self.options, [&q, &k, &v], &images),
                None,
            )
        } else if self.options.implementation == Attention::Eager {
            attend_with_weights(t, self.options, &q, &k, &v, mask)
        } else {
            attend_as_bert(t, self.options, [&q, &k, &v], mask, false)
        };
        let merged = joined(t, out);
        (self.output.forward(t, &merged), weights)
    }
}

impl Block for PixtralLayer {
    type Shared = Given;

    fn outliving(given: &Given, _facts: Facts) -> Given {
        Given {
            mask: None,
            ..given.clone()
        }
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, given: &Given) -> Tensor {
        let [before, after] = &self.norms;
        let normed = t.scoped("attention_norm", None, || before.forward(t, hidden));
        let (attended, weights) = t.scoped("attention", None, || self.attend(t, &normed, given));
        drop(normed);
        let sum = t.add(hidden, &attended);
        drop(attended);
        let normed = t.scoped("ffn_norm", None, || after.forward(t, &sum));
        let out = t.scoped("feed_forward", None, || self.mlp.forward(t, &normed));
        drop(normed);
        let result = t.add(&sum, &out);
        drop((out, sum, weights));
        result
    }
}

impl Projector {
    fn new(b: &Builder, c: &JoinedConfig, hidden: u64) -> Self {
        let seen = c.tower.hidden_size;
        let merged = seen * c.merge * c.merge;
        let at = b.at("patch_merger").at("merging_layer");
        let bias = c.projector_bias;
        Self {
            scope: b.scope,
            norm: Norm::new(&b.at("norm"), NormKind::Root, seen),
            merging: Linear::new(&at, merged, seen, false),
            layers: [
                Linear::new(&b.at("linear_1"), seen, hidden, bias),
                Linear::new(&b.at("linear_2"), hidden, hidden, bias),
            ],
            activation: c.activation,
        }
    }

    /// `[n, H']` to `[tokens, H]`.
    fn forward(&self, t: &Tape, x: &Tensor, grid: [u64; 2], merge: u64) -> Tensor {
        let normed = self.norm.forward(t, x);
        let merged = self.merge(t, &normed, grid, merge);
        drop(normed);
        let [first, second] = &self.layers;
        let active = activated(t, self.activation, first.forward(t, &merged));
        drop(merged);
        second.forward(t, &active)
    }

    /// `Mistral3PatchMerger`: squares of patches of each image become one token.
    fn merge(&self, t: &Tape, x: &Tensor, [down, across]: [u64; 2], merge: u64) -> Tensor {
        let columns = x.dim(1);
        let count = x.dim(0) / (down * across).max(1);
        let number = |op| t.empty(op, Shape::new(&[]), DType::Int64);
        let mut sizes: Vec<_> = (0..count)
            .map(|_| {
                let height = number("floor_divide");
                (number("floor_divide"), height)
            })
            .collect();
        let tokens: Vec<_> = (0..count).map(|_| number("mul")).collect();
        let of_one = vec![down * across; sizes.len()];
        let mut squares: Vec<_> = t
            .parts(x, &of_one, 0)
            .iter()
            .map(|image| {
                let image = t.view(image, [down, across, columns]);
                let image = t.unsqueeze(&t.permute(&image, &[2, 0, 1]), 0);
                let squares = t.squares(&image, merge);
                t.t(&t.view(&squares, [squares.dim(1), squares.dim(2)]))
            })
            .collect();
        let all = t.cat(&squares.iter().collect::<Vec<_>>(), 0);
        let merged = self.merging.forward(t, &all);
        // The loop's variables go last.
        let last = (sizes.pop(), squares.pop());
        drop((all, sizes, tokens, squares));
        drop(last);
        merged
    }
}

impl JoinedTower {
    /// A tower for a decoder of `hidden` columns and for images of `grid` patches down and across.
    pub(crate) fn new(
        b: &Builder,
        c: &JoinedConfig,
        hidden: u64,
        (options, grid): (AttentionOptions, [u64; 2]),
    ) -> Self {
        let options = AttentionOptions {
            dropout: c.tower.attention_dropout,
            positions_given: false,
            ..options
        };
        let at = b.at("vision_tower");
        let (seen, size) = (c.tower.hidden_size, c.patch_size);
        let patches = at.at("patch_conv");
        let weight = patches.parameter("weight", [seen, c.channels, size, size]);
        let norm = Norm::new(&at.at("ln_pre"), NormKind::Root, seen);
        let transformer = at.at("transformer");
        let layers = transformer.items("layers", c.tower.num_hidden_layers, |b| {
            Rc::new(PixtralLayer::new(b, c, options))
        });
        let rotated = at.at("patch_positional_embedding");
        let frequencies = ["inv_freq", "original_inv_freq"]
            .map(|name| rotated.buffer(name, [c.tower.head_dim / 2], DType::Float32));
        Self {
            scope: at.scope,
            patches: weight,
            patches_require_gradient: patches.input_requires_gradient(true),
            norm,
            layers,
            _frequencies: frequencies,
            projector: Projector::new(&b.at("multi_modal_projector"), c, hidden),
            config: c.clone(),
            grid,
        }
    }

    /// How many layers see images.
    pub(crate) fn layers(&self) -> u64 {
        self.layers.len() as u64
    }

    /// `get_image_features` of images `[N, C, height, width]`.
    pub(crate) fn features(&self, t: &Tape, shell: &Shell, images: &Tensor) -> ImageFeatures {
        let last = t.in_scope(self.scope, || self.see_patches(t, shell, images));
        let (count, [down, across]) = (images.dim(0), self.grid);
        let merge = self.config.merge;
        let projected = t.in_scope(self.projector.scope, || {
            let flat = t.view(&last, [last.dim(1), last.dim(2)]);
            self.projector.forward(t, &flat, self.grid, merge)
        });
        {
            let sides = t.empty("floor_divide", Shape::from([count, 2]), DType::Int64);
            let _tokens = t.empty("prod", Shape::from([count]), DType::Int64);
            drop(sides);
        }
        let tokens = (down / merge) * (across / merge);
        let of_each = vec![tokens; usize::try_from(count).unwrap_or(0)];
        let parts = t.parts(&projected, &of_each, 0);
        ImageFeatures::new(Pooled::Parts(parts), [last])
    }

    /// To the last hidden states `[1, n, H']`.
    fn see_patches(&self, t: &Tape, shell: &Shell, images: &Tensor) -> Tensor {
        let count = images.dim(0);
        let [down, across] = self.grid;
        let n = count * down * across;
        let pixels = t.to(images, shell.dtype());
        let size = self.config.patch_size;
        let window = Window {
            stride: [size; 2],
            padding: [0; 2],
        };
        let mut seen = t.conv2d(&pixels, &self.patches, None, window);
        drop(pixels);
        if self.patches_require_gradient && !seen.requires_grad() {
            seen = t.input_leaf(&seen);
        }
        let parts = self.parts(t, &seen, count);
        let joined = {
            let flat: Vec<_> = parts
                .iter()
                .map(|image| {
                    let flat = t.reshape(image, [image.dim(0), down * across]);
                    t.t(&flat)
                })
                .collect();
            let all = t.cat(&flat.iter().collect::<Vec<_>>(), 0);
            t.unsqueeze(&all, 0)
        };
        let embedded = self.norm.forward(t, &joined);
        drop(joined);
        let (positions, lines) = places(t, count, self.grid);
        let columns = self.config.tower.head_dim;
        let (cos, sin) = angles(t, n, [columns; 2], embedded.dtype());
        let mut given = Given {
            mask: None,
            bounds: None,
            cos,
            sin,
        };
        if shell.flash {
            given.bounds = Some((bounds(t, count), count));
        } else {
            let square = t.empty("full", Shape::from([n, n]), embedded.dtype());
            given.mask = Some(t.view(&square, [1, 1, n, n]));
        }
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("transformer.layers", Some(i), || {
                shell.run(t, layer, &hidden, &given)
            });
        }
        drop((embedded, positions, parts, seen, lines, given));
        hidden
    }

    /// The features of each image, cut to its size.
    fn parts(&self, t: &Tape, seen: &Tensor, count: u64) -> Vec<Tensor> {
        let number = |op| t.empty(op, Shape::new(&[]), DType::Int64);
        let ones = vec![1; usize::try_from(count).unwrap_or(0)];
        let images = t.parts(seen, &ones, 0);
        let cut = |image: &Tensor| {
            let _across = number("floor_divide");
            drop(number("floor_divide"));
            t.view(image, [image.dim(1), self.grid[0], self.grid[1]])
        };
        images.iter().map(cut).collect()
    }
}

/// The beginning of the patches of each of `images`, and the end of the last.
fn bounds(t: &Tape, images: u64) -> Tensor {
    let shape = Shape::from([images + 1]);
    let _lengths = t.empty("_to_copy", shape, DType::Int32);
    t.cumsum(shape, DType::Int32)
}

/// Rows and columns of the patches of all images, `[n, 2]`, and those of the last image.
fn places(t: &Tape, count: u64, [down, across]: [u64; 2]) -> (Tensor, Option<[Tensor; 2]>) {
    let n = down * across;
    let numbers = |op, count| t.empty(op, Shape::from([count]), DType::Int64);
    let mut last = None;
    let all: Vec<Tensor> = (0..count)
        .map(|_| {
            let lines = [down, across].map(|count| numbers("arange", count));
            last = Some(lines);
            let _flat = [numbers("clone", n), numbers("clone", n)];
            numbers("stack", 2 * n)
        })
        .collect();
    let places = t.empty("cat", Shape::from([count * n, 2]), DType::Int64);
    drop(all);
    (places, last)
}
