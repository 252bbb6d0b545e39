//! Images in squares, whose patches lie together in one token
//! (`models/{idefics3,smolvlm}/modeling_*.py` of transformers 5.23).

use super::among::{Among, Seen, matched, placeholders};
use super::features::{ImageFeatures, Pooled};
use super::patches::Patches;
use super::tower::Tower;
use crate::model::{ImageKind, WholeConfig};
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Embedding, LayerNorm, Linear};
use crate::nn::decoder::Shell;
use crate::nn::masks;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The index of the positions among the local variables that remain after computing them.
const PLACES: usize = 1;

/// `Idefics3VisionTransformer` and `Idefics3Connector`.
pub(crate) struct SplitTower {
    kind: ImageKind,
    scope: u32,
    patches: Patches,
    positions: Embedding,
    /// Whether the embeddings are made to require a gradient.
    embedded_requires_gradient: bool,
    tower: Tower,
    norm: LayerNorm,
    projection: Linear,
    /// Patches along each side of a square, and of what becomes one token.
    side: u64,
    merge: u64,
}

impl SplitTower {
    pub(crate) fn new(
        b: &Builder,
        c: &WholeConfig,
        hidden: u64,
        options: AttentionOptions,
    ) -> Self {
        let at = b.at("vision_model");
        let tower = &c.tower;
        let seen = tower.vision.hidden_size;
        let embeddings = at.at("embeddings");
        let sizes = [seen, tower.num_channels, tower.patch_size];
        let patches = Patches::new(&embeddings.at("patch_embedding"), sizes, true);
        let positions = embeddings.at("position_embedding");
        let layers = ("encoder.layers", false);
        Self {
            kind: c.kind,
            scope: at.scope,
            patches,
            positions: Embedding::new(&positions, tower.image_tokens(), seen),
            embedded_requires_gradient: embeddings.input_requires_gradient(true),
            tower: Tower::new(&at, layers, (tower.kind, &tower.vision), options),
            norm: LayerNorm::new(&at.at("post_layernorm"), seen),
            projection: Linear::new(
                &b.at("connector").at("modality_projection").at("proj"),
                seen * c.merge * c.merge,
                hidden,
                false,
            ),
            side: tower.image_size / tower.patch_size,
            merge: c.merge,
        }
    }

    /// How many layers see images.
    pub(crate) fn layers(&self) -> u64 {
        self.tower.layers()
    }

    /// Features of squares of images among embedded tokens `[B, S, H]`.
    pub(crate) fn place(
        &self,
        t: &Tape,
        shell: &Shell,
        embedded: Tensor,
        seen: ImageFeatures,
    ) -> Seen {
        let b = embedded.dim(0);
        let features = t.to(&seen.joined(t), shell.dtype());
        let mask = if self.kind.compares_embeddings() {
            placeholders(t, &embedded, false).0
        } else {
            let size = Shape::from([b, embedded.dim(1)]);
            let mask = t.empty("eq", size, DType::Bool);
            matched(t, size, false);
            t.unsqueeze(&mask, 2)
        };
        let features = t.to(&features, embedded.dtype());
        let merged = t.masked_scatter(&embedded, &mask, &features);
        drop(embedded);
        let (features, held, beside) = if self.kind.compares_embeddings() {
            (None, vec![features, mask], seen.held().collect())
        } else {
            (Some(features), seen.held().collect(), Vec::new())
        };
        Seen {
            embedded: merged,
            features,
            beside,
            held,
            among: Among::default(),
        }
    }

    /// `get_image_features` of squares of images `[N, C, I, I]` of b samples.
    pub(crate) fn features(
        &self,
        t: &Tape,
        shell: &Shell,
        images: &Tensor,
        b: u64,
    ) -> ImageFeatures {
        let n = images.dim(0);
        let cast = t.to(images, shell.dtype());
        let (real, counts) = self.real_images(t, &cast, b);
        let pixels = found(t, *cast.shape(), cast.dtype());
        drop(cast);
        let side = images.dim(2);
        let mask = found(t, Shape::from([n, side, side]), DType::Int64);
        let grid = [n, self.side, self.side];
        let seen = {
            let sums = t.empty("sum", Shape::from(grid), DType::Int64);
            let seen = t.empty("gt", Shape::from(grid), DType::Bool);
            drop(sums);
            seen
        };
        let last = t.in_scope(self.scope, || self.see_patches(t, shell, &pixels));
        let projected = t.scoped("model.connector", None, || {
            let shuffled = if self.merge == 1 {
                last.clone()
            } else {
                shuffled(t, &last, [self.side, self.merge])
            };
            self.projection.forward(t, &shuffled)
        });
        drop((real, counts, mask, seen));
        let of_sample = vec![projected.dim(0) / b; usize::try_from(b).unwrap_or(0)];
        let columns = projected.dim(2);
        let rows = |x: &Tensor| t.view(x, [x.numel() / columns, columns]);
        let parts = t.parts(&projected, &of_sample, 0);
        ImageFeatures::new(Pooled::Parts(parts.iter().map(rows).collect()), [last])
    }

