//! GPT-2, `GPTBigCode`, GPT-Neo, GPT-J and `CodeGen`
//! (`models/{gpt2,gpt_bigcode,gpt_neo,gptj,codegen}/modeling_*.py`).

use super::attention::SelfAttention;
use super::gpt_bigcode_attention;
use super::gpt_bigcode_attention::BigCodeAttention;
use super::kind::Kind;
use super::wide_attention::WideAttention;
use crate::ask::{Attention, Task};
use crate::families::network::{CausalLm, Net};
use crate::model::{Activation, DecoderConfig, ResolvedSpec, Transformers};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Conv1D, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Shell, WeighingBlock};
use crate::nn::heads::{classifier, loss};
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// `GPT2LMHeadModel`.
pub(crate) struct Gpt2 {
    wte: Embedding,
    /// The embedding of positions, if the layers do not handle them.
    wpe: Option<Embedding>,
    h: Vec<Rc<Gpt2Block>>,
    ln_f: LayerNorm,
    lm_head: Linear,
    embedding_dropout: bool,
    /// `GPTBigCode`'s causal mask of all positions.
    big_code: Option<Tensor>,
    /// How attention runs, and whether its heads share keys.
    attention: (Attention, bool),
    kind: Kind,
    shell: Shell,
}

struct Gpt2Block {
    ln_1: LayerNorm,
    attn: AttentionKind,
    /// Unless the MLP reads what attention reads.
    ln_2: Option<LayerNorm>,
    mlp: Mlp,
    /// Whether it returns what attention returns beside its result.
    returns: bool,
}

enum AttentionKind {
    Gpt2(SelfAttention),
    BigCode(BigCodeAttention),
    Wide(WideAttention),
}

struct Mlp {
    layers: [Conv1D; 2],
    activation: Activation,
    dropout: bool,
}

/// Inputs of every block of one forward pass besides the hidden states.
#[derive(Clone)]
pub(crate) struct Shared {
    mask: Option<Tensor>,
    /// Token positions `[1, S]`, which the blocks only hold.
    positions: Option<Tensor>,
    /// Whether a re-entrant checkpoint gets the mask and the positions as keyword arguments.
    keeps: [bool; 2],
}

