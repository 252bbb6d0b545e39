//! `BEiT` with a classifier (`models/beit/modeling_beit.py` of transformers 5.23): a vision transformer
//! with biases for the distances of patches. data2vec's (`models/data2vec/modeling_data2vec_vision.py`)
//! is `BEiT` as transformers 4 wrote it.

use crate::ask::Attention;
use crate::families::network::{Encoder, Net};
use crate::families::vit::kept_samples;
use crate::model::{Activation, BeitConfig, ResolvedSpec};
use crate::nn::attention::{
    AttentionOptions, attend_as_bert, attend_with_scores, attend_with_weights, dropped, in_heads,
    joined,
};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::loss;
use crate::nn::mlp::activated;
use crate::nn::vision::Patches;
use crate::tape::{Tape, Tensor};
use crate::units::Repetition;
use std::rc::Rc;

/// `BeitForImageClassification`.
pub(crate) struct Beit {
    cls_token: Tensor,
    _mask_token: Option<Tensor>,
    positions: Option<Tensor>,
    projection: Patches,
    shared: Option<Biases>,
    layers: Vec<Rc<BeitLayer>>,
    norm: LayerNorm,
    mean_pooling: bool,
    classifier: Linear,
    dropout: bool,
    name: &'static str,
    data2vec: bool,
    shell: Shell,
}

/// `BeitRelativePositionBias`.
struct Biases {
    /// A bias of each head for each distance down and across, and three for the class.
    table: Tensor,
    distances: u64,
    tokens: u64,
}

/// `BeitLayer`.
struct BeitLayer {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    o_proj: Linear,
    norms: [LayerNorm; 2],
    fc1: Linear,
    fc2: Linear,
    scales: Option<[Tensor; 2]>,
    biases: Option<Biases>,
    head_dim: u64,
    activation: Activation,
    dropout: bool,
    drops_path: bool,
    data2vec: bool,
    options: AttentionOptions,
}

/// Biases `[1, A, S, S]` that all layers share.
type Shared = Option<Tensor>;

impl Biases {
    fn new(b: &Builder, c: &BeitConfig) -> Self {
        let distances = c.distances();
        let rows = distances * distances + 3;
        let heads = c.num_attention_heads;
        Self {
            table: b.parameter("relative_position_bias_table", [rows, heads]),
            distances,
            tokens: c.tokens(),
        }
    }

    /// `[1, A, S, S]`. Those of distances go through an interpolation, even if nothing changes.
    fn forward(&self, t: &Tape) -> Tensor {
        let (rows, heads) = (self.table.dim(0), self.table.dim(1));
        let old = t.slice(&self.table, 0, 0, rows - 3);
        let old = t.view(&old, [1, self.distances, self.distances, heads]);
        let new = t.upsample_bilinear(&t.permute(&old, &[0, 3, 1, 2]));
        let new = t.view(&t.permute(&new, &[0, 2, 3, 1]), [rows - 3, heads]);
        let all = t.cat(&[&new, &t.slice(&self.table, 0, rows - 3, rows)], 0);
        let chosen = t.index_by_host(&all, self.tokens * self.tokens);
        let square = t.view(&chosen, [self.tokens, self.tokens, heads]);
        drop(chosen);
        let first = t.contiguous(&t.permute(&square, &[2, 0, 1]));
        drop(square);
        drop((new, all));
        t.unsqueeze(&first, 0)
    }
}

