//! BLOOM (`models/bloom/modeling_bloom.py`), whose attention is eager only.

use crate::families::network::{CausalLm, Net};
use crate::model::{DecoderConfig, ResolvedSpec, Transformers};
use crate::nn::attention::{Alibi, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Shell, WeighingBlock};
use crate::nn::heads::classifier;
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::nn::mlp::{gelu_fast, tanh_in_gelu};
use crate::tape::{Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// `BloomForCausalLM`.
pub(crate) struct Bloom {
    word_embeddings: Embedding,
    word_embeddings_layernorm: LayerNorm,
    h: Vec<Rc<BloomBlock>>,
    ln_f: LayerNorm,
    lm_head: Linear,
    heads: u64,
    dtype: DType,
    shell: Shell,
}

/// `BloomBlock`.
struct BloomBlock {
    input_layernorm: LayerNorm,
    attention: SelfAttention,
    post_attention_layernorm: LayerNorm,
    dense_h_to_4h: Linear,
    dense_4h_to_h: Linear,
    residual_after_norm: bool,
    dropout: bool,
    holds_weights: bool,
}

struct SelfAttention {
    query_key_value: Linear,
    dense: Linear,
    heads: u64,
    head_dim: u64,
    dropout: bool,
    residual_dropout: bool,
    facts: Facts,
}

/// Inputs of every block of one forward pass besides the hidden states.
#[derive(Clone)]
pub(crate) struct Shared {
    /// `[B x A, 1, S]`.
    alibi: Option<Tensor>,
    mask: Option<Tensor>,
    /// Before transformers 5 token positions `[S]`, which the blocks only hold.
    _positions: Option<Tensor>,
}

impl Bloom {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let model = b.at("transformer");
        let hidden = c.hidden_size;
        let word_embeddings =
            Embedding::of_input(&model.at("word_embeddings"), c.vocab_size, hidden);
        let word_embeddings_layernorm =
            LayerNorm::new(&model.at("word_embeddings_layernorm"), hidden);
        let h = model.layers("h", c.num_hidden_layers, |b| {
            Rc::new(BloomBlock::new(b, c, facts))
        });
        let ln_f = LayerNorm::new(&model.at("ln_f"), hidden);
        let lm_head = classifier::head(b, c, spec, &word_embeddings.weight);
        Self {
            word_embeddings,
            word_embeddings_layernorm,
            h,
            ln_f,
            lm_head,
            heads: c.num_attention_heads,
            dtype: b.dtype(),
            shell: Shell::new(b, spec, facts),
        }
    }

    fn decode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let facts = self.shell.facts;
        let recent = facts.transformers == Transformers::V5;
        let given = BatchShape::of(input_ids);
        let size = given.with_len(t.cached_tokens() + given.s);
        let embedded = t.scoped("word_embeddings", None, || {
            self.word_embeddings.forward(t, input_ids)
        });
        let positions = (!recent).then(|| self.shell.positions(t, given.s));
        let mut hidden = t.scoped("word_embeddings_layernorm", None, || {
            self.word_embeddings_layernorm.forward(t, &embedded)
        });
        let padding = self.shell.has_mask();
        let request = Alibi {
            size,
            heads: self.heads,
            narrow_slopes: false,
            apart: recent,
            dtype: hidden.dtype(),
        };
        let (alibi, kept) = if padding {
            (request.of_mask(t, DType::Int64), None)
        } else if recent {
            request.of_length(t)
        } else {
            let ones = t.empty("ones", size.into(), DType::Float32);
            (request.of_mask(t, DType::Float32), Some(ones))
        };
        let mask = if recent || padding {
            self.shell
                .causal_mask(t, input_ids, None, facts.mask_style())
        } else {
            Some(mask::causal_of_ones(t, size, self.dtype))
        };
        let shared = Shared {
            alibi: Some(alibi),
            mask,
            _positions: positions,
        };
        // The last block's result is held until the next one has run.
        let mut held = None;
        hidden = t.through_layers("h", &self.h, hidden, |_, block, hidden| {
            let (out, weights) = self.shell.run_with_weights(t, block, hidden, &shared);
            held = weights;
            out
        });
        let out = t.scoped("ln_f", None, || self.ln_f.forward(t, &hidden));
        drop((kept, embedded, held));
        out
    }
}

impl CausalLm for Bloom {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = t.scoped("transformer", None, || self.decode(t, input_ids));
        let given = (input_ids, labels);
        self.shell.language_model(t, hidden, &self.lm_head, given)
    }
}

