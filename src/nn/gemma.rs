//! Gemma, Gemma 2 and the text part of Gemma 3 (`models/{gemma,gemma2,gemma3}/modeling_*.py`).

use super::attention::AttentionOptions;
use super::builder::Builder;
use super::causal::{Layer, Masks, Shared, Style};
use super::decoder::Block;
use super::facts::{Facts, Transformers};
use super::gated_mlp::GatedMlp;
use super::norm::{Norm, NormKind};
use super::rotary_attention::{HeadNorm, RotaryAttention};
use crate::spec::DecoderConfig;
use crate::tape::{Tape, Tensor};

fn gemma(facts: Facts) -> Style {
    Style {
        norm: NormKind::Gemma,
        scaled_embedding: true,
        scales_late: facts.transformers != Transformers::V5,
        ..Style::llama(facts)
    }
}

/// The masks of a model of which some layers have a window.
fn masks(facts: Facts) -> Masks {
    if facts.transformers == Transformers::V5 {
        Masks::Both
    } else {
        Masks::Narrowed
    }
}

/// `GemmaDecoderLayer`: norms before attention and MLP.
pub(super) struct GemmaLayer {
    attention: RotaryAttention,
    mlp: GatedMlp,
    norms: [Norm; 2],
}

/// `Gemma2DecoderLayer`: norms before and after attention and MLP.
pub(super) struct Gemma2Layer {
    attention: RotaryAttention,
    mlp: GatedMlp,
    norms: [Norm; 4],
}

/// `Gemma3DecoderLayer`: queries and keys are normalized, too.
pub(super) struct Gemma3Layer(Gemma2Layer);

fn norms<const N: usize>(b: &Builder, c: &DecoderConfig, names: [&'static str; N]) -> [Norm; N] {
    names.map(|name| Norm::new(&b.at(name), NormKind::Gemma, c.hidden_size))
}

fn mlp(b: &Builder, c: &DecoderConfig) -> GatedMlp {
    GatedMlp::new(&b.at("mlp"), c.hidden_size, c.intermediate_size, Tape::gelu)
}

impl Layer for GemmaLayer {
    fn style(_: &DecoderConfig, facts: Facts) -> Style {
        gemma(facts)
    }

    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        Self {
            attention: RotaryAttention::new(&b.at("self_attn"), c, options, HeadNorm::None, false),
            mlp: mlp(b, c),
            norms: norms(b, c, ["input_layernorm", "post_attention_layernorm"]),
        }
    }
}

impl Block for GemmaLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let [input, post_attention] = &self.norms;
        let x = t.scoped("input_layernorm", None, || input.forward(t, hidden));
        let (attended, weights) =
            t.scoped("self_attn", None, || self.attention.forward(t, &x, shared));
        drop(x);
        let residual = t.add(hidden, &attended);
        drop(attended);
        let changed = {
            let x = t.scoped("post_attention_layernorm", None, || {
                post_attention.forward(t, &residual)
            });
            t.scoped("mlp", None, || self.mlp.forward(t, &x))
        };
        let out = t.add(&residual, &changed);
        drop(weights);
        out
    }
}

impl Gemma2Layer {
    fn with(b: &Builder, c: &DecoderConfig, options: AttentionOptions, style: HeadNorm) -> Self {
        Self {
            attention: RotaryAttention::new(&b.at("self_attn"), c, options, style, false),
            mlp: mlp(b, c),
            norms: norms(
                b,
                c,
                [
                    "input_layernorm",
                    "post_attention_layernorm",
                    "pre_feedforward_layernorm",
                    "post_feedforward_layernorm",
                ],
            ),
        }
    }
}

impl Layer for Gemma2Layer {
    fn style(_: &DecoderConfig, facts: Facts) -> Style {
        Style {
            masks: masks(facts),
            ..gemma(facts)
        }
    }

    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        Self::with(b, c, options, HeadNorm::None)
    }
}

impl Block for Gemma2Layer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let [input, post_attention, pre_feedforward, post_feedforward] = &self.norms;
        let (shared, outside) = shared.narrowed(t);
        let x = t.scoped("input_layernorm", None, || input.forward(t, hidden));
        let (attended, weights) =
            t.scoped("self_attn", None, || self.attention.forward(t, &x, &shared));
        drop(x);
        let normalized = t.scoped("post_attention_layernorm", None, || {
            post_attention.forward(t, &attended)
        });
        drop(attended);
        let residual = t.add(hidden, &normalized);
        drop(normalized);
        let changed = {
            let x = t.scoped("pre_feedforward_layernorm", None, || {
                pre_feedforward.forward(t, &residual)
            });
            t.scoped("mlp", None, || self.mlp.forward(t, &x))
        };
        let normalized = t.scoped("post_feedforward_layernorm", None, || {
            post_feedforward.forward(t, &changed)
        });
        drop(changed);
        let out = t.add(&residual, &normalized);
        drop((weights, shared, outside));
        out
    }
}

impl Layer for Gemma3Layer {
    fn style(_: &DecoderConfig, facts: Facts) -> Style {
        Style {
            masks: masks(facts),
            local_rotary: true,
            scales_late: false,
            ..gemma(facts)
        }
    }

    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        Self(Gemma2Layer::with(
            b,
            c,
            options,
            HeadNorm::Heads(NormKind::Gemma),
        ))
    }
}

impl Block for Gemma3Layer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        self.0.forward(t, hidden, shared)
    }
}