impl BeitLayer {
    fn new(b: &Builder, c: &BeitConfig, options: AttentionOptions) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let biases =
            |at: &Builder| (c.relative).then(|| Biases::new(&at.at("relative_position_bias"), c));
        let norms = || {
            let norm = |name| LayerNorm::new(&b.at(name), hidden);
            [norm("layernorm_before"), norm("layernorm_after")]
        };
        let parts = || {
            let at = b.at("attention");
            if c.data2vec {
                let own = at.at("attention");
                let [q, k, v] = ["query", "key", "value"]
                    .map(|name| Linear::new(&own.at(name), hidden, hidden, name != "key"));
                let biases = biases(&own);
                let dense = |at: &Builder, inputs, outputs| {
                    Linear::new(&at.at("dense"), inputs, outputs, true)
                };
                let o = dense(&at.at("output"), hidden, hidden);
                let fc1 = dense(&b.at("intermediate"), hidden, inner);
                let fc2 = dense(&b.at("output"), inner, hidden);
                return ([q, k, v, o], norms(), [fc1, fc2], biases);
            }
            let linear = |name| Linear::new(&at.at(name), hidden, hidden, name != "k_proj");
            let projections = ["q_proj", "k_proj", "v_proj", "o_proj"].map(linear);
            let norms = norms();
            let mlp = b.at("mlp");
            let fc1 = Linear::new(&mlp.at("fc1"), hidden, inner, true);
            let fc2 = Linear::new(&mlp.at("fc2"), inner, hidden, true);
            (projections, norms, [fc1, fc2], None)
        };
        let (scales, parts) = if c.scales {
            let (first, (second, parts)) = b.parameter_after("lambda_1", [hidden], || {
                b.parameter_after("lambda_2", [hidden], parts)
            });
            (Some([first, second]), parts)
        } else {
            (None, parts())
        };
        let ([q_proj, k_proj, v_proj, o_proj], norms, [fc1, fc2], inner_biases) = parts;
        Self {
            q_proj,
            k_proj,
            v_proj,
            o_proj,
            norms,
            fc1,
            fc2,
            scales,
            biases: if c.data2vec { inner_biases } else { biases(b) },
            head_dim: c.head_dim,
            activation: c.activation,
            dropout: c.dropout.residual,
            drops_path: c.drops_paths && !b.is_first(),
            data2vec: c.data2vec,
            options,
        }
    }

    /// q, k and v `[B, A, S, D]`.
    fn projected(&self, t: &Tape, x: &Tensor) -> [Tensor; 3] {
        [&self.q_proj, &self.k_proj, &self.v_proj]
            .map(|projection| in_heads(t, &projection.forward(t, x), self.head_dim))
    }

    /// The layer's own biases.
    fn own_bias(&self, t: &Tape) -> Option<Tensor> {
        let biases = self.biases.as_ref()?;
        Some(t.scoped("relative_position_bias", None, || biases.forward(t)))
    }

    /// `BeitAttention`: `[B, S, H]` to the same, with the weights of eager attention.
    fn attend(&self, t: &Tape, x: &Tensor, bias: Option<&Tensor>) -> (Tensor, Option<Tensor>) {
        let [q, k, v] = self.projected(t, x);
        let (out, weights) = if self.options.implementation == Attention::Eager {
            attend_with_weights(t, self.options, &q, &k, &v, bias)
        } else {
            attend_as_bert(t, self.options, [&q, &k, &v], bias, false)
        };
        let out = self.o_proj.forward(t, &joined(t, out));
        drop((q, k, v));
        (out, weights)
    }

    /// `Data2VecVisionAttention`: `[B, S, H]` to the same.
    fn attend_in_data2vec(&self, t: &Tape, x: &Tensor, shared: &Shared) -> Tensor {
        let out = t.scoped("attention", None, || {
            let [q, k, v] = self.projected(t, x);
            if self.options.implementation == Attention::Eager {
                let own = self.biases.iter().filter_map(|_| self.own_bias(t));
                let biases = own.chain(shared.clone());
                return attend_with_scores(t, self.options, [&q, &k, &v], biases).0;
            }
            let bias = match (self.own_bias(t), shared) {
                (Some(own), Some(shared)) => Some(t.add_in_place(own, shared)),
                (own, shared) => own.or(shared.clone()),
            };
            attend_as_bert(t, self.options, [&q, &k, &v], bias.as_ref(), false).0
        });
        let merged = t.view(&out, *x.shape());
        t.scoped("output", None, || {
            dropped(t, self.o_proj.forward(t, &merged), self.dropout)
        })
    }

    /// `Data2VecVisionLayer`.
    fn forward_in_data2vec(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let attended = {
            let normed = t.scoped("layernorm_before", None, || {
                self.norms[0].forward(t, hidden)
            });
            t.scoped("attention", None, || {
                self.attend_in_data2vec(t, &normed, shared)
            })
        };
        let scaled = self.scaled(t, attended.clone(), 0);
        let sum = self.residual(t, &scaled, hidden);
        let active = {
            let normed = t.scoped("layernorm_after", None, || self.norms[1].forward(t, &sum));
            t.scoped("intermediate", None, || {
                activated(t, self.activation, self.fc1.forward(t, &normed))
            })
        };
        let fed = t.scoped("output", None, || {
            dropped(t, self.fc2.forward(t, &active), self.dropout)
        });
        drop(active);
        let out = {
            let fed = self.scaled(t, fed, 1);
            self.residual(t, &fed, &sum)
        };
        drop((sum, scaled, attended));
        out
    }

    /// The result of attention or of the feed-forward part, times what the layer has learned.
    fn scaled(&self, t: &Tape, x: Tensor, part: usize) -> Tensor {
        match &self.scales {
            Some(scales) => t.mul(&scales[part], &x),
            None => x,
        }
    }

    /// The scaled result, added to the residual stream.
    fn residual(&self, t: &Tape, x: &Tensor, residual: &Tensor) -> Tensor {
        let kept = kept_samples(t, x, self.drops_path);
        t.add(&kept, residual)
    }

    /// Both, after dropout.
    fn added(&self, t: &Tape, x: Tensor, part: usize, residual: &Tensor) -> Tensor {
        let x = self.scaled(t, dropped(t, x, self.dropout), part);
        self.residual(t, &x, residual)
    }
}

