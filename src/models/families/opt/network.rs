//! OPT and `BioGPT` (`models/{opt,biogpt}/modeling_*.py`).

use crate::ask::Attention;
use crate::families::network::{CausalLm, Net};
use crate::model::{Activation, DecoderConfig, ResolvedSpec, Transformers};
use crate::nn::attention::{
    AttentionOptions, attend_as_bert, attend_with_weights, dropped, in_heads,
};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::classifier;
use crate::nn::masks::BatchShape;
use crate::nn::masks::{mask, triangle as mask_triangle};
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `OPTForCausalLM`.
pub(crate) struct Opt {
    embed_tokens: Embedding,
    embed_positions: Embedding,
    project_out: Option<Linear>,
    project_in: Option<Linear>,
    final_layer_norm: Option<LayerNorm>,
    layers: Vec<Rc<OptLayer>>,
    lm_head: Linear,
    shell: Shell,
    /// Whether transformers 4 looks for padding in the mask that it makes.
    looks_for_padding: bool,
    /// The module with the layers.
    path: &'static str,
    /// The difference of `BioGPT`: whether that is it, and whether its embeddings are dropped out.
    bio: Option<bool>,
}

/// `OPTDecoderLayer`.
struct OptLayer {
    attention: SelfAttention,
    self_attn_layer_norm: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    activation: Activation,
    norm_after: bool,
    dropout: bool,
}

struct SelfAttention {
    k_proj: Linear,
    v_proj: Linear,
    q_proj: Linear,
    out_proj: Linear,
    head_dim: u64,
    /// Whether scores are scaled, not queries.
    scales_scores: bool,
    options: AttentionOptions,
}

/// Inputs of every layer of one forward pass besides the hidden states.
#[derive(Clone)]
pub(crate) struct Shared {
    mask: Option<Tensor>,
    /// Token positions `[B, S]`, and in transformers 4.51 those in the cache, which the layers only hold.
    _positions: [Option<Tensor>; 2],
}

impl Opt {
    fn new(b: &Builder, bio: bool, spec: &ResolvedSpec, facts: Facts) -> Self {
        let c: &DecoderConfig = spec.config();
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let (hidden, width) = (c.hidden_size, c.embedding_size);
        // The name of the last norm, and whether it is built before the layers.
        let (last_norm, norm_first) = if bio {
            ("layer_norm", false)
        } else {
            ("final_layer_norm", true)
        };
        let model = b.at(c.family.base_model);
        let embed_tokens = Embedding::of_input(&model.at("embed_tokens"), c.vocab_size, width);
        let embed_positions = Embedding::new(&model.at("embed_positions"), c.position_rows, hidden);
        let project = |name, inputs, outputs| {
            (width != hidden).then(|| Linear::new(&model.at(name), inputs, outputs, false))
        };
        let project_out = project("project_out", hidden, width);
        let project_in = project("project_in", width, hidden);
        let norm = || (!c.norm_after).then(|| LayerNorm::new(&model.at(last_norm), hidden));
        let early = norm_first.then(norm);
        let layers = model.layers("layers", c.num_hidden_layers, |b| {
            Rc::new(OptLayer::new(b, bio, c, options))
        });
        let final_layer_norm = early.unwrap_or_else(norm);
        let lm_head = classifier::head(b, c, spec, &embed_tokens.weight);
        Self {
            embed_tokens,
            embed_positions,
            project_out,
            project_in,
            final_layer_norm,
            layers,
            lm_head,
            shell: Shell::new(b, spec, facts),
            looks_for_padding: options.implementation == Attention::Sdpa,
            path: c.family.base_model,
            bio: bio.then_some(c.dropout.embedding),
        }
    }

    /// The mask of tokens that are no padding `[B, S]` that is made when none came with the batch.
    fn ones(&self, t: &Tape, shape: Shape) -> Option<Tensor> {
        let made = !self.shell.padding_mask && self.shell.given_positions().is_none();
        made.then(|| t.empty("ones", shape, DType::Float32))
    }

    /// The positions that follow from it.
    fn positions(&self, t: &Tape, shape: Shape, ones: Option<&Tensor>) -> Tensor {
        if let Some(given) = self.shell.given_positions() {
            return given;
        }
        let dtype = ones.map_or(DType::Int64, Tensor::dtype);
        let sum = t.cumsum(shape, dtype);
        let shifted = {
            let product = t.mul_scalar(&sum);
            t.add_scalar(&product)
        };
        let positions = t.to(&shifted, DType::Int64);
        drop((shifted, sum));
        positions
    }

