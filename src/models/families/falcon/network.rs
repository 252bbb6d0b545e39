//! Falcon (`models/falcon/modeling_falcon.py`).

use super::attention::{FalconLinear, SelfAttention};
use crate::ask::Attention;
use crate::families::network::{CausalLm, Net};
use crate::model::{DecoderConfig, MaskStyle, ResolvedSpec, Transformers};
use crate::nn::attention::{Alibi, Rotary, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Shell, WeighingBlock};
use crate::nn::heads::{classifier, loss};
use crate::nn::masks::BatchShape;
use crate::nn::masks::{MaskRequest, mask};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `FalconForCausalLM`.
pub(crate) struct Falcon {
    word_embeddings: Embedding,
    h: Vec<Rc<FalconLayer>>,
    ln_f: LayerNorm,
    rotary: Rotary,
    lm_head: Linear,
    heads: Option<u64>,
    eager: bool,
    dtype: DType,
    shell: Shell,
}

/// `FalconDecoderLayer`.
struct FalconLayer {
    attention: SelfAttention,
    dense_h_to_4h: FalconLinear,
    dense_4h_to_h: FalconLinear,
    /// Before attention and, where it has one of its own, before the MLP.
    norms: (LayerNorm, Option<LayerNorm>),
    parallel: bool,
    /// Whether the results of attention and of the MLP are dropped out.
    dropout: [bool; 2],
    holds_weights: bool,
}

/// Inputs of every layer of one forward pass besides the hidden states.
#[derive(Clone)]
pub(crate) struct Shared {
    /// Biases `[B x A, 1, S]`.
    pub(crate) alibi: Option<Tensor>,
    pub(crate) mask: Option<Tensor>,
    /// Token positions `[S]`, which the layers only hold.
    positions: Option<Tensor>,
    pub(crate) cos: Tensor,
    pub(crate) sin: Tensor,
}

impl Falcon {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let model = b.at("transformer");
        let hidden = c.hidden_size;
        let eager = spec.attention == Attention::Eager;
        let at = model.at("word_embeddings");
        let word_embeddings = Embedding::of_input(&at, c.vocab_size, hidden);
        let h = model.layers("h", c.num_hidden_layers, |b| {
            Rc::new(FalconLayer::new(b, c, spec, facts))
        });
        let ln_f = LayerNorm::new(&model.at("ln_f"), hidden);
        let rotary = Rotary::new(&model.at("rotary_emb"), c.rotary_dim, facts);
        let lm_head = classifier::head(b, c, spec, &word_embeddings.weight);
        Self {
            word_embeddings,
            h,
            ln_f,
            rotary,
            lm_head,
            heads: c.alibi.then_some(c.num_attention_heads),
            eager,
            dtype: b.embedding_dtype(),
            shell: Shell::new(b, spec, facts),
        }
    }

    fn decode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        let seen = size.with_len(t.cached_tokens() + size.s);
        let embedded = t.scoped("word_embeddings", None, || {
            self.word_embeddings.forward(t, input_ids)
        });
        let ones = (self.heads.is_some() && !self.shell.has_mask())
            .then(|| t.empty("ones", seen.into(), DType::Int64));
        let alibi = self.heads.map(|heads| {
            let request = Alibi {
                size: seen,
                heads,
                narrow_slopes: true,
                apart: false,
                dtype: embedded.dtype(),
            };
            request.of_mask(t, DType::Int64)
        });
        let positions = self.shell.positions(t, size.s);
        let mask = self.mask(t, size, alibi.as_ref());
        let (cos, sin) = t.scoped("rotary_emb", None, || {
            self.rotary.forward(t, &positions, self.dtype)
        });
        let shared = Shared {
            alibi,
            mask,
            positions: Some(positions),
            cos,
            sin,
        };
        let mut hidden = embedded.clone();
        // The last layer's result is held until the next one has run.
        let mut held = None;
        hidden = t.through_layers("h", &self.h, hidden, |_, layer, hidden| {
            let (out, weights) = self.shell.run_with_weights(t, layer, hidden, &shared);
            held = weights;
            out
        });
        let out = t.scoped("ln_f", None, || self.ln_f.forward(t, &hidden));
        drop((ones, embedded, held));
        out
    }

    /// The mask that is always made since transformers 5, and before with biases; the biases are
    /// added to it.
    fn mask(&self, t: &Tape, size: BatchShape, alibi: Option<&Tensor>) -> Option<Tensor> {
        let recent = self.shell.facts.transformers == Transformers::V5;
        let padding = self.shell.padding_mask;
        let cached = t.cached_tokens();
        let keys = cached + size.s;
        let request = MaskRequest {
            eager: self.eager || (!recent && alibi.is_some()),
            padding: self.shell.has_mask(),
            padded: padding,
            window: false,
            chunked: false,
            size,
            cached,
            keys,
            dtype: self.dtype,
            style: if recent {
                MaskStyle::Boolean
            } else {
                MaskStyle::Exact
            },
        };
        let mut mask = if recent {
            mask::always(t, request)
        } else {
            mask::causal(t, request)?
        };
        let Some(alibi) = alibi else {
            return Some(mask);
        };
        if mask.dtype() == DType::Bool {
            let zero = t.empty("full", Shape::new(&[]), self.dtype);
            let lowest = t.empty("scalar_tensor", Shape::new(&[]), self.dtype);
            mask = t.empty("where", *mask.shape(), self.dtype);
            drop((zero, lowest));
        }
        let heads = alibi.dim(0) / size.b;
        let scaled = t.div_scalar(alibi);
        let low = t.empty("lt", *mask.shape(), DType::Bool);
        let mut filled = t.empty(
            "masked_fill",
            Shape::from([size.b, heads, size.s, keys]),
            self.dtype,
        );
        drop((mask, scaled, low));
        if !recent && !self.eager && padding {
            filled = mask::unmasked(t, &filled);
        }
        Some(filled)
    }
}