impl Gpt2 {
    fn new(b: &Builder, kind: Kind, spec: &ResolvedSpec, facts: Facts) -> Self {
        let c: &DecoderConfig = spec.config();
        let is_big_code = kind == Kind::BigCode;
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            positions_given: !is_big_code,
            ..AttentionOptions::of(spec, facts)
        };
        let keeps_keys = spec.use_cache && is_big_code && facts.transformers != Transformers::V5;
        let model = b.at("transformer");
        let wte = Embedding::of_input(&model.at("wte"), c.vocab_size, c.hidden_size);
        let wpe = (c.rotary_dim == 0)
            .then(|| Embedding::new(&model.at("wpe"), c.position_rows, c.hidden_size));
        let h = model.items("h", c.num_hidden_layers, |b| {
            Rc::new(Gpt2Block::new(b, kind, c, options, keeps_keys))
        });
        let ln_f = LayerNorm::new(&model.at("ln_f"), c.hidden_size);
        let square = [c.position_rows, c.position_rows];
        let big_code = is_big_code.then(|| model.triangle("bias", square));
        let mut lm_head = classifier::head(b, c, spec, &wte.weight);
        if wpe.is_none() && spec.task == Task::CausalLm {
            lm_head.add_bias(&b.at("lm_head"), c.vocab_size);
        }
        Self {
            wte,
            wpe,
            h,
            ln_f,
            lm_head,
            embedding_dropout: c.dropout.embedding,
            big_code,
            attention: (spec.attention, c.num_key_value_heads == 1),
            kind,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// Before transformers 5 logits are cast, the loss is cast back, and so are GPT-Neo's logits.
    fn wide_language_model(&self, t: &Tape, hidden: &Tensor, labels: Option<&Tensor>) -> Output {
        let neo = self.kind == Kind::Neo;
        let mut logits = t.scoped("lm_head", None, || self.lm_head.forward(t, hidden));
        if !neo || labels.is_some() {
            logits = t.to(&logits, DType::Float32);
        }
        let loss = labels.map(|labels| {
            let facts = self.shell.facts;
            t.scoped("loss", None, || loss::causal_lm(t, facts, &logits, labels))
        });
        if neo && labels.is_some() {
            logits = t.to(&logits, hidden.dtype());
        }
        let loss = loss.map(|loss| t.to(&loss, hidden.dtype()));
        Output::of(logits, loss)
    }

    /// Whether the blocks are given positions.
    fn gives_positions(&self) -> bool {
        let recent = self.shell.facts.transformers == Transformers::V5;
        match self.kind {
            Kind::J | Kind::CodeGen => true,
            Kind::Neo => !recent,
            Kind::BigCode => false,
            Kind::Gpt2 => recent,
        }
    }

    fn is_wide(&self) -> bool {
        self.kind.is_wide()
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
        let is_wide = self.is_wide();
        let positions = || self.positions(t, input_ids);
        let early = (!recent && !is_wide).then(positions);
        let before_5 = self.big_code.as_ref().filter(|_| !recent);
        let early_mask = before_5.map(|causal| {
            gpt_bigcode_attention::mask_before_5(t, &self.shell, input_ids, causal, self.attention)
        });
        let mask = || {
            if !recent && !is_wide && self.shell.eager {
                return self.shell.inverted_mask(t, input_ids);
            }
            let style = self.shell.facts.mask_style();
            self.shell.causal_mask(t, input_ids, None, style)
        };
        let embedded = t.scoped("wte", None, || {
            t.around_module(input_ids, |ids| self.wte.forward(t, ids))
        });
        let positions = early.unwrap_or_else(positions);
        let early_mask = early_mask.or_else(|| (is_big_code || is_wide).then(mask));
        let positions = if positions.shape().rank() == 1 {
            t.unsqueeze(&positions, 0)
        } else {
            positions
        };
        let position_embedded = self
            .wpe
            .as_ref()
            .map(|wpe| t.scoped("wpe", None, || wpe.forward(t, &positions)));
        let hidden = match &position_embedded {
            Some(positions) => t.add(&embedded, positions),
            None => embedded.clone(),
        };
        let shared = Shared {
            mask: early_mask.unwrap_or_else(mask),
            positions: self.gives_positions().then(|| positions.clone()),
            keeps: [
                is_big_code || is_wide,
                !is_big_code && self.kind != Kind::Neo,
            ],
        };
        let mut hidden = dropped(t, hidden, self.embedding_dropout);
        let mut keys = Vec::new();
        // The last block's result is held until the next one has run.
        let mut held = None;
        for (i, block) in (0..).zip(&self.h) {
            let (out, present) = t.scoped("h", Some(i), || {
                self.shell.run_with_weights(t, block, &hidden, &shared)
            });
            if is_wide {
                held = present;
            } else {
                keys.extend(present);
            }
            hidden = out;
        }
        let out = t.scoped("ln_f", None, || {
            t.around_module(&hidden, |hidden| self.ln_f.forward(t, hidden))
        });
        drop((hidden, positions, embedded, position_embedded, held));
        (t.view(&out, *out.shape()), keys)
    }
}

impl CausalLm for Gpt2 {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let (hidden, keys) = t.scoped("transformer", None, || self.decode(t, input_ids));
        let given = (input_ids, labels);
        let hidden = match (self.shell).other_output(t, hidden, &self.lm_head, given) {
            Ok(output) => return output,
            Err(hidden) => hidden,
        };
        let old = self.shell.facts.transformers != Transformers::V5;
        let mut output = match self.kind {
            Kind::Neo | Kind::J | Kind::CodeGen if old => {
                self.wide_language_model(t, &hidden, labels)
            }
            _ => self.shell.language_model(t, hidden, &self.lm_head, given),
        };
        output.beside.extend(keys);
        output
    }
}

