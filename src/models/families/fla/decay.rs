//! The decay of `GatedDeltaNet` (`fla/layers/gated_deltanet.py`).

use super::block::Tokens;
use crate::nn::build::{Builder, Linear};
use crate::nn::mixers::decay_rate;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// How fast each head forgets: at a rate of its own, for as long as each token says.
pub(crate) struct Decay {
    rates: Rates,
    a_proj: Linear,
}

/// Parameters `[A]`.
pub(crate) struct Rates {
    a_log: Tensor,
    dt_bias: Tensor,
}

impl Decay {
    pub(crate) fn rates(b: &Builder, num_heads: u64) -> Rates {
        Rates {
            a_log: b.parameter("A_log", [num_heads]),
            dt_bias: b.parameter("dt_bias", [num_heads]),
        }
    }

    pub(crate) fn new(rates: Rates, a_proj: Linear) -> Self {
        Self { rates, a_proj }
    }

    /// The delta rule with this decay, and the decay or what it is computed from.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        [q, k, v]: [&Tensor; 3],
        beta: Tensor,
        tokens: Tokens,
    ) -> (Tensor, Option<Tensor>) {
        let Rates { a_log, dt_bias } = &self.rates;
        let short = tokens.one_by_one_without_gradient(t);
        let sequences = tokens.sequences;
        if t.computes_decay_inside() {
            let g = self.a_proj.forward(t, x);
            let parameters = Some([a_log, dt_bias]);
            let o = if short {
                t.fused_recurrent_gated_delta_rule([q, k, v, &g, &beta], sequences)
            } else {
                t.chunk_gated_delta_rule([q, k, v, &g, &beta], parameters, sequences)
            };
            return (o, Some(g));
        }
        let beta = {
            let sigmoid = t.sigmoid(&beta);
            drop(beta);
            sigmoid
        };
        let rate = decay_rate(t, a_log);
        let step = {
            let sum = {
                let wide = {
                    let narrow = self.a_proj.forward(t, x);
                    t.to(&narrow, DType::Float32)
                };
                t.add(&wide, dt_bias)
            };
            t.softplus(&sum)
        };
        let g = t.mul(&rate, &step);
        drop((rate, step));
        let o = if short {
            t.fused_recurrent_gated_delta_rule([q, k, v, &g, &beta], sequences)
        } else {
            t.chunk_gated_delta_rule([q, k, v, &g, &beta], None, sequences)
        };
        (o, Some(g))
    }
}