impl BloomBlock {
    fn new(b: &Builder, c: &DecoderConfig, facts: Facts) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let norm = |name| LayerNorm::new(&b.at(name), hidden);
        let input_layernorm = norm("input_layernorm");
        let attention = SelfAttention::new(&b.at("self_attention"), c, facts);
        let post_attention_layernorm = norm("post_attention_layernorm");
        let mlp = b.at("mlp");
        Self {
            input_layernorm,
            attention,
            post_attention_layernorm,
            dense_h_to_4h: Linear::new(&mlp.at("dense_h_to_4h"), hidden, inner, true),
            dense_4h_to_h: Linear::new(&mlp.at("dense_4h_to_h"), inner, hidden, true),
            residual_after_norm: c.residual_after_norm,
            dropout: c.dropout.residual,
            holds_weights: facts.transformers == Transformers::V5,
        }
    }

    fn mlp(&self, t: &Tape, x: &Tensor, residual: &Tensor) -> Tensor {
        let active = {
            let inner = self.dense_h_to_4h.forward(t, x);
            t.saving_its_input(&inner, gelu_fast, gelu_backward)
        };
        let out = self.dense_4h_to_h.forward(t, &active);
        drop_and_add(t, &out, residual, self.dropout)
    }
}

impl WeighingBlock for BloomBlock {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        if facts.transformers == Transformers::V5 {
            return shared.clone();
        }
        Shared {
            alibi: None,
            mask: None,
            _positions: None,
        }
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let mut normalized = t.scoped("input_layernorm", None, || {
            self.input_layernorm.forward(t, hidden)
        });
        let (attended, weights) = {
            let residual = if self.residual_after_norm {
                &normalized
            } else {
                hidden
            };
            t.scoped("self_attention", None, || {
                self.attention.forward(t, &normalized, residual, shared)
            })
        };
        let weights = self.holds_weights.then_some(weights);
        normalized = t.scoped("post_attention_layernorm", None, || {
            self.post_attention_layernorm.forward(t, &attended)
        });
        let residual = if self.residual_after_norm {
            &normalized
        } else {
            &attended
        };
        let out = t.scoped("mlp", None, || self.mlp(t, &normalized, residual));
        (out, weights)
    }
}

/// `dropout_add`.
fn drop_and_add(t: &Tape, x: &Tensor, residual: &Tensor, active: bool) -> Tensor {
    let out = dropped(t, x.clone(), active);
    t.add(residual, &out)
}

impl SelfAttention {
    fn new(b: &Builder, c: &DecoderConfig, facts: Facts) -> Self {
        let hidden = c.hidden_size;
        Self {
            query_key_value: Linear::new(&b.at("query_key_value"), hidden, 3 * hidden, true),
            dense: Linear::new(&b.at("dense"), hidden, hidden, true),
            heads: c.num_attention_heads,
            head_dim: c.head_dim,
            dropout: c.dropout.attention,
            residual_dropout: c.dropout.residual,
            facts,
        }
    }

    /// `[B, S, H]` and the residual to their sum, with the weights `[B, A, S, S]`.
    fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        residual: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Tensor) {
        let (b, s) = (x.dim(0), x.dim(1));
        let (heads, dim) = (self.heads, self.head_dim);
        let all = {
            let all = self.query_key_value.forward(t, x);
            t.view(&all, [b, s, heads, 3, dim])
        };
        let part = || {
            let part = t.select(&all, 3);
            t.transpose(&self.facts.index_all(t, &part, 1), 1, 2)
        };
        let [q, k, v] = [part(), part(), part()];
        let (k, v) = t.cached(k, v);
        let keys = k.dim(2);
        let flat = |x: &Tensor| t.reshape(x, [b * heads, x.dim(2), dim]);
        let q = flat(&q);
        let k = t.transpose(&flat(&k), 1, 2);
        let v = flat(&v);
        let scores = match &shared.alibi {
            Some(alibi) => t.baddbmm(alibi, &q, &k),
            None => t.batched(&q, &k),
        };
        let mut masked = t.view(&scores, [b, heads, s, keys]);
        if let Some(mask) = &shared.mask {
            masked = t.add(&masked, mask);
        }
        let weights = {
            let wide = t.softmax(&masked, Some(DType::Float32));
            t.to(&wide, q.dtype())
        };
        let weights = dropped(t, weights, self.dropout);
        let context = {
            let weights = t.view(&weights, [b * heads, s, keys]);
            let parted = t.view(&t.batched(&weights, &v), [b, heads, s, dim]);
            t.reshape(&t.permute(&parted, &[0, 2, 1, 3]), [b, s, heads * dim])
        };
        let out = self.dense.forward(t, &context);
        let out = drop_and_add(t, &out, residual, self.residual_dropout);
        drop((all, scores, masked));
        (out, weights)
    }
}

/// `bloom_gelu_back`.
fn gelu_backward(t: &Tape, g: &Tensor, x: &Tensor) -> Tensor {
    let bent = tanh_in_gelu(t, x);
    let slope = {
        let first = {
            let half = t.mul_scalar(x);
            let product = {
                let rest = {
                    let square = t.mul(&bent, &bent);
                    t.add_scalar(&square)
                };
                let polynomial = {
                    let square = {
                        let scaled = t.mul_scalar(x);
                        t.mul(&scaled, x)
                    };
                    t.add_scalar(&square)
                };
                t.mul(&rest, &polynomial)
            };
            t.mul(&half, &product)
        };
        let second = {
            let one_plus = t.add_scalar(&bent);
            t.mul_scalar(&one_plus)
        };
        t.add(&first, &second)
    };
    t.mul(&slope, g)
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Bloom::new(b, spec.config(), spec, facts))
}
