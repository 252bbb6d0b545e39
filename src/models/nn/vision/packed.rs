//! The tower for images of any size, whose patches are packed into one list
//! (`models/{qwen2_vl,qwen2_5_vl,qwen3_vl}/modeling_*.py` and `vision_utils.py` of transformers 5.23).

use super::deep as vision_deep;
use super::deep::DeepTower;
use super::merger::Merger;
use super::sequences::Sequences;
use super::tower::TowerMlp;
use crate::ask::Attention;
use crate::model::{NormKind, PackedConfig};
use crate::nn::attention::{AttentionOptions, attend_as_bert, attend_with_weights, flash, rotary};
use crate::nn::build::{Builder, Facts, Linear, Norm};
use crate::nn::decoder::{Block, Shell};
use crate::nn::mlp::GatedMlp;
use crate::tape::{Packed, Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `Qwen2_5_VisionTransformerPretrainedModel`, and that of Qwen2-VL and Qwen3-VL.
pub(crate) struct PackedTower {
    /// Its scope.
    scope: u32,
    patches: (Tensor, Option<Tensor>),
    /// Whether embedded patches are made to require a gradient.
    patches_require_gradient: bool,
    /// The frequencies and a second copy of them.
    _frequencies: [Tensor; 2],
    blocks: Vec<Rc<PackedBlock>>,
    merger: Merger,
    deep: Option<DeepTower>,
    flash: bool,
    config: PackedConfig,
}

/// The features of images.
pub(crate) struct SeenPatches {
    /// The last hidden states `[patches, H']`.
    pub(crate) last: Tensor,
    /// Features of all images, `[tokens, H]`.
    pub(crate) merged: Tensor,
    /// Features of other depths.
    pub(crate) deep: Vec<Tensor>,
}

/// `Qwen2_5_VLVisionBlock`.
struct PackedBlock {
    norms: [Norm; 2],
    qkv: Linear,
    proj: Linear,
    mlp: Mlp,
    heads: u64,
    options: AttentionOptions,
}

enum Mlp {
    Gated(GatedMlp),
    Plain(TowerMlp),
}

/// Inputs of layers that see the same patches.
#[derive(Clone)]
struct Given {
    /// The beginnings of windows, or of images.
    bounds: Tensor,
    /// The windows or images that attend to themselves.
    sequences: Sequences,
    cos: Tensor,
    sin: Tensor,
}

impl PackedBlock {
    fn new(b: &Builder, c: &PackedConfig, options: AttentionOptions) -> Self {
        let (tower, hidden) = (&c.tower, c.tower.hidden_size);
        let norm = |name| Norm::new(&b.at(name), norm_kind(c), hidden);
        let norms = ["norm1", "norm2"].map(norm);
        let at = b.at("attn");
        let qkv = Linear::new(&at.at("qkv"), hidden, 3 * hidden, true);
        let proj = Linear::new(&at.at("proj"), hidden, hidden, true);
        let mlp = if c.window.is_some() {
            let inner = tower.intermediate_size;
            Mlp::Gated(GatedMlp::with_bias(
                &b.at("mlp"),
                hidden,
                inner,
                true,
                Tape::silu,
            ))
        } else if c.deep.is_some() {
            let names = ["linear_fc1", "linear_fc2"];
            Mlp::Plain(TowerMlp::named(&b.at("mlp"), tower, names))
        } else {
            Mlp::Plain(TowerMlp::new(&b.at("mlp"), tower))
        };
        Self {
            norms,
            qkv,
            proj,
            mlp,
            heads: tower.num_attention_heads,
            options,
        }
    }

    /// `[n, H]` to the same.
    fn attend(&self, t: &Tape, x: &Tensor, given: &Given) -> Tensor {
        let (n, hidden) = (x.dim(0), x.dim(1));
        let columns = hidden / self.heads;
        let [q, k, v] = {
            let projected = self.qkv.forward(t, x);
            let heads = t.view(&projected, [n, 3, self.heads, columns]);
            t.unbind(&t.permute(&heads, &[1, 0, 2, 3]), 0)
        };
        let both = [q, k];
        let [q, k] = rotated(t, &both, given);
        drop(both);
        let whole = [q, k, v].map(|x| t.unsqueeze(&t.transpose(&x, 0, 1), 0));
        if self.options.implementation == Attention::FlashAttention2 {
            let sequences = Packed {
                boundaries: &given.bounds,
                count: given.sequences.count(),
            };
            let attended = flash::attend_in_list(t, self.options, whole.each_ref(), &sequences);
            let flat = t.reshape(&attended, [n, hidden]);
            drop(attended);
            let out = self.proj.forward(t, &flat);
            drop((flat, whole));
            return out;
        }
        let lengths = t.empty("sub", Shape::from([given.sequences.count()]), DType::Int32);
        let attend = |[q, k, v]: [&Tensor; 3]| {
            if self.options.implementation == Attention::Eager {
                attend_with_weights(t, self.options, q, k, v, None).0
            } else {
                attend_as_bert(t, self.options, [q, k, v], None, false).0
            }
        };
        let (joined, held) = given.sequences.through(t, whole.each_ref(), attend);
        let flat = t.reshape(&joined, [n, hidden]);
        drop(joined);
        let out = self.proj.forward(t, &flat);
        drop((flat, held, lengths, whole));
        out
    }
}

/// `apply_rotary_pos_emb_vision` of queries and keys `[n, A, D]`.
fn rotated(t: &Tape, both: &[Tensor; 2], given: &Given) -> [Tensor; 2] {
    let wide = both.each_ref().map(|x| t.to(x, DType::Float32));
    let angles = [&given.cos, &given.sin];
    let rotated = wide
        .each_ref()
        .map(|x| rotary::apply_along(t, x, angles, 1));
    let [q, k] = rotated;
    let narrow_q = t.to(&q, both[0].dtype());
    drop(q);
    let narrow_k = t.to(&k, both[1].dtype());
    drop(k);
    [narrow_q, narrow_k]
}

fn norm_kind(c: &PackedConfig) -> NormKind {
    if c.window.is_some() {
        NormKind::Root
    } else {
        NormKind::Layer
    }
}

impl Block for PackedBlock {
    type Shared = Given;

    fn outliving(given: &Given, _facts: Facts) -> Given {
        given.clone()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, given: &Given) -> Tensor {
        let [before, after] = &self.norms;
        let normed = t.scoped("norm1", None, || before.forward(t, hidden));
        let attended = t.scoped("attn", None, || self.attend(t, &normed, given));
        drop(normed);
        let sum = t.add(hidden, &attended);
        drop(attended);
        let normed = t.scoped("norm2", None, || after.forward(t, &sum));
        let out = t.scoped("mlp", None, || match &self.mlp {
            Mlp::Gated(mlp) => mlp.forward(t, &normed),
            Mlp::Plain(mlp) => mlp.forward(t, &normed),
        });
        drop(normed);
        let result = t.add(&sum, &out);
        drop((out, sum));
        result
    }
}

impl PackedTower {
    pub(crate) fn new(
        b: &Builder,
        c: &PackedConfig,
        hidden: u64,
        options: AttentionOptions,
    ) -> Self {
        let b = b.at("visual");
        let options = AttentionOptions {
            positions_given: false,
            ..options
        };
        let (seen, size) = (c.tower.hidden_size, c.patch_size);
        let embed = b.at("patch_embed");
        let sizes: &[u64] = &[seen, c.channels, c.temporal_patch_size, size, size];
        let proj = embed.at("proj");
        let weight = proj.parameter("weight", Shape::new(sizes));
        let bias = c.deep.as_ref().map(|_| proj.parameter("bias", [seen]));
        let layers = || {
            let at = b.at("rotary_pos_emb");
            let frequencies = ["inv_freq", "original_inv_freq"]
                .map(|name| at.buffer(name, [c.tower.head_dim / 4], DType::Float32));
            let differ = c.full.contains(&false) && c.full.contains(&true) || c.deep.is_some();
            let blocks = b.items("blocks", c.tower.num_hidden_layers, |b| {
                if differ {
                    b.differs();
                }
                Rc::new(PackedBlock::new(b, c, options))
            });
            let merger = Merger::new(&b.at("merger"), c, hidden, norm_kind(c));
            (frequencies, blocks, merger)
        };
        let (deep, (frequencies, blocks, merger)) = match &c.deep {
            Some(deep) => {
                let (deep, layers) = DeepTower::new(&b, (c, deep), hidden, layers);
                (Some(deep), layers)
            }
            None => (None, layers()),
        };
        Self {
            scope: b.scope,
            patches: (weight, bias),
            // `patch_embed` is the input embedding before Qwen3-VL, which has none.
            patches_require_gradient: deep.is_none() && embed.input_requires_gradient(true),
            _frequencies: frequencies,
            blocks,
            merger,
            deep,
            flash: options.implementation == Attention::FlashAttention2,
            config: c.clone(),
        }
    }

    /// How many layers see images.
    pub(crate) fn layers(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// Patches `[n, columns]` of `images` whose sides are `pixels` pixels.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        shell: &Shell,
        pixels: &Tensor,
        (images, sides): (u64, [u64; 2]),
    ) -> SeenPatches {
        let cast = t.to(pixels, shell.dtype());
        let seen = t.in_scope(self.scope, || self.see(t, shell, &cast, (images, sides)));
        let number = |op| t.empty(op, Shape::from([images]), DType::Int64);
        {
            let product = number("prod");
            let _tokens = number("floor_divide");
            drop(product);
        }
        drop(cast);
        seen
    }

    /// `get_max_seqlen` of `sequences` sequences, which the flash-attn package is told.
    fn look_for_longest(&self, t: &Tape, sequences: u64) {
        if self.flash {
            let lengths = t.empty("sub", Shape::from([sequences]), DType::Int32);
            let _longest = t.reduce("max", &lengths, Shape::new(&[]), DType::Int32);
        }
    }

    fn see(
        &self,
        t: &Tape,
        shell: &Shell,
        pixels: &Tensor,
        (images, sides): (u64, [u64; 2]),
    ) -> SeenPatches {
        let c = &self.config;
        let grid = c.grid(sides);
        let of_image = grid[0] * grid[1];
        let n = images * of_image;
        let around = (self.deep.as_ref()).map(|_| vision_deep::interpolated(t, images, n));
        let positions = places(t, images, grid);
        let bounds = bounds_of_images(t, images);
        self.look_for_longest(t, images);
        let windowed = c.window.map(|_| {
            let all = images * c.windows(sides, true).len() as u64 + 1;
            let bounds = bounds_of_windows(t, all);
            self.look_for_longest(t, images * c.windows(sides, false).len() as u64);
            bounds
        });
        let mut hidden = {
            let patches = Shape::from([
                n,
                c.channels,
                c.temporal_patch_size,
                c.patch_size,
                c.patch_size,
            ]);
            let patches = t.view(pixels, patches);
            let (weight, bias) = &self.patches;
            let seen = t.conv_patches(&patches, weight, bias.as_ref());
            let flat = t.view(&seen, [n, seen.dim(1)]);
            if self.patches_require_gradient && !flat.requires_grad() {
                t.input_leaf(&flat)
            } else {
                flat
            }
        };
        let mut places = None;
        if let (Some(deep), Some(around)) = (&self.deep, &around) {
            let (placed, held) = deep.place(t, &hidden, around);
            (hidden, places) = (placed, Some(held));
        }
        let unit = c.merge * c.merge;
        let by_window = |x: &Tensor| {
            let grouped = t.reshape(x, [n / unit, unit, x.dim(1)]);
            let sorted = t.index_by_host(&grouped, n / unit);
            t.reshape(&sorted, [n, x.dim(1)])
        };
        if windowed.is_some() {
            hidden = by_window(&hidden);
        }
        let (mut cos, mut sin) = angles(
            t,
            n,
            [c.tower.head_dim / 2, c.tower.head_dim],
            DType::Float32,
        );
        if windowed.is_some() {
            let sorted = [&cos, &sin].map(by_window);
            [cos, sin] = sorted;
        }
        let given = |bounds: &Tensor, sequences: Sequences| Given {
            bounds: bounds.clone(),
            sequences,
            cos: cos.clone(),
            sin: sin.clone(),
        };
        let whole = given(&bounds, Sequences::new(images, &[of_image], 1));
        let narrow = windowed.as_ref().map(|bounds| {
            let of_one = c.windows(sides, false);
            given(
                bounds,
                Sequences::new(images, &of_one, c.windows_across(sides)),
            )
        });
        drop((cos, sin));
        let mut features = Vec::new();
        for (i, (block, &full)) in (0..).zip(self.blocks.iter().zip(&c.full)) {
            let given = narrow.as_ref().filter(|_| !full).unwrap_or(&whole);
            hidden = t.scoped("blocks", Some(i), || shell.run(t, block, &hidden, given));
            let deep = self.deep.as_ref();
            features.extend(deep.and_then(|deep| deep.features(t, i, &hidden)));
        }
        let mut merged = t.scoped("merger", None, || self.merger.forward(t, &hidden));
        if windowed.is_some() {
            merged = t.index_by_host(&merged, n / unit);
        }
        drop((around, positions, bounds, windowed));
        drop(places);
        SeenPatches {
            last: hidden,
            merged,
            deep: features,
        }
    }
}

/// `get_vision_position_ids`: rows and columns of the patches of all images, `[n, 2]`.
fn places(t: &Tape, images: u64, [down, across]: [u64; 2]) -> Tensor {
    let n = down * across;
    let numbers = |op, count| t.empty(op, Shape::from([count]), DType::Int64);
    let side = numbers("_to_copy", 1);
    let mut last = None;
    let all: Vec<Tensor> = (0..images)
        .map(|_| {
            let lines = [down, across].map(|count| numbers("arange", count));
            last = None;
            last = Some(lines.map(|line| {
                let flat = numbers("clone", n);
                drop(line);
                flat
            }));
            let _pairs = numbers("stack", 2 * n);
            numbers("repeat", 2 * n)
        })
        .collect();
    let places = t.empty("cat", Shape::from([images * n, 2]), DType::Int64);
    drop((side, all, last));
    places
}

/// `get_vision_cu_seqlens`: where images begin, `[images + 1]`.
fn bounds_of_images(t: &Tape, images: u64) -> Tensor {
    let numbers = |op, dtype| t.empty(op, Shape::from([images]), dtype);
    let each = {
        let products = numbers("mul", DType::Int64);
        let rows = {
            let copied = numbers("contiguous", DType::Int64);
            let sums = {
                let sums = numbers("cumsum", DType::Int64);
                let scanned = numbers("cumsum", DType::Int64);
                t.scan_alone(Shape::from([images]), DType::Int64);
                drop(scanned);
                sums
            };
            let rows = numbers("repeat_interleave", DType::Int64);
            drop((sums, copied));
            rows
        };
        let each = numbers("index_select", DType::Int64);
        drop((rows, products));
        each
    };
    let sums = numbers("cumsum", DType::Int32);
    {
        let _narrow = numbers("_to_copy", DType::Int32);
        t.scan_alone(Shape::from([images]), DType::Int32);
    }
    let bounds = t.empty("constant_pad_nd", Shape::from([images + 1]), DType::Int32);
    drop((sums, each));
    bounds
}

/// The bounds of windows: those of `all` numbers that differ from the one before (`torch.unique_consecutive`).
fn bounds_of_windows(t: &Tape, all: u64) -> Tensor {
    let numbers = |op| t.empty(op, Shape::from([all]), DType::Int32);
    let _given = numbers("_to_copy");
    let found = numbers("unique_consecutive");
    let _count = t.empty("unique_consecutive", Shape::from([1]), DType::Int64);
    t.scan_alone(Shape::from([all]), DType::Int32);
    found
}

/// `Qwen2_5_VLVisionRotaryEmbedding`, `PixtralVisionRotaryEmbedding`: cosines and sines `[n, D]`,
/// computed in float32 from as many angles as are `taken`.
pub(crate) fn angles(
    t: &Tape,
    n: u64,
    [taken, head_dim]: [u64; 2],
    dtype: DType,
) -> (Tensor, Tensor) {
    let wide = |op, columns| t.empty(op, Shape::from([n, columns]), DType::Float32);
    let angles = {
        let _real = wide("_to_copy", 2);
        wide("mul", taken)
    };
    let scaled = |op| {
        let values = t.trigonometric(op, &angles);
        t.mul_scalar(&values)
    };
    let (cos, sin) = (scaled("cos"), scaled("sin"));
    let composed = |x: Tensor| {
        let half = wide("cat", head_dim / 2);
        let whole = wide("cat", head_dim);
        drop(half);
        drop(x);
        whole
    };
    let cos = composed(cos);
    let sin = composed(sin);
    let cast = (t.to(&cos, dtype), t.to(&sin, dtype));
    drop(angles);
    cast
}
