//! Llama 3.2 Vision's images, which layers of their own attend to (`MllamaVisionModel` in
//! `models/mllama/modeling_mllama.py` of transformers 5.23).

use super::patches::Patches;
use super::tower::TowerMlp;
use crate::ask::Attention;
use crate::model::CrossedConfig;
use crate::nn::attention::{
    AttentionOptions, attend_as_bert, attend_with_weights, in_heads, joined,
};
use crate::nn::build::{Builder, Embedding, LayerNorm, Linear};
use crate::nn::decoder::{Crossing, Shell};
use crate::nn::masks::BatchShape;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `MllamaVisionModel` and `multi_modal_projector`.
pub(crate) struct CrossedTower {
    scope: u32,
    class: Tensor,
    patches: Patches,
    positions: Positions,
    /// Before the first layers and before the gated ones.
    tiles: [TileEmbedding; 2],
    norms: [LayerNorm; 2],
    layers: [Vec<VisionLayer>; 2],
    projector: Option<Linear>,
    /// Images of a sample.
    images: u64,
    config: CrossedConfig,
}

/// `MllamaPrecomputedPositionEmbedding`.
struct Positions {
    gate: Tensor,
    embedding: Tensor,
    of_tiles: Embedding,
}

/// `MllamaPrecomputedAspectRatioEmbedding`.
struct TileEmbedding {
    gate: Tensor,
    embedding: Embedding,
}

/// `MllamaVisionEncoderLayer`.
struct VisionLayer {
    /// Queries, keys, values and the result.
    attention: [Linear; 4],
    mlp: TowerMlp,
    norms: [LayerNorm; 2],
    gates: Option<[Tensor; 2]>,
    head_dim: u64,
    options: AttentionOptions,
}

impl VisionLayer {
    fn new(b: &Builder, c: &CrossedConfig, gated: bool, options: AttentionOptions) -> Self {
        let hidden = c.tower.hidden_size;
        let parts = || {
            let at = b.at("self_attn");
            let attention = ["q_proj", "k_proj", "v_proj", "o_proj"]
                .map(|name| Linear::new(&at.at(name), hidden, hidden, false));
            let mlp = TowerMlp::new(&b.at("mlp"), &c.tower);
            let norms = ["input_layernorm", "post_attention_layernorm"]
                .map(|name| LayerNorm::new(&b.at(name), hidden));
            (attention, mlp, norms)
        };
        let (gates, (attention, mlp, norms)) = if gated {
            let (first, (second, parts)) = b.parameter_after("gate_attn", [1], || {
                b.parameter_after("gate_ffn", [1], parts)
            });
            (Some([first, second]), parts)
        } else {
            (None, parts())
        };
        Self {
            attention,
            mlp,
            norms,
            gates,
            head_dim: c.tower.head_dim,
            options,
        }
    }

    /// `[N, P, H]` to the same.
    fn forward(&self, t: &Tape, hidden: &Tensor, mask: &Tensor) -> Tensor {
        let [before, after] = &self.norms;
        let gated = |x: Tensor, part: usize| match &self.gates {
            Some(gates) => t.mul(&t.tanh(&gates[part]), &x),
            None => x,
        };
        let normed = before.forward(t, hidden);
        let (attended, weights) = self.attend(t, &normed, mask);
        drop(normed);
        let attended = gated(attended, 0);
        let sum = t.add(hidden, &attended);
        drop(attended);
        let normed = after.forward(t, &sum);
        let out = self.mlp.forward(t, &normed);
        drop(normed);
        let out = gated(out, 1);
        let result = t.add(&sum, &out);
        drop((out, sum, weights));
        result
    }

    fn attend(&self, t: &Tape, x: &Tensor, mask: &Tensor) -> (Tensor, Option<Tensor>) {
        let [query, key, value, output] = &self.attention;
        let projected = [query, key, value].map(|layer| layer.forward(t, x));
        let [q, k, v] = projected.map(|y| in_heads(t, &y, self.head_dim));
        let (out, weights) = if self.options.implementation == Attention::Eager {
            attend_with_weights(t, self.options, &q, &k, &v, Some(mask))
        } else {
            attend_as_bert(t, self.options, [&q, &k, &v], Some(mask), false)
        };
        let merged = joined(t, out);
        (output.forward(t, &merged), weights)
    }
}

impl TileEmbedding {
    fn new(b: &Builder, c: &CrossedConfig) -> Self {
        let columns = c.tiles * c.tower.hidden_size;
        let (gate, embedding) = b.parameter_after("gate", [1], || {
            Embedding::new(&b.at("embedding"), c.ratios + 1, columns)
        });
        Self { gate, embedding }
    }

