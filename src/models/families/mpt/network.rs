//! MPT (`models/mpt/modeling_mpt.py`), whose attention is eager only and whose layers have no biases.

use crate::families::network::{CausalLm, Net};
use crate::model::{DecoderConfig, ResolvedSpec, Transformers};
use crate::nn::attention::dropped;
use crate::nn::build::{Builder, Embedding, Facts, Linear, Output};
use crate::nn::decoder::{Shell, WeighingBlock};
use crate::nn::heads::classifier;
use crate::nn::masks::BatchShape;
use crate::nn::masks::triangle as mask_triangle;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `MptForCausalLM`.
pub(crate) struct Mpt {
    wte: Embedding,
    blocks: Vec<Rc<MptBlock>>,
    norm_f: BareNorm,
    lm_head: Linear,
    heads: u64,
    /// Tokens that biases are made for.
    positions: u64,
    dtype: DType,
    shell: Shell,
}

/// `LayerNorm` whose bias is taken away when it has been made.
struct BareNorm(Tensor);

/// `MptBlock`.
struct MptBlock {
    norm_1: BareNorm,
    wqkv: Linear,
    out_proj: Linear,
    norm_2: BareNorm,
    up_proj: Linear,
    down_proj: Linear,
    heads: u64,
    dropout: bool,
    clipped: bool,
    /// Whether the weights of attention are returned.
    returns_weights: bool,
}

/// Inputs of every block of one forward pass besides the hidden states.
#[derive(Clone)]
pub(crate) struct Shared {
    /// Biases `[A, 1, P]` for P tokens.
    alibi: Option<Tensor>,
    /// `[B, 1, S, S]`, true where a token is not seen.
    mask: Option<Tensor>,
}

impl BareNorm {
    fn new(b: &Builder, size: u64) -> Self {
        let weight = b.parameter("weight", [size]);
        b.replaced([size]);
        Self(weight)
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.layer_norm(x, Some(&self.0), None)
    }
}

impl Mpt {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let model = b.at("transformer");
        let hidden = c.hidden_size;
        let wte = Embedding::of_input(&model.at("wte"), c.vocab_size, hidden);
        let blocks = model.layers("blocks", c.num_hidden_layers, |b| {
            Rc::new(MptBlock::new(b, c, facts))
        });
        let norm_f = BareNorm::new(&model.at("norm_f"), hidden);
        let lm_head = classifier::head(b, c, spec, &wte.weight);
        Self {
            wte,
            blocks,
            norm_f,
            lm_head,
            heads: c.num_attention_heads,
            positions: c.position_rows,
            dtype: b.dtype(),
            shell: Shell::new(b, spec, facts),
        }
    }

    fn decode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let facts = self.shell.facts;
        let recent = facts.transformers == Transformers::V5;
        let size = BatchShape::of(input_ids);
        let embedded = t.scoped("wte", None, || self.wte.forward(t, input_ids));
        let given = self.shell.has_mask();
        let ones = (!recent && !given).then(|| t.empty("ones", size.into(), DType::Float32));
        let alibi = self.biases(t);
        let mask = {
            let scores = if recent {
                self.shell
                    .causal_mask(t, input_ids, None, facts.mask_style())
            } else {
                let given = if given { DType::Int64 } else { DType::Float32 };
                Some(mask_triangle::padded_triangle(t, size, given, self.dtype))
            };
            scores.map(|scores| t.empty("_to_copy", *scores.shape(), DType::Bool))
        };
        let shared = Shared {
            alibi: Some(alibi),
            mask,
        };
        // The last block's result is held until the next one has run.
        let mut held = None;
        let hidden = t.through_layers("blocks", &self.blocks, embedded.clone(), |_, block, x| {
            let (out, weights) = self.shell.run_with_weights(t, block, x, &shared);
            held = weights;
            out
        });
        let out = t.scoped("norm_f", None, || self.norm_f.forward(t, &hidden));
        drop((ones, embedded, held));
        out
    }

    /// `build_mpt_alibi_tensor`: `[A, 1, P]`.
    fn biases(&self, t: &Tape) -> Tensor {
        let whole = self.heads.next_power_of_two();
        let row = |op, n, dtype| t.empty(op, Shape::from([n, 1, 1]), dtype);
        let range = row("arange", self.positions, DType::Int32);
        let float = |op| row(op, whole, DType::Float32);
        let base = {
            let wide = {
                let _numbers = row("arange", whole, DType::Int64);
                float("_to_copy")
            };
            let base = float("mul");
            drop(wide);
            base
        };
        let mut slopes = {
            let powers = {
                let powers = float("pow");
                drop(t.empty("full", Shape::new(&[]), DType::Float32));
                powers
            };
            let inverse = float("reciprocal");
            let slopes = float("mul");
            drop((inverse, powers));
            slopes
        };
        if whole != self.heads {
            slopes = float("cat");
        }
        let out = t.empty(
            "mul",
            Shape::from([self.heads, 1, self.positions]),
            DType::Float32,
        );
        drop((range, base, slopes));
        out
    }
}

