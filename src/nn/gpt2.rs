//! GPT-2 and `GPTBigCode` (`models/{gpt2,gpt_bigcode}/modeling_*.py`).

use super::activation::activated;
use super::attention::{AttentionOptions, attend, dropped};
use super::builder::Builder;
use super::classifier;
use super::conv1d::Conv1D;
use super::decoder::{Shell, WeighingBlock};
use super::facts::{Facts, Transformers};
use super::gpt_bigcode::{self, BigCodeAttention};
use super::layers::{Embedding, LayerNorm, Linear};
use super::model::Output;
use crate::spec::{Activation, Attention, DecoderConfig, DecoderType, ResolvedSpec, Task};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `GPT2LMHeadModel`.
pub(super) struct Gpt2 {
    wte: Embedding,
    wpe: Embedding,
    h: Vec<Rc<Gpt2Block>>,
    ln_f: LayerNorm,
    lm_head: Linear,
    embedding_dropout: bool,
    /// `GPTBigCode`'s causal mask of all positions.
    big_code: Option<Tensor>,
    /// How attention runs, and whether its heads share keys.
    attention: (Attention, bool),
    /// Whether the head is that of a classifier of sequences.
    classifies: bool,
    shell: Shell,
}

struct Gpt2Block {
    ln_1: LayerNorm,
    attn: AttentionKind,
    ln_2: LayerNorm,
    mlp: Mlp,
    /// Whether keys and values come with the logits.
    keeps_keys: bool,
}

enum AttentionKind {
    Gpt2(SelfAttention),
    BigCode(BigCodeAttention),
}

struct SelfAttention {
    c_attn: Conv1D,
    c_proj: Conv1D,
    hidden: u64,
    head_dim: u64,
    options: AttentionOptions,
    dropout: bool,
    /// Before transformers 5 a causal mask of all positions and the number for what it hides.
    masks: Option<[Tensor; 2]>,
}

struct Mlp {
    c_fc: Conv1D,
    c_proj: Conv1D,
    activation: Activation,
    dropout: bool,
}

/// What every block of one forward pass is given besides the hidden states.
#[derive(Clone)]
pub(super) struct Shared {
    mask: Option<Tensor>,
    /// Token positions `[1, S]`, which the blocks only hold.
    positions: Option<Tensor>,
    /// Whether a re-entrant checkpoint gets the mask as a keyword argument, not the positions.
    keeps_mask: bool,
}