    /// Hidden states `[N, T, P, H]` of images with arrangements `[N, 1]`.
    fn forward(&self, t: &Tape, hidden: &Tensor, ids: &Tensor) -> Tensor {
        let shape = [hidden.dim(0), hidden.dim(1), 1, hidden.dim(3)];
        let scaled = {
            let embedded = t.reshape(&self.embedding.forward(t, ids), shape);
            t.mul(&embedded, &t.tanh(&self.gate))
        };
        t.add(hidden, &scaled)
    }
}

impl Positions {
    fn new(b: &Builder, c: &CrossedConfig) -> Self {
        let (hidden, patches) = (c.tower.hidden_size, c.patches());
        Self {
            gate: b.parameter("gate", [1]),
            embedding: b.parameter("embedding", [patches, hidden]),
            of_tiles: Embedding::new(
                &b.at("tile_embedding"),
                c.ratios + 1,
                c.tiles * patches * hidden,
            ),
        }
    }

    /// As [`TileEmbedding::forward`].
    fn forward(&self, t: &Tape, hidden: &Tensor, ids: &Tensor) -> Tensor {
        let (patches, columns) = (hidden.dim(2), hidden.dim(3));
        let gated = {
            let rest = t.rsub_scalar(&t.tanh(&self.gate));
            t.mul(&rest, &self.embedding)
        };
        let sum = t.add(hidden, &t.view(&gated, [1, 1, patches, columns]));
        let of_tiles = {
            let embedded = self.of_tiles.forward(t, ids);
            let embedded = t.reshape(&embedded, *hidden.shape());
            t.mul(&t.tanh(&self.gate), &embedded)
        };
        let all = t.add(&sum, &of_tiles);
        drop(sum);
        drop(gated);
        all
    }
}

impl CrossedTower {
    /// All modules but the ones that are made after the decoder's layers.
    pub(crate) fn new(
        b: &Builder,
        c: &CrossedConfig,
        (options, images): (AttentionOptions, u64),
    ) -> Self {
        let options = AttentionOptions {
            dropout: false,
            positions_given: false,
            ..options
        };
        let at = b.at("vision_model");
        let hidden = c.tower.hidden_size;
        let (class, patches) = at.parameter_after("class_embedding", [hidden], || {
            let at = at.at("patch_embedding");
            let required = at.input_requires_gradient(true);
            Patches::new(&at, [hidden, c.channels, c.patch_size], false).with_gradient(required)
        });
        let positions = Positions::new(&at.at("gated_positional_embedding"), c);
        let tiles = [
            "pre_tile_positional_embedding",
            "post_tile_positional_embedding",
        ]
        .map(|name| TileEmbedding::new(&at.at(name), c));
        let norms =
            ["layernorm_pre", "layernorm_post"].map(|name| LayerNorm::new(&at.at(name), hidden));
        let stacks = [
            ("transformer", c.tower.num_hidden_layers, false),
            ("global_transformer", c.global_layers, true),
        ];
        let layers = stacks.map(|(stack, count, gated)| {
            at.at(stack).items("layers", count, |b| {
                b.differs();
                VisionLayer::new(b, c, gated, options)
            })
        });
        Self {
            scope: at.scope,
            class,
            patches,
            positions,
            tiles,
            norms,
            layers,
            projector: None,
            images,
            config: c.clone(),
        }
    }

    /// Builds the layer between the tower and a decoder of `hidden` columns.
    pub(crate) fn complete(&mut self, b: &Builder, hidden: u64) {
        let at = b.at("multi_modal_projector");
        self.projector = Some(Linear::new(&at, self.config.columns(), hidden, true));
    }

    /// Squares of images `[N x T, C, I, I]` for texts `[B, S]`, and what the tower gave, which stays in a
    /// local variable. After a prompt there are the masks alone.
    pub(crate) fn see(
        &self,
        t: &Tape,
        shell: &Shell,
        images: Option<&Tensor>,
        ids: &Tensor,
    ) -> Option<(Crossing, Option<Tensor>)> {
        if images.is_none() && (self.images == 0 || t.cached_tokens() == 0) {
            return None;
        }
        let b = ids.dim(0);
        let seen = images.map(|images| {
            let seen = t.in_scope(self.scope, || self.see_patches(t, shell, images));
            let states = match &self.projector {
                Some(projector) => t.scoped("model.multi_modal_projector", None, || {
                    projector.forward(t, &seen)
                }),
                None => seen.clone(),
            };
            let states = t.view(&states, [images.dim(0), seen.dim(2), states.dim(-1)]);
            (states, seen)
        });
        let squares = b * self.images * self.config.tiles;
        let (mask, rows) = self.masks(t, shell, BatchShape::of(ids), squares);
        let (states, seen) = seen.unzip();
        Some((Crossing { states, mask, rows }, seen))
    }