impl CausalLm for Falcon {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let facts = self.shell.facts;
        let hidden = t.scoped("transformer", None, || self.decode(t, input_ids));
        let given = (input_ids, labels);
        let hidden = match (self.shell).other_output(t, hidden, &self.lm_head, given) {
            Ok(output) => return output,
            Err(hidden) => hidden,
        };
        let logits = t.scoped("lm_head", None, || {
            // hidden_states[:, slice_indices, :]
            let kept = self.shell.kept_positions(t, &hidden);
            let kept = facts.index_all(t, &kept, 3);
            self.lm_head.forward(t, &kept)
        });
        let loss = labels
            .map(|labels| t.scoped("loss", None, || loss::causal_lm(t, facts, &logits, labels)));
        Output::of(logits, loss)
    }
}

impl FalconLayer {
    fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let (hidden, inner, bias) = (c.hidden_size, c.intermediate_size, c.attention_bias);
        let attention = SelfAttention::new(&b.at("self_attention"), c, spec, facts);
        let mlp = b.at("mlp");
        let dense_h_to_4h = FalconLinear::new(&mlp.at("dense_h_to_4h"), hidden, inner, bias);
        let dense_4h_to_h = FalconLinear::new(&mlp.at("dense_4h_to_h"), inner, hidden, bias);
        let norm = |name| LayerNorm::new(&b.at(name), hidden);
        let norms = if !c.parallel_residual {
            let second = norm("post_attention_layernorm");
            (norm("input_layernorm"), Some(second))
        } else if c.parallel_norms {
            (norm("ln_attn"), Some(norm("ln_mlp")))
        } else {
            (norm("input_layernorm"), None)
        };
        Self {
            attention,
            dense_h_to_4h,
            dense_4h_to_h,
            norms,
            parallel: c.parallel_residual,
            dropout: [c.dropout.embedding, c.dropout.residual],
            holds_weights: facts.transformers == Transformers::V5,
        }
    }

    fn mlp(&self, t: &Tape, x: &Tensor) -> Tensor {
        let active = {
            let inner = self.dense_h_to_4h.forward(t, x);
            t.gelu(&inner)
        };
        self.dense_4h_to_h.forward(t, &active)
    }
}

impl WeighingBlock for FalconLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        let mut kept = shared.clone();
        if facts.transformers != Transformers::V5 {
            kept.alibi = None;
            kept.positions = None;
            kept.mask = None;
        }
        kept
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let mut residual = hidden.clone();
        let (first, second) = &self.norms;
        let normalized = t.scoped("input_layernorm", None, || first.forward(t, hidden));
        let own = second.as_ref().filter(|_| self.parallel);
        let mut read = match own {
            Some(norm) => t.scoped("ln_mlp", None, || norm.forward(t, hidden)),
            None => normalized.clone(),
        };
        let (attended, weights) = t.scoped("self_attention", None, || {
            self.attention.forward(t, &normalized, shared)
        });
        let weights = weights.filter(|_| self.holds_weights);
        if let (false, Some(norm)) = (self.parallel, second) {
            let kept = dropped(t, attended.clone(), self.dropout[0]);
            residual = t.add(&residual, &kept);
            drop(kept);
            read = t.scoped("post_attention_layernorm", None, || {
                norm.forward(t, &residual)
            });
        }
        let mut changed = t.scoped("mlp", None, || self.mlp(t, &read));
        if self.parallel {
            changed = t.add_in_place(changed, &attended);
        }
        let kept = dropped(t, changed.clone(), self.dropout[1]);
        let out = t.add(&residual, &kept);
        drop((kept, changed, attended, read, normalized));
        (out, weights)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Falcon::new(b, spec.config(), spec, facts))
}