impl Gpt2 {
    pub(super) fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let is_big_code = c.model_type == DecoderType::GptBigCode;
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            positions_given: !is_big_code,
            ..AttentionOptions::of(spec, facts)
        };
        let keeps_keys = spec.use_cache && is_big_code && facts.transformers != Transformers::V5;
        let model = b.at("transformer");
        let wte = Embedding::of_input(&model.at("wte"), c.vocab_size, c.hidden_size);
        let wpe = Embedding::new(&model.at("wpe"), c.position_rows, c.hidden_size);
        let h = model.items("h", c.num_hidden_layers, |b| {
            Rc::new(Gpt2Block::new(b, c, options, keeps_keys))
        });
        let ln_f = LayerNorm::new(&model.at("ln_f"), c.hidden_size);
        let square = [c.position_rows, c.position_rows];
        let big_code = is_big_code.then(|| model.buffer("bias", square, DType::Bool));
        let lm_head = classifier::head(b, c, spec, &wte.weight);
        Self {
            wte,
            wpe,
            h,
            ln_f,
            lm_head,
            embedding_dropout: c.dropout.embedding,
            big_code,
            attention: (spec.attention, c.num_key_value_heads == 1),
            classifies: spec.task == Task::SequenceClassification,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    pub(super) fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let (hidden, keys) = t.scoped("transformer", None, || self.decode(t, input_ids));
        if self.classifies {
            let given = (input_ids, labels);
            return classifier::classify(t, &self.shell, &hidden, &self.lm_head, given);
        }
        let mut output = self.shell.language_model(t, &hidden, &self.lm_head, labels);
        output.beside.extend(keys);
        output
    }

    /// Token positions of token ids `[B, S]`.
    fn positions(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let recent = self.shell.facts.transformers == Transformers::V5;
        if recent || self.big_code.is_none() || !self.shell.has_mask() {
            return self.shell.positions(t, input_ids.dim(1));
        }
        // They are counted in the mask.
        let positions = {
            let sum = t.cumsum(*input_ids.shape(), DType::Int64);
            t.add_scalar(&sum)
        };
        drop(t.empty("eq", *input_ids.shape(), DType::Bool));
        positions
    }

    /// The last hidden states `[B, S, H]` and the keys beside the values that come with them.
    fn decode(&self, t: &Tape, input_ids: &Tensor) -> (Tensor, Vec<Tensor>) {
        // Before transformers 5 positions are made first; `GPTBigCode` makes its mask early.
        let recent = self.shell.facts.transformers == Transformers::V5;
        let is_big_code = self.big_code.is_some();
        let positions = || self.positions(t, input_ids);
        let early = (!recent).then(positions);
        let before_5 = self.big_code.as_ref().filter(|_| !recent);
        let early_mask = before_5.map(|causal| {
            gpt_bigcode::mask_before_5(t, &self.shell, input_ids, causal, self.attention)
        });
        let mask = || {
            if !recent && self.shell.eager {
                return self.shell.inverted_mask(t, input_ids);
            }
            let style = self.shell.facts.mask_style();
            self.shell.causal_mask(t, input_ids, None, style)
        };
        let embedded = t.scoped("wte", None, || self.wte.forward(t, input_ids));
        let positions = early.unwrap_or_else(positions);
        let early_mask = early_mask.or_else(|| is_big_code.then(mask));
        let positions = if positions.shape().rank() == 1 {
            t.unsqueeze(&positions, 0)
        } else {
            positions
        };
        let position_embedded = t.scoped("wpe", None, || self.wpe.forward(t, &positions));
        let hidden = t.add(&embedded, &position_embedded);
        let shared = Shared {
            mask: early_mask.unwrap_or_else(mask),
            // Before transformers 5 the blocks are not given them.
            positions: recent.then(|| positions.clone()),
            keeps_mask: is_big_code,
        };
        let mut hidden = dropped(t, hidden, self.embedding_dropout);
        let mut keys = Vec::new();
        for (i, block) in (0..).zip(&self.h) {
            let (out, present) = t.scoped("h", Some(i), || {
                self.shell.run_with_weights(t, block, &hidden, &shared)
            });
            keys.extend(present);
            hidden = out;
        }
        let out = t.scoped("ln_f", None, || self.ln_f.forward(t, &hidden));
        drop((hidden, positions));
        (t.view(&out, *out.shape()), keys)
    }
}

impl Gpt2Block {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions, keeps_keys: bool) -> Self {
        Self {
            ln_1: LayerNorm::new(&b.at("ln_1"), c.hidden_size),
            attn: AttentionKind::new(&b.at("attn"), c, options, keeps_keys),
            ln_2: LayerNorm::new(&b.at("ln_2"), c.hidden_size),
            mlp: Mlp::new(&b.at("mlp"), c),
            keeps_keys,
        }
    }
}

impl WeighingBlock for Gpt2Block {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        let recent = facts.transformers == Transformers::V5;
        let kept = |x: &Option<Tensor>, wanted: bool| x.clone().filter(|_| wanted && recent);
        Shared {
            mask: kept(&shared.mask, shared.keeps_mask),
            positions: kept(&shared.positions, !shared.keeps_mask),
            keeps_mask: shared.keeps_mask,
        }
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let x = t.scoped("ln_1", None, || self.ln_1.forward(t, hidden));
        let (attended, held) = t.scoped("attn", None, || self.attn.forward(t, &x, shared));
        let residual = t.add(&attended, hidden);
        drop(x);
        let x = t.scoped("ln_2", None, || self.ln_2.forward(t, &residual));
        let changed = t.scoped("mlp", None, || self.mlp.forward(t, &x));
        let out = t.add(&residual, &changed);
        drop((x, attended));
        (out, held.filter(|_| self.keeps_keys))
    }
}

impl AttentionKind {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions, keeps_keys: bool) -> Self {
        if c.model_type == DecoderType::GptBigCode {
            Self::BigCode(BigCodeAttention::new(b, c, options, keeps_keys))
        } else {
            Self::Gpt2(SelfAttention::new(b, c, options))
        }
    }

    /// `[B, S, H]` to the same, with what the block holds.
    fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        match self {
            Self::Gpt2(attention) => attention.forward(t, x, shared),
            Self::BigCode(attention) => attention.forward(t, x, shared.mask.as_ref()),
        }
    }
}