impl CausalLm for Mpt {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = t.scoped("transformer", None, || self.decode(t, input_ids));
        let given = (input_ids, labels);
        self.shell.language_model(t, hidden, &self.lm_head, given)
    }
}

/// The results of attention.
struct Attended {
    /// `[B, S, H]`.
    out: Tensor,
    /// `[B, A, S, S]`.
    weights: Tensor,
    /// The tensor that keys and values are a part of.
    projected: Tensor,
}

impl MptBlock {
    fn new(b: &Builder, c: &DecoderConfig, facts: Facts) -> Self {
        let hidden = c.hidden_size;
        let linear =
            |at: &Builder, name, inputs, outputs| Linear::new(&at.at(name), inputs, outputs, false);
        let norm_1 = BareNorm::new(&b.at("norm_1"), hidden);
        let attention = b.at("attn");
        let wqkv = linear(&attention, "Wqkv", hidden, 3 * hidden);
        let out_proj = linear(&attention, "out_proj", hidden, hidden);
        let norm_2 = BareNorm::new(&b.at("norm_2"), hidden);
        let mlp = b.at("ffn");
        Self {
            norm_1,
            wqkv,
            out_proj,
            norm_2,
            up_proj: linear(&mlp, "up_proj", hidden, c.intermediate_size),
            down_proj: linear(&mlp, "down_proj", c.intermediate_size, hidden),
            heads: c.num_attention_heads,
            dropout: c.dropout.attention,
            clipped: c.clips_heads,
            returns_weights: facts.transformers == Transformers::V5,
        }
    }

    fn attend(&self, t: &Tape, x: &Tensor, shared: &Shared) -> Attended {
        let (b, s, hidden) = (x.dim(0), x.dim(1), x.dim(2));
        let dim = hidden / self.heads;
        let mut all = self.wqkv.forward(t, x);
        if self.clipped {
            all = t.clamp(&all, 2);
        }
        let [q, k, v] = t.split(&all, [hidden; 3], -1).map(|part| {
            let heads = t.reshape(&part, [b, s, self.heads, dim]);
            t.transpose(&heads, 1, 2)
        });
        let (k, v) = t.cached(k, v);
        let mut scores = {
            let product = t.matmul(&q, &t.transpose(&k, 2, 3));
            t.mul_scalar(&product)
        };
        if let Some(alibi) = &shared.alibi {
            let first = alibi.dim(-1).saturating_sub(k.dim(2));
            let near = t.slice(alibi, -1, first, alibi.dim(-1));
            scores = t.add(&scores, &near);
        }
        if let Some(mask) = &shared.mask {
            scores = t.masked_fill(&scores, mask);
        }
        let weights = {
            let wide = t.to(&scores, DType::Float32);
            let wide = t.softmax(&wide, None);
            t.to(&wide, v.dtype())
        };
        let weights = dropped(t, weights, self.dropout);
        let context = {
            let parted = t.matmul(&weights, &v);
            let rows = t.contiguous(&t.permute(&parted, &[0, 2, 1, 3]));
            t.view(&rows, [b, s, hidden])
        };
        let out = self.out_proj.forward(t, &context);
        drop(scores);
        Attended {
            out,
            weights,
            projected: all,
        }
    }

    fn mlp(&self, t: &Tape, x: &Tensor, residual: &Tensor) -> Tensor {
        let active = {
            let inner = self.up_proj.forward(t, x);
            t.gelu(&inner)
        };
        let out = self.down_proj.forward(t, &active);
        let kept = dropped(t, out.clone(), self.dropout);
        let sum = t.add(&kept, residual);
        drop((active, out));
        sum
    }
}

impl WeighingBlock for MptBlock {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        if facts.transformers == Transformers::V5 {
            return shared.clone();
        }
        Shared {
            alibi: None,
            mask: None,
        }
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let normalized = t.scoped("norm_1", None, || self.norm_1.forward(t, hidden));
        let Attended {
            out: attended,
            weights,
            projected: parts,
        } = t.scoped("attn", None, || self.attend(t, &normalized, shared));
        // transformers 4 returns keys and values, too.
        let parts = Some(parts).filter(|_| !self.returns_weights);
        let residual = {
            let kept = dropped(t, attended.clone(), self.dropout);
            t.add(&kept, hidden)
        };
        let changed = t.scoped("norm_2", None, || self.norm_2.forward(t, &residual));
        drop(normalized);
        let out = t.scoped("ffn", None, || self.mlp(t, &changed, &residual));
        drop((attended, changed, parts));
        let weights = Some(weights).filter(|_| self.returns_weights);
        (out, weights)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Mpt::new(b, spec.config(), spec, facts))
}
