//! The gated MLP of Llama's kin.

use crate::nn::adapters;
use crate::nn::attention::dropped;
use crate::nn::build::{Builder, Linear, RmsNorm};
use crate::tape::{Tape, Tensor};

/// `down_proj(act(gate_proj(x)) * up_proj(x))`.
pub(crate) struct GatedMlp {
    gate_proj: Linear,
    up_proj: Linear,
    down_proj: Linear,
    activation: fn(&Tape, &Tensor) -> Tensor,
    /// The norm of the product.
    norm: Option<RmsNorm>,
    /// Whether the product is dropped out.
    dropout: bool,
    /// Whether Liger computes the product.
    liger: bool,
    /// Whether a kernel runs the layers with their adapters.
    with_adapters: bool,
}

impl GatedMlp {
    /// From `hidden` columns to as many, by way of `intermediate` ones.
    pub(crate) fn new(
        b: &Builder,
        hidden: u64,
        intermediate: u64,
        activation: fn(&Tape, &Tensor) -> Tensor,
    ) -> Self {
        Self::with_bias(b, hidden, intermediate, false, activation)
    }

    /// The same, each layer with a bias if `bias` says so.
    pub(crate) fn with_bias(
        b: &Builder,
        hidden: u64,
        intermediate: u64,
        bias: bool,
        activation: fn(&Tape, &Tensor) -> Tensor,
    ) -> Self {
        // Liger's module has none (`LigerSwiGLUMLP`, liger-kernel 0.8.5).
        let bias = bias && !b.liger_gates();
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, bias);
        Self {
            gate_proj: linear("gate_proj", hidden, intermediate),
            up_proj: linear("up_proj", hidden, intermediate),
            down_proj: linear("down_proj", intermediate, hidden),
            activation,
            norm: None,
            dropout: false,
            liger: b.liger_gates(),
            with_adapters: b.runs_adapters_of_mlp(),
        }
    }

    /// A gated MLP without biases and by other `names`.
    pub(crate) fn named(
        b: &Builder,
        [hidden, intermediate]: [u64; 2],
        [gate, up, down]: [&'static str; 3],
    ) -> Self {
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        Self {
            gate_proj: linear(gate, hidden, intermediate),
            up_proj: linear(up, hidden, intermediate),
            down_proj: linear(down, intermediate, hidden),
            activation: Tape::silu,
            norm: None,
            dropout: false,
            liger: b.liger_gates(),
            with_adapters: false,
        }
    }

    /// Adds a `norm` of the product, if there is one.
    pub(crate) fn normalized(self, norm: Option<RmsNorm>) -> Self {
        Self { norm, ..self }
    }

    /// The same, whose product is dropped out if `dropout` says so.
    pub(crate) fn dropped(self, dropout: bool) -> Self {
        Self { dropout, ..self }
    }

    /// Mixtral's of transformers 4 (`MixtralBlockSparseTop2MLP`), whose layers are numbered: from the
    /// first of `sizes` columns to as many, by way of the second.
    pub(crate) fn numbered(
        b: &Builder,
        [hidden, intermediate]: [u64; 2],
        activation: fn(&Tape, &Tensor) -> Tensor,
    ) -> Self {
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let gate_proj = linear("w1", hidden, intermediate);
        let down_proj = linear("w2", intermediate, hidden);
        Self {
            gate_proj,
            up_proj: linear("w3", hidden, intermediate),
            down_proj,
            activation,
            norm: None,
            dropout: false,
            liger: b.liger_gates(),
            with_adapters: false,
        }
    }

    /// `FalconH1MLP`: the gate and the result are multiplied by numbers.
    pub(crate) fn forward_multiplied(&self, t: &Tape, x: &Tensor) -> Tensor {
        let product = {
            let up = self.up_proj.forward(t, x);
            let active = {
                let gate = {
                    let gate = self.gate_proj.forward(t, x);
                    t.mul_scalar(&gate)
                };
                (self.activation)(t, &gate)
            };
            t.mul(&up, &active)
        };
        let out = self.down_proj.forward(t, &product);
        drop(product);
        t.mul_scalar(&out)
    }

    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        if self.with_adapters && self.norm.is_none() && !self.dropout {
            let layers = [&self.gate_proj, &self.up_proj, &self.down_proj];
            if let Some(out) = adapters::gated_mlp(t, x, layers) {
                return out;
            }
        }
        let product = if self.liger {
            let gate = self.gate_proj.forward(t, x);
            let up = self.up_proj.forward(t, x);
            t.liger_gated(&gate, &up)
        } else {
            let gate = {
                let gate = self.gate_proj.forward(t, x);
                t.with_own("act_fn", [], &gate, |gate| (self.activation)(t, gate))
            };
            let up = self.up_proj.forward(t, x);
            t.mul(&gate, &up)
        };
        let product = match &self.norm {
            Some(norm) => {
                let normalized = norm.forward(t, &product);
                drop(product);
                normalized
            }
            None => product,
        };
        let product = dropped(t, product, self.dropout);
        self.down_proj.forward(t, &product)
    }
}