impl SelfAttention {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let hidden = c.hidden_size;
        let masks = (options.facts.transformers != Transformers::V5).then(|| {
            let square = [1, 1, c.position_rows, c.position_rows];
            [
                b.buffer("bias", square, DType::Bool),
                b.buffer("masked_bias", Shape::new(&[]), b.dtype()),
            ]
        });
        Self {
            masks,
            c_attn: Conv1D::new(&b.at("c_attn"), hidden, 3 * hidden),
            c_proj: Conv1D::new(&b.at("c_proj"), hidden, hidden),
            hidden,
            head_dim: c.head_dim,
            options,
            dropout: c.dropout.residual,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the block holds.
    fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let (b, s, hidden) = (x.dim(0), x.dim(1), self.hidden);
        let [q, k, v] = {
            let all = self.c_attn.forward(t, x);
            t.split(&all, [hidden; 3], 2)
        };
        let heads = |x: &Tensor| {
            let x = t.view(x, [b, s, hidden / self.head_dim, self.head_dim]);
            t.transpose(&x, 1, 2)
        };
        let (k, v, q) = (heads(&k), heads(&v), heads(&q));
        let (k, v) = t.cached(k, v);
        let mask = shared.mask.as_ref();
        let (out, weights) = if self.options.implementation == Attention::Eager {
            let causal = self.masks.as_ref().map(|[causal, _]| causal);
            let (out, weights) = eager(t, self.options, [&q, &k, &v], mask, causal);
            (out, Some(weights))
        } else {
            (attend(t, self.options, &q, &k, &v, mask), None)
        };
        let merged = t.reshape(&out, [b, s, hidden]);
        drop(out);
        let projected = self.c_proj.forward(t, &merged);
        drop(merged);
        (dropped(t, projected, self.dropout), weights)
    }
}

/// `eager_attention_forward` of GPT-2: q, k, v `[B, A, S, D]` to `[B, S, A, D]` and the weights. The
/// softmax runs in the dtype of the scores. Before transformers 5 numbers are tensors, and scores
/// of later tokens are replaced as the layer's `causal` mask `[1, 1, P, P]` of all positions says.
fn eager(
    t: &Tape,
    options: AttentionOptions,
    [q, k, v]: [&Tensor; 3],
    mask: Option<&Tensor>,
    causal: Option<&Tensor>,
) -> (Tensor, Tensor) {
    let number = |of: &Tensor| t.empty("full", Shape::new(&[]), of.dtype());
    let mut scores = {
        let product = t.matmul(q, &t.transpose(k, 2, 3));
        if causal.is_some() {
            t.div_by(&product, &number(&product))
        } else {
            t.mul_scalar(&product)
        }
    };
    let lowest = causal.map(|causal| {
        let (queries, keys) = (q.dim(2), k.dim(2));
        let rows = t.slice(causal, 2, keys - queries, keys);
        let lowest = number(&scores);
        scores = t.where_or(&t.slice(&rows, 3, 0, keys), &scores, &lowest);
        lowest
    });
    if let Some(mask) = mask {
        scores = t.add(&scores, mask);
    }
    scores = t.softmax(&scores, None);
    scores = t.to(&scores, v.dtype());
    let weights = dropped(t, scores, options.dropout);
    let out = t.matmul(&weights, v);
    drop(lowest);
    (t.transpose(&out, 1, 2), weights)
}

impl Mlp {
    fn new(b: &Builder, c: &DecoderConfig) -> Self {
        let layer = if c.model_type == DecoderType::GptBigCode {
            Conv1D::linear
        } else {
            Conv1D::new
        };
        Self {
            c_fc: layer(&b.at("c_fc"), c.hidden_size, c.intermediate_size),
            c_proj: layer(&b.at("c_proj"), c.intermediate_size, c.hidden_size),
            activation: c.activation,
            dropout: c.dropout.residual,
        }
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let inner = self.c_fc.forward(t, x);
        let inner = activated(t, self.activation, inner);
        let out = self.c_proj.forward(t, &inner);
        drop(inner);
        dropped(t, out, self.dropout)
    }
}