    fn decode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let mut embedded = t.scoped("embed_tokens", None, || {
            let embedded = self.embed_tokens.forward(t, input_ids);
            if self.bio.is_some() {
                t.mul_scalar(&embedded)
            } else {
                embedded
            }
        });
        let (shell, shape) = (&self.shell, *input_ids.shape());
        let version = shell.facts.transformers;
        // `cache_position`.
        let range = (version == Transformers::V451 && shell.given_positions().is_none())
            .then(|| t.empty("arange", Shape::from([shape.dim(1)]), DType::Int64));
        let ones = self.ones(t, shape);
        let positions = || match self.bio {
            Some(_) => shell.positions(t, shape.dim(1)),
            None => self.positions(t, shape, ones.as_ref()),
        };
        let early = (version == Transformers::V5 && self.bio.is_none()).then(positions);
        let size = BatchShape::of(input_ids);
        let mask = if version == Transformers::V448 && shell.eager {
            let given = if shell.has_mask() {
                DType::Int64
            } else {
                DType::Float32
            };
            Some(mask_triangle::padded_triangle(
                t,
                size,
                given,
                shell.dtype(),
            ))
        } else if self.bio.is_some() && ones.is_some() && !shell.flash {
            // The mask of ones is what the mask is made from, here and next.
            mask::causal_of_all(t, size, t.cached_tokens(), shell.eager, shell.dtype())
        } else if version == Transformers::V451 && ones.is_some() && shell.eager {
            Some(mask::causal_of_ones(t, size, shell.dtype()))
        } else {
            shell.causal_mask(t, input_ids, None, shell.facts.mask_style())
        };
        if version != Transformers::V5 && ones.is_some() && self.looks_for_padding {
            mask::looks_for_padding(t, size);
        }
        let positions = early.unwrap_or_else(positions);
        let position_embedded = t.scoped("embed_positions", None, || {
            let rows = t.add_scalar(&positions);
            let rows = if self.bio.is_some() && rows.numel() == shape.dim(1) {
                t.reshape(&rows, [1, shape.dim(1)])
            } else {
                rows
            };
            self.embed_positions.forward(t, &rows)
        });
        if let Some(project) = &self.project_in {
            embedded = t.scoped("project_in", None, || project.forward(t, &embedded));
        }
        let mut hidden = t.add(&embedded, &position_embedded);
        hidden = dropped(t, hidden, self.bio.unwrap_or(false));
        let shared = Shared {
            mask,
            _positions: [Some(positions), range],
        };
        hidden = t.through_layers("layers", &self.layers, hidden, |_, layer, hidden| {
            self.shell.run(t, layer, hidden, &shared)
        });
        if let Some(norm) = &self.final_layer_norm {
            hidden = t.scoped("final_layer_norm", None, || norm.forward(t, &hidden));
        }
        if let Some(project) = &self.project_out {
            hidden = t.scoped("project_out", None, || project.forward(t, &hidden));
        }
        drop((ones, embedded, position_embedded));
        hidden
    }
}

impl CausalLm for Opt {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = t.scoped(self.path, None, || self.decode(t, input_ids));
        let given = (input_ids, labels);
        self.shell.language_model(t, hidden, &self.lm_head, given)
    }
}

impl OptLayer {
    fn new(b: &Builder, bio: bool, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let (hidden, inner, bias) = (c.hidden_size, c.intermediate_size, c.attention_bias);
        Self {
            attention: SelfAttention::new(&b.at("self_attn"), bio, c, options),
            self_attn_layer_norm: LayerNorm::new(&b.at("self_attn_layer_norm"), hidden),
            fc1: Linear::new(&b.at("fc1"), hidden, inner, bias),
            fc2: Linear::new(&b.at("fc2"), inner, hidden, bias),
            final_layer_norm: LayerNorm::new(&b.at("final_layer_norm"), hidden),
            activation: if bio { c.activation } else { Activation::Relu },
            norm_after: c.norm_after,
            dropout: c.dropout.residual,
        }
    }
}

impl Block for OptLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        if facts.transformers == Transformers::V5 {
            return shared.clone();
        }
        Shared {
            mask: None,
            _positions: [None, None],
        }
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let normalize = |name, norm: &LayerNorm, x: Tensor, here: bool| {
            if here {
                t.scoped(name, None, || norm.forward(t, &x))
            } else {
                x
            }
        };
        let (first, last) = (&self.self_attn_layer_norm, &self.final_layer_norm);
        let x = normalize(
            "self_attn_layer_norm",
            first,
            hidden.clone(),
            !self.norm_after,
        );
        let (attended, weights) =
            t.scoped("self_attn", None, || self.attention.forward(t, &x, shared));
        drop(x);
        let attended = dropped(t, attended, self.dropout);
        let sum = t.add(hidden, &attended);
        drop(attended);
        let sum = normalize("self_attn_layer_norm", first, sum, self.norm_after);
        let shape = *sum.shape();
        let residual = if self.attention.scales_scores {
            sum
        } else {
            t.view(&sum, [sum.dim(0) * sum.dim(1), sum.dim(2)])
        };
        let x = normalize("final_layer_norm", last, residual.clone(), !self.norm_after);
        let inner = t.scoped("fc1", None, || self.fc1.forward(t, &x));
        drop(x);
        let active = activated(t, self.activation, inner);
        let out = t.scoped("fc2", None, || self.fc2.forward(t, &active));
        drop(active);
        let out = dropped(t, out, self.dropout);
        let sum = t.add(&residual, &out);
        drop(out);
        let sum = if self.attention.scales_scores {
            sum
        } else {
            t.view(&sum, shape)
        };
        let out = normalize("final_layer_norm", last, sum, self.norm_after);
        drop(weights);
        out
    }
}