    /// `_prepare_cross_attention_mask` for a batch with `squares` squares.
    fn masks(
        &self,
        t: &Tape,
        shell: &Shell,
        BatchShape { b, s }: BatchShape,
        squares: u64,
    ) -> (Tensor, Tensor) {
        let keys = squares / b * self.config.patches();
        let all = |op, dtype| t.empty(op, Shape::from([b, 1, s, keys]), dtype);
        let dtype = shell.dtype();
        let repeated = all("clone", DType::Int64);
        let inverted = {
            let wide = all("rsub", DType::Float32);
            t.to(&wide, dtype)
        };
        let mask = {
            let _hidden = all("_to_copy", DType::Bool);
            all("masked_fill", dtype)
        };
        drop(repeated);
        let of_rows = |op, dtype| t.empty(op, Shape::from([b, 1, s, 1]), dtype);
        let any = {
            let _seen = all("ne", DType::Bool);
            of_rows("any", DType::Bool)
        };
        let rows = of_rows("_to_copy", dtype);
        drop((any, inverted));
        (mask, rows)
    }

    /// To `[N, T, P, columns]`.
    fn see_patches(&self, t: &Tape, shell: &Shell, images: &Tensor) -> Tensor {
        let (c, hidden) = (&self.config, self.config.tower.hidden_size);
        let (squares, tiles) = (images.dim(0), c.tiles);
        let n = squares / tiles;
        let (patches, padded) = (c.patches(), c.padded());
        // The batch holds them.
        let ids = t.without_storage(Shape::from([n, 1]), DType::Int64);
        let pixels = t.to(images, shell.dtype());
        let seen = self.patches.forward(t, &pixels);
        drop(pixels);
        let [first, second] = &self.tiles;
        let [pre, post] = &self.norms;
        let embedded = {
            let tokens = {
                let placed = {
                    let apart = t.reshape(&seen, [n, tiles, patches - 1, hidden]);
                    let placed = first.forward(t, &apart, &ids);
                    t.reshape(&placed, [squares, patches - 1, hidden])
                };
                let class = t.expand(&self.class, [squares, 1, hidden]);
                let tokens = t.cat(&[&class, &placed], 1);
                t.view(&tokens, [n, tiles, patches, hidden])
            };
            let placed = self.positions.forward(t, &tokens, &ids);
            drop(tokens);
            let normed = pre.forward(t, &placed);
            drop(placed);
            t.pad(&normed, Shape::from([n, tiles, padded, hidden]))
        };
        let mask = padding(t, [n, tiles, padded], shell.dtype());
        let flat = [n, tiles * padded, hidden];
        let mut hidden_states = t.view(&embedded, flat);
        drop(embedded);
        let [local, global] = &self.layers;
        let mut states = Vec::new();
        for (i, layer) in (0..).zip(local) {
            hidden_states = t.scoped("transformer.layers", Some(i), || {
                layer.forward(t, &hidden_states, &mask)
            });
            states.push(hidden_states.clone());
        }
        let mut hidden_states = {
            let normed = post.forward(t, &hidden_states);
            drop(hidden_states);
            let apart = t.view(&normed, [n, tiles, padded, hidden]);
            drop(normed);
            let placed = second.forward(t, &apart, &ids);
            drop(apart);
            t.view(&placed, flat)
        };
        let mut global_states = Vec::new();
        for (i, layer) in (0..).zip(global) {
            hidden_states = t.scoped("global_transformer.layers", Some(i), || {
                layer.forward(t, &hidden_states, &mask)
            });
            global_states.push(hidden_states.clone());
        }
        let without_padding = |x: &Tensor| {
            let columns = x.numel() / (n * tiles * padded);
            let apart = t.view(x, [n, tiles, padded, columns]);
            if padded > patches {
                t.slice(&apart, 2, 0, patches)
            } else {
                apart
            }
        };
        let last = without_padding(&hidden_states);
        drop(hidden_states);
        let read: Vec<&Tensor> = c
            .read
            .iter()
            .filter_map(|&layer| states.get(usize::try_from(layer).ok()?))
            .collect();
        let stacked = t.stack_last(&read, read.len() as u64);
        let between = without_padding(&stacked);
        drop(stacked);
        let all = t.cat(&[&last, &between], -1);
        drop((mask, seen, last, states, global_states, between));
        all
    }
}

/// `_prepare_aspect_ratio_attention_mask`: which patches are none of padding, added to scores.
fn padding(t: &Tape, [n, tiles, padded]: [u64; 3], dtype: DType) -> Tensor {
    let rows = tiles * padded;
    let outside = {
        let repeated = {
            let _given = t.empty("_to_copy", Shape::from([n, tiles, 1, 1]), dtype);
            t.empty("repeat", Shape::from([n, tiles, padded, 1]), dtype)
        };
        t.rsub_scalar(&repeated)
    };
    let outside = t.view(&outside, [n, rows, 1]);
    let mask = {
        let product = t.matmul(&outside, &t.transpose(&outside, -1, -2));
        t.mul_scalar(&product)
    };
    t.unsqueeze(&mask, 1)
}