    /// The images that are no padding, `[N]`, and how many of each sample, `[B]`.
    fn real_images(&self, t: &Tape, pixels: &Tensor, b: u64) -> (Tensor, Tensor) {
        let n = pixels.dim(0);
        let numbers = |op, count| t.empty(op, Shape::from([count]), DType::Int64);
        let real = {
            let zero = t.empty("eq", *pixels.shape(), DType::Bool);
            let sums = numbers("sum", n);
            drop(t.empty("sum", *pixels.shape(), DType::Int64));
            drop(zero);
            let real = t.empty("ne", Shape::from([n]), DType::Bool);
            drop(sums);
            real
        };
        if self.kind.compares_embeddings() {
            let any = t.empty("any", Shape::new(&[]), DType::Bool);
            drop(t.empty("bitwise_not", Shape::new(&[]), DType::Bool));
            drop(any);
        }
        let counts = numbers("sum", b);
        drop(numbers("sum", n));
        (real, counts)
    }

    /// Squares `[N, C, I, I]` to the last hidden states `[N, P, H']`.
    fn see_patches(&self, t: &Tape, shell: &Shell, pixels: &Tensor) -> Tensor {
        let embedded = {
            let patches = self.patches.forward(t, pixels);
            let kept = self.places(t, pixels.dim(0));
            let positions = self.positions.forward(t, &kept[PLACES]);
            let sum = t.add(&patches, &positions);
            drop((positions, patches, kept));
            if self.embedded_requires_gradient && !sum.requires_grad() {
                t.input_leaf(&sum)
            } else {
                sum
            }
        };
        // No patch is padding, so that there is no mask.
        drop(masks::flags(t, "all", 1));
        let hidden = self.tower.forward(t, shell, &embedded, &(None, false));
        let last = self.norm.forward(t, &hidden);
        drop((hidden, embedded));
        last
    }

    /// The local variables that remain after computing the position of each patch `[N, P]` among the tower's own
    /// positions; the positions are at index [`PLACES`].
    fn places(&self, t: &Tape, n: u64) -> Vec<Tensor> {
        let side = self.side;
        let numbers = |op, shape: &[u64]| t.empty(op, Shape::new(shape), DType::Int64);
        let floats = |op, shape: &[u64]| t.empty(op, Shape::new(shape), DType::Float32);
        let bounds = floats("arange", &[side - 1]);
        let zeros = numbers("full", &[n, side * side]);
        let mut kept = vec![bounds];
        kept.extend([0, 1].map(|_| {
            let sums = numbers("sum", &[n]);
            drop(numbers("sum", &[n, side]));
            sums
        }));
        kept.extend([0, 1].map(|_| {
            let _inverse = floats("reciprocal", &[n]);
            floats("mul", &[n])
        }));
        kept.extend([0, 1].map(|_| floats("arange", &[side])));
        let parts = [0, 1].map(|_| floats("mul", &[n, side]));
        kept.extend(parts.map(|part| {
            let below = floats("clamp", &[n, side]);
            drop(part);
            below
        }));
        kept.extend([0, 1].map(|_| numbers("bucketize", &[n, side])));
        let found = {
            let _rows = numbers("mul", &[n, side]);
            numbers("add", &[n, side * side])
        };
        kept.insert(PLACES, numbers("where", &[n, side * side]));
        drop(zeros);
        kept.push(found);
        kept
    }
}

/// `x[real]`, where all are, of a tensor `[N, ..]`.
fn found(t: &Tape, shape: Shape, dtype: DType) -> Tensor {
    let n = shape.dims()[0];
    let _indices = t.nonzero(n, Shape::from([n]));
    t.empty("index", shape, dtype)
}

/// `pixel_shuffle`: of `side` by `side` patches, neighbors (`merge` along each side) become one row, `[N, P, H']` to
/// `[N, tokens, ..]`.
pub(crate) fn shuffled(t: &Tape, x: &Tensor, [side, merge]: [u64; 2]) -> Tensor {
    let (n, columns) = (x.dim(0), x.dim(2));
    let short = side / merge;
    let wide = t.view(x, [n, side, short, columns * merge]);
    let rotated = {
        let rotated = t.contiguous(&t.permute(&wide, &[0, 2, 1, 3]));
        t.view(&rotated, [n, short, short, columns * merge * merge])
    };
    let back = t.contiguous(&t.permute(&rotated, &[0, 2, 1, 3]));
    drop(rotated);
    t.view(&back, [n, short * short, columns * merge * merge])
}