impl SelfAttention {
    fn new(b: &Builder, bio: bool, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let hidden = c.hidden_size;
        let linear = |name| Linear::new(&b.at(name), hidden, hidden, c.attention_bias);
        Self {
            k_proj: linear("k_proj"),
            v_proj: linear("v_proj"),
            q_proj: linear("q_proj"),
            out_proj: linear("out_proj"),
            head_dim: c.head_dim,
            scales_scores: bio,
            options,
        }
    }

    /// Eager attention of transformers 4.48: heads and samples are one dimension, and scores with the
    /// mask go through `torch.max`. The layer holds keys and values.
    fn forward_flat(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        let (b, s, hidden) = (x.dim(0), x.dim(1), x.dim(2));
        let heads = hidden / self.head_dim;
        let shape = |y: &Tensor| t.contiguous(&in_heads(t, y, self.head_dim));
        let q = {
            let q = self.q_proj.forward(t, x);
            t.mul_scalar(&q)
        };
        let k = shape(&self.k_proj.forward(t, x));
        let v = shape(&self.v_proj.forward(t, x));
        let (k, v) = t.cached(k, v);
        let q = {
            let rows = q;
            shape(&rows)
        };
        let flat = |y: &Tensor| t.view(y, [b * heads, y.dim(2), self.head_dim]);
        let (flat_q, flat_k, flat_v) = (flat(&q), flat(&k), flat(&v));
        drop(q);
        let weights = weights_not_below(t, [&flat_q, &flat_k], heads, shared.mask.as_ref());
        let weights = dropped(t, weights, self.options.dropout);
        let out = {
            let parted = t.view(&t.batched(&weights, &flat_v), [b, heads, s, self.head_dim]);
            t.reshape(&t.transpose(&parted, 1, 2), [b, s, hidden])
        };
        let projected = self.out_proj.forward(t, &out);
        drop((flat_q, weights));
        (projected, vec![k, v])
    }

    /// `[B, S, H]` to the same, with what the layer holds besides: eager attention's weights.
    fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        let version = self.options.facts.transformers;
        let eager = self.options.implementation == Attention::Eager;
        if version == Transformers::V448 && eager {
            return self.forward_flat(t, x, shared);
        }
        let at_once =
            version == Transformers::V448 && self.options.implementation == Attention::Sdpa;
        let part = |y: Tensor| {
            let parted = in_heads(t, &y, self.head_dim);
            // transformers 4.48 copies each of them as soon as it is there.
            if at_once {
                t.contiguous(&parted)
            } else {
                parted
            }
        };
        // transformers 4.51 hands q, k and v to sdpa as they are.
        let plain = self.scales_scores
            || self.options.facts.transformers == Transformers::V451
                && self.options.implementation == Attention::Sdpa;
        let q = {
            let q = self.q_proj.forward(t, x);
            part(if plain { q } else { t.mul_scalar(&q) })
        };
        let k = part(self.k_proj.forward(t, x));
        let v = part(self.v_proj.forward(t, x));
        let (k, v) = t.cached(k, v);
        let mask = shared.mask.as_ref();
        let (out, weights) = if plain {
            attend_as_bert(t, self.options, [&q, &k, &v], mask, true)
        } else {
            attend_with_weights(t, self.options, &q, &k, &v, mask)
        };
        let out = t.reshape(&out, [x.dim(0), x.dim(1), out.dim(2) * out.dim(3)]);
        let out = t.contiguous(&out);
        let mut held: Vec<Tensor> = weights.into_iter().collect();
        if at_once {
            // The layer is given its keys and values back.
            held.extend([k, v]);
        }
        (self.out_proj.forward(t, &out), held)
    }
}

/// The weights `[B A, S, K]` of queries and keys `[B A, S, D]`, whose scores with the mask are never below the
/// least number, softmax in float32 where they are in float16.
pub(crate) fn weights_not_below(
    t: &Tape,
    [q, k]: [&Tensor; 2],
    heads: u64,
    mask: Option<&Tensor>,
) -> Tensor {
    let (rows, s, keys) = (q.dim(0), q.dim(1), k.dim(1));
    let mut scores = t.batched(q, &t.transpose(k, 1, 2));
    if let Some(mask) = mask {
        scores = t.add(&t.view(&scores, [rows / heads, heads, s, keys]), mask);
        scores = t.at_least(&scores);
        scores = t.view(&scores, [rows, s, keys]);
    }
    if scores.dtype() == DType::Float16 {
        let wide = t.softmax(&scores, Some(DType::Float32));
        t.to(&wide, DType::Float16)
    } else {
        t.softmax(&scores, None)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Opt::new(b, false, spec, facts))
}

/// Builds `BioGPT`.
pub(crate) fn build_bio(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Opt::new(b, true, spec, facts))
}