impl Gpt2Block {
    fn new(
        b: &Builder,
        kind: Kind,
        c: &DecoderConfig,
        options: AttentionOptions,
        keeps_keys: bool,
    ) -> Self {
        Self {
            ln_1: LayerNorm::new(&b.at("ln_1"), c.hidden_size),
            attn: AttentionKind::new(&b.at("attn"), kind, c, options, keeps_keys),
            ln_2: (!c.parallel_residual).then(|| LayerNorm::new(&b.at("ln_2"), c.hidden_size)),
            mlp: Mlp::new(&b.at("mlp"), kind, c),
            returns: kind.is_wide()
                || kind == Kind::BigCode && options.facts.transformers != Transformers::V5,
        }
    }
}

impl WeighingBlock for Gpt2Block {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        let recent = facts.transformers == Transformers::V5;
        let kept = |x: &Option<Tensor>, wanted: bool| x.clone().filter(|_| wanted && recent);
        let [mask, positions] = shared.keeps;
        Shared {
            mask: kept(&shared.mask, mask),
            positions: kept(&shared.positions, positions),
            keeps: shared.keeps,
        }
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let x = t.scoped("ln_1", None, || self.ln_1.forward(t, hidden));
        let (attended, held) = t.scoped("attn", None, || self.attn.forward(t, &x, shared));
        let Some(ln_2) = &self.ln_2 else {
            let changed = t.scoped("mlp", None, || self.mlp.forward(t, &x));
            let sum = t.add(&attended, &changed);
            return (t.add(&sum, hidden), held);
        };
        let residual = t.add(&attended, hidden);
        drop(x);
        let x = t.scoped("ln_2", None, || ln_2.forward(t, &residual));
        let changed = t.scoped("mlp", None, || self.mlp.forward(t, &x));
        let out = t.add(&residual, &changed);
        drop((x, attended));
        (out, held.filter(|_| self.returns))
    }
}

impl AttentionKind {
    fn new(
        b: &Builder,
        kind: Kind,
        c: &DecoderConfig,
        options: AttentionOptions,
        keeps_keys: bool,
    ) -> Self {
        if kind.is_wide() {
            let own = kind == Kind::Neo;
            let nested = own.then(|| b.at("attention"));
            Self::Wide(WideAttention::new(
                nested.as_ref().unwrap_or(b),
                kind,
                c,
                options,
            ))
        } else if kind == Kind::BigCode {
            Self::BigCode(BigCodeAttention::new(b, c, options, keeps_keys))
        } else {
            Self::Gpt2(SelfAttention::new(b, c, options))
        }
    }

    /// `[B, S, H]` to the same, with what the block holds.
    fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        match self {
            Self::Gpt2(attention) => attention.forward(t, x, shared.mask.as_ref()),
            Self::BigCode(attention) => attention.forward(t, x, shared.mask.as_ref()),
            Self::Wide(attention) => attention.forward(t, x, shared.mask.as_ref()),
        }
    }
}

impl Mlp {
    fn new(b: &Builder, kind: Kind, c: &DecoderConfig) -> Self {
        let layer = if kind == Kind::Gpt2 {
            Conv1D::new
        } else {
            Conv1D::linear
        };
        let [first, second] = kind.mlp_names();
        Self {
            layers: [
                layer(&b.at(first), c.hidden_size, c.intermediate_size),
                layer(&b.at(second), c.intermediate_size, c.hidden_size),
            ],
            activation: c.activation,
            dropout: c.dropout.residual,
        }
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let [first, second] = &self.layers;
        let inner = first.forward(t, x);
        let inner = activated(t, self.activation, inner);
        let out = second.forward(t, &inner);
        drop(inner);
        dropped(t, out, self.dropout)
    }
}

/// Builds GPT-2.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Gpt2::new(b, Kind::Gpt2, spec, facts))
}

/// Builds `StarCoder`.
pub(crate) fn build_big_code(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Gpt2::new(b, Kind::BigCode, spec, facts))
}

/// Builds GPT-Neo.
pub(crate) fn build_neo(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Gpt2::new(b, Kind::Neo, spec, facts))
}

/// Builds GPT-J.
pub(crate) fn build_j(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Gpt2::new(b, Kind::J, spec, facts))
}

/// Builds `CodeGen`.
pub(crate) fn build_code_gen(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Gpt2::new(b, Kind::CodeGen, spec, facts))
}