impl Block for BeitLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, _facts: Facts) -> Shared {
        shared.clone()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        if self.data2vec {
            return self.forward_in_data2vec(t, hidden, shared);
        }
        let own = self.own_bias(t);
        // The layer holds its own beside their sum.
        let bias = match (&own, shared) {
            (Some(own), Some(shared)) => Some(t.add(own, shared)),
            (own, shared) => own.as_ref().or(shared.as_ref()).cloned(),
        };
        let (attended, weights) = {
            let normed = t.scoped("layernorm_before", None, || {
                self.norms[0].forward(t, hidden)
            });
            t.scoped("attention", None, || self.attend(t, &normed, bias.as_ref()))
        };
        let sum = self.added(t, attended, 0, hidden);
        let fed = {
            let normed = t.scoped("layernorm_after", None, || self.norms[1].forward(t, &sum));
            t.scoped("mlp", None, || {
                let active = activated(t, self.activation, self.fc1.forward(t, &normed));
                self.fc2.forward(t, &active)
            })
        };
        let out = self.added(t, fed, 1, &sum);
        drop((sum, own, bias, weights));
        out
    }
}

impl Beit {
    pub(crate) fn new(b: &Builder, c: &BeitConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions {
            bidirectional: true,
            ..AttentionOptions::of_encoder(c.dropout.attention, spec, facts)
        };
        let hidden = c.hidden_size;
        let beit = b.at(c.family.base_model);
        let embeddings = beit.at("embeddings");
        let token = |name| embeddings.parameter(name, [1, 1, hidden]);
        let cls_token = token("cls_token");
        let mask_token = (c.mask_token).then(|| token("mask_token"));
        let patches = || {
            let at = embeddings.at("patch_embeddings").at("projection");
            let required = at.input_requires_gradient(false);
            Patches::new(&at, [hidden, c.num_channels, c.patch_size], true).with_gradient(required)
        };
        let (positions, projection) = if c.absolute {
            let shape = [1, c.tokens(), hidden];
            let (table, made) = embeddings.parameter_after("position_embeddings", shape, patches);
            (Some(table), made)
        } else {
            (None, patches())
        };
        let (encoder, list, name) = if c.data2vec {
            (beit.at("encoder"), "layer", "relative_position_bias")
        } else {
            (beit.same(), "layers", "shared_position_bias")
        };
        let shared = (c.shared).then(|| Biases::new(&encoder.at(name), c));
        let layers = encoder.items_repeating(
            Some(Repetition::ALIKE.after(1)),
            list,
            c.num_hidden_layers,
            |b| Rc::new(BeitLayer::new(b, c, options)),
        );
        let at = if c.mean_pooling {
            beit.at("pooler")
        } else {
            beit.same()
        };
        Self {
            cls_token,
            _mask_token: mask_token,
            positions,
            projection,
            shared,
            layers,
            norm: LayerNorm::new(&at.at("layernorm"), hidden),
            mean_pooling: c.mean_pooling,
            classifier: Linear::new(&b.at("classifier"), hidden, c.num_labels, true),
            dropout: c.dropout.embedding,
            name: c.family.base_model,
            data2vec: c.data2vec,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `BeitModel`: hidden states `[B, S, H]` and what the classifier reads `[B, H]`.
    fn encode(&self, t: &Tape, images: &Tensor) -> (Tensor, Tensor) {
        let embedded = t.scoped("embeddings", None, || {
            let patches = self.projection.forward_in_its_dtype(t, images);
            let class = t.expand(&self.cls_token, [patches.dim(0), 1, patches.dim(2)]);
            let mut tokens = t.cat(&[&class, &patches], 1);
            drop(patches);
            if let Some(positions) = &self.positions {
                tokens = t.add(&tokens, positions);
            }
            dropped(t, tokens, self.dropout)
        });
        let biases = |name| {
            let shared = self.shared.as_ref();
            shared.map(|biases| t.scoped(name, None, || biases.forward(t)))
        };
        let mut hidden = embedded.clone();
        let shared = if self.data2vec {
            t.scoped("encoder", None, || {
                let mut shared: Shared = None;
                for (i, layer) in (0..).zip(&self.layers) {
                    // The last ones are held until these are made.
                    let next = biases("relative_position_bias");
                    drop(shared);
                    shared = next;
                    hidden = t.scoped("layer", Some(i), || {
                        self.shell.run(t, layer, &hidden, &shared)
                    });
                }
            });
            None
        } else {
            let shared = biases("shared_position_bias");
            for (i, layer) in (0..).zip(&self.layers) {
                hidden = t.scoped("layers", Some(i), || {
                    self.shell.run(t, layer, &hidden, &shared)
                });
            }
            shared
        };
        let norm = |x: &Tensor| t.scoped("layernorm", None, || self.norm.forward(t, x));
        let (last, pooled) = if self.mean_pooling {
            let mean = t.mean_of_rows(&t.slice(&hidden, 1, 1, hidden.dim(1)));
            let pooled = norm(&mean);
            (hidden.clone(), pooled)
        } else {
            let last = norm(&hidden);
            let pooled = t.select(&last, 1);
            (last, pooled)
        };
        drop((hidden, shared, embedded));
        (last, pooled)
    }
}

impl Encoder for Beit {
    /// Images `[B, C, I, I]` to logits `[B, classes]` and, from labels `[B]`, the loss.
    fn forward(&self, t: &Tape, images: &Tensor, labels: Option<&Tensor>) -> Output {
        let (last, pooled) = t.scoped(self.name, None, || self.encode(t, images));
        let logits = t.scoped("classifier", None, || self.classifier.forward(t, &pooled));
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((last, pooled));
        Output::of(logits, loss)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(Beit::new(b, spec.config(), spec, facts))
}
