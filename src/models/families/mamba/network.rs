//! Mamba and `FalconMamba` (`models/{mamba,mamba2,falcon_mamba}/modeling_*.py`).

use crate::families::network::{CausalLm, Net};
use crate::model::{DecoderConfig, InnerNorms, NormKind, ResolvedSpec, StateSpace, Transformers};
use crate::nn::build::{Builder, Embedding, Facts, Linear, Norm, Output};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::loss;
use crate::nn::masks::mask;
use crate::nn::mixers::{Mamba2Mixer, Mixer};
use crate::tape::{Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// `MambaForCausalLM`.
pub(crate) struct Mamba {
    embeddings: Embedding,
    layers: Vec<Rc<MambaBlock>>,
    norm_f: Norm,
    lm_head: Linear,
    dtype: DType,
    /// Whether it looks for padding in the mask that it is given
    /// (`create_recurrent_attention_mask`).
    asks_mask: bool,
    shell: Shell,
}

struct MambaBlock {
    norm: Norm,
    mixer: Mixers,
    dtype: DType,
    wide_residual: bool,
}

/// The modules that mix the tokens of a layer.
enum Mixers {
    One(Box<Mixer>),
    Two(Box<Mamba2Mixer>),
}

impl Mamba {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let sizes = c.state_space.unwrap_or_default();
        let older = facts.transformers != Transformers::V5;
        // `FalconMambaRMSNorm` of transformers 4 casts back before it applies its weight.
        let norm = if older && sizes.inner_norms == InnerNorms::Bare {
            NormKind::CastRoot
        } else {
            NormKind::Root
        };
        let model = b.at("backbone");
        let at = model.at("embeddings");
        let embeddings = Embedding::of_input(&at, c.vocab_size, c.hidden_size);
        let layers = model.layers("layers", c.num_hidden_layers, |b| {
            Rc::new(MambaBlock {
                norm: Norm::new(&b.at("norm"), norm, c.hidden_size),
                mixer: Mixers::new(&b.at("mixer"), c, sizes),
                dtype: b.dtype(),
                wide_residual: sizes.wide_residual,
            })
        });
        let norm_f = Norm::new(&model.at("norm_f"), norm, c.hidden_size);
        let tied = c.tie_word_embeddings.then_some(&embeddings.weight);
        let lm_head = Linear::of_output(&b.at("lm_head"), c.hidden_size, c.vocab_size, tied);
        Self {
            embeddings,
            layers,
            norm_f,
            lm_head,
            dtype: b.dtype(),
            asks_mask: sizes.heads.is_some(),
            shell: Shell::new(b, spec, facts),
        }
    }
}

impl CausalLm for Mamba {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let facts = self.shell.facts;
        let hidden = t.scoped("backbone", None, || {
            let embedded = t.scoped("embeddings", None, || self.embeddings.forward(t, input_ids));
            if self.asks_mask && self.shell.has_mask() && input_ids.dim(1) > 1 {
                mask::looked_through(t, *input_ids.shape());
            }
            let hidden = embedded.clone();
            let hidden = t.through_layers("layers", &self.layers, hidden, |_, layer, hidden| {
                self.shell.run(t, layer, hidden, &())
            });
            let out = t.scoped("norm_f", None, || self.norm_f.forward(t, &hidden));
            drop((hidden, embedded));
            out
        });
        let given = (input_ids, labels);
        let hidden = match (self.shell).other_output(t, hidden, &self.lm_head, given) {
            Ok(output) => return output,
            Err(hidden) => hidden,
        };
        let logits = t.scoped("lm_head", None, || {
            let logits = {
                let kept = if facts.transformers == Transformers::V5 {
                    self.shell.kept_positions(t, &hidden)
                } else {
                    hidden.clone()
                };
                let narrow = t.to(&kept, self.dtype);
                self.lm_head.forward(t, &narrow)
            };
            t.to(&logits, DType::Float32)
        });
        let loss = labels.map(|labels| {
            t.scoped("loss", None, || {
                if facts.transformers == Transformers::V5 {
                    loss::causal_lm(t, facts, &logits, labels)
                } else {
                    loss::copied_next_token(t, facts, &logits, labels)
                }
            })
        });
        Output::of(logits, loss)
    }
}

impl Block for MambaBlock {
    type Shared = ();

    fn outliving((): &(), _: Facts) {}

    fn forward(&self, t: &Tape, hidden: &Tensor, (): &()) -> Tensor {
        let x = {
            let narrow = t.to(hidden, self.dtype);
            t.scoped("norm", None, || self.norm.forward(t, &narrow))
        };
        let residual = if self.wide_residual {
            t.to(hidden, DType::Float32)
        } else {
            hidden.clone()
        };
        let mixed = t.scoped("mixer", None, || self.mixer.forward(t, &x));
        drop(x);
        t.add(&residual, &mixed)
    }
}

impl Mixers {
    fn new(b: &Builder, c: &DecoderConfig, sizes: StateSpace) -> Self {
        let Some(heads) = sizes.heads else {
            return Self::One(Box::new(Mixer::new(
                b,
                c.hidden_size,
                sizes,
                c.attention_bias,
            )));
        };
        let (hidden, bias) = (c.hidden_size, c.attention_bias);
        Self::Two(Box::new(Mamba2Mixer::new(b, hidden, &sizes, heads, bias)))
    }

    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::One(mixer) => mixer.forward(t, x),
            Self::Two(mixer) => mixer.forward(t, x),
        }
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Mamba::new(b, spec.config(), spec, facts))
}
