//! The layers of Gemma 3n.
//!
//! Source: transformers 5.23, `models/gemma3n/modeling_gemma3n.py`.

use crate::families::network::Net;
use crate::model::{AltUp, DecoderConfig, GemmaLayers, LayerNames, NormKind, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, SharingAttention};
use crate::nn::build::{Builder, Facts, Linear, Norm};
use crate::nn::decoder::{Alternating, Causal, InputGate, Layer, Shared, WeighingBlock};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `Gemma3nTextDecoderLayer`.
pub(crate) struct Gemma3nLayer {
    attention: SharingAttention,
    mlp: SparseMlp,
    /// Before and after attention, before and after the MLP.
    norms: [Norm; 4],
    altup: Alternating,
    laurel: Laurel,
    input: InputGate,
}

/// `Gemma3nTextLaurelBlock`: a branch in low rank beside attention.
struct Laurel {
    left: Linear,
    right: Linear,
    norm: Norm,
}

/// `Gemma3nTextMLP`.
struct SparseMlp {
    gate_proj: Linear,
    up_proj: Linear,
    down_proj: Linear,
    /// Whether gates are cut where they are not among the largest.
    sparse: bool,
}

impl Gemma3nLayer {
    fn of(
        b: &Builder,
        c: &DecoderConfig,
        options: AttentionOptions,
        (layers, altup): (GemmaLayers, &AltUp),
    ) -> Self {
        let attention = SharingAttention::new(&b.at("self_attn"), c, options, b.index());
        let mlp = SparseMlp::new(&b.at("mlp"), c, altup.sparse.get(b.index()) == Some(&true));
        let norms = LayerNames::of(c).norms.map(|name| {
            let at = b.at(name.unwrap_or("norm"));
            Norm::new(&at, NormKind::Power, c.hidden_size)
        });
        Self {
            attention,
            mlp,
            norms,
            altup: Alternating::new(&b.at("altup"), c, altup),
            laurel: Laurel::new(&b.at("laurel"), c.hidden_size, altup.laurel_rank),
            input: InputGate::new(b, c, layers),
        }
    }
}

impl Layer for Gemma3nLayer {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let given = c.gemma_layers.zip(c.altup.as_ref());
        Self::of(b, c, options, given.expect("a config of Gemma 3n"))
    }
}

impl WeighingBlock for Gemma3nLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn trained(shared: &mut Shared) -> Option<&mut Tensor> {
        shared.input.as_mut()
    }

    fn passed(shared: &mut Shared) -> Vec<&mut Tensor> {
        shared.passed()
    }

    /// Streams `[N, B, S, H]` to the same.
    fn forward(&self, t: &Tape, streams: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let [before_attention, after_attention, before_mlp, after_mlp] = &self.norms;
        let predictions = t.scoped("altup", None, || self.altup.predict(t, streams));
        let active = t.select(&predictions, 0);
        let x = before_attention.forward(t, &active);
        let beside = t.scoped("laurel", None, || self.laurel.forward(t, &x));
        let (attended, weights) =
            t.scoped("self_attn", None, || self.attention.forward(t, &x, shared));
        let attended = {
            let normalized = after_attention.forward(t, &attended);
            drop(attended);
            normalized
        };
        let gated = t.add(&active, &attended);
        let both = {
            let sum = t.add(&gated, &beside);
            t.div_scalar(&sum)
        };
        let y = before_mlp.forward(t, &both);
        let changed = t.scoped("mlp", None, || self.mlp.forward(t, &y));
        let normalized = after_mlp.forward(t, &changed);
        let activated = t.add(&both, &normalized);
        let corrected = t.scoped("altup", None, || {
            self.altup.correct(t, &predictions, &activated)
        });
        let first = t.clone_contiguous(&t.select(&corrected, 0));
        let first = t.scoped("altup", None, || self.altup.scaled(t, first));
        let (out, _branch) = match &shared.input {
            Some(input) => {
                let branch = self.input.branch(t, first, input);
                (t.add_to_all_but_first(corrected, &branch), branch)
            }
            None => (corrected, first),
        };
        drop((predictions, active));
        drop((x, beside, attended, weights, gated, both));
        drop((y, changed, normalized, activated));
        (out, None)
    }
}

impl Laurel {
    fn new(b: &Builder, hidden: u64, rank: u64) -> Self {
        Self {
            left: Linear::new(&b.at("linear_left"), hidden, rank, false),
            right: Linear::new(&b.at("linear_right"), rank, hidden, false),
            norm: Norm::new(&b.at("post_laurel_norm"), NormKind::Power, hidden),
        }
    }

    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let wide = {
            let narrow = self.left.forward(t, x);
            self.right.forward(t, &narrow)
        };
        let normalized = self.norm.forward(t, &wide);
        let out = t.add(x, &normalized);
        drop((wide, normalized));
        out
    }
}

impl SparseMlp {
    fn new(b: &Builder, c: &DecoderConfig, sparse: bool) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        Self {
            gate_proj: linear("gate_proj", hidden, inner),
            up_proj: linear("up_proj", hidden, inner),
            down_proj: linear("down_proj", inner, hidden),
            sparse,
        }
    }

    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let mut gate = self.gate_proj.forward(t, x);
        if self.sparse {
            gate = cut(t, &gate);
        }
        let active = t.gelu(&gate);
        let up = self.up_proj.forward(t, x);
        let product = t.mul(&active, &up);
        let out = self.down_proj.forward(t, &product);
        drop((product, gate, active, up));
        out
    }
}

/// `_gaussian_topk`: gates `[B, S, F]` less what all but a share of them are below, if they were of a
/// normal distribution.
fn cut(t: &Tape, gate: &Tensor) -> Tensor {
    let (share, multiplier) = quantile(t, gate.dtype());
    let mean = t.mean_last(gate);
    let deviation = t.std_last(gate);
    let limit = {
        let scaled = t.mul(&deviation, &multiplier);
        t.add(&mean, &scaled)
    };
    let out = {
        let rest = t.sub(gate, &limit);
        t.relu(&rest)
    };
    drop((share, multiplier, mean, deviation, limit));
    out
}

/// A share on the device, and what so large a part of a normal distribution is below:
/// `torch.distributions.Normal(0, 1).icdf(share)` in `dtype`.
fn quantile(t: &Tape, dtype: DType) -> (Tensor, Tensor) {
    let number = |op| t.empty(op, Shape::new(&[]), DType::Float32);
    let share = number("tensor");
    let steps = ["sub", "erfinv", "mul", "mul", "add"];
    // Each step goes when the next one is there.
    let last = steps
        .into_iter()
        .fold(number("mul"), |_before, op| number(op));
    let multiplier = t.to(&last, dtype);
    (share, multiplier)
}

/// Builds the model.
pub(crate) fn build_gemma3n(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Causal::<Gemma3nLayer>::new(b, spec.config(), spec, facts))
}
