//! Mamba's mixer as transformers 4 writes it (`slow_forward`, `models/mamba/modeling_mamba.py`,
//! transformers 4.51 and 4.48), and flash-linear-attention (`fla/layers/mamba.py`).

use super::decay_rate::decay_rate;
use super::mamba::Mixer;
use super::mamba_scan::scan_tokens;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

impl Mixer {
    /// `[B, S, H]` to the same; with a mask, padding is zeroed.
    pub(crate) fn forward_before_5(&self, t: &Tape, x: &Tensor, masks: bool) -> Tensor {
        let dtype = x.dtype();
        let (batch, seq, inner, columns) = (x.dim(0), x.dim(1), self.inner, self.sizes.state_size);
        let all = |x: &Tensor, dims| self.facts.index_all(t, x, dims);
        let projected = t.transpose(&self.in_proj.forward(t, x), 1, 2);
        let [states, gate] = t.split(&projected, [inner; 2], 1);
        let masked = |x: Tensor| if masks { t.mul_scalar(&x) } else { x };
        let active = |x: &Tensor| {
            if self.fused {
                t.fused_swish(x)
            } else {
                t.silu(x)
            }
        };
        let states = masked(states);
        let state = t.empty("zeros", Shape::from([batch, inner, columns]), dtype);
        let states = {
            let convolved = self.conv.convolved(t, &states);
            drop(states);
            let active = active(&convolved);
            drop(convolved);
            masked(active)
        };
        let parameters = self.x_proj.forward(t, &t.transpose(&states, 1, 2));
        let rank = self.sizes.time_step_rank;
        let [time_step, b, c] =
            self.normalized(t, t.split(&parameters, [rank, columns, columns], -1));
        let dt = {
            let wide = self.dt_proj.forward(t, &time_step);
            t.transpose(&t.softplus(&wide), 1, 2)
        };
        let decay = decay_rate(t, &self.a_log);
        let last = |x: &Tensor| t.unsqueeze(&all(x, 3), 3);
        let discrete_a = {
            let decay = t.unsqueeze(&all(&t.unsqueeze(&decay, 0), 1), 2);
            let product = t.mul(&all(&decay, 1), &last(&dt));
            t.exp(&product)
        };
        let discrete_b = {
            let dt = last(&dt);
            let wide = t.to(&all(&t.unsqueeze(&all(&b, 1), 1), 2), DType::Float32);
            t.mul(&dt, &wide)
        };
        let delta = {
            let wide = t.to(&last(&states), DType::Float32);
            t.mul(&discrete_b, &wide)
        };
        let scanned = scan_tokens(t, self.facts, state, [&discrete_a, &delta, &c], dtype);
        let stacked = scanned.stacked(t, seq);
        let skipped = {
            let d = t.unsqueeze(&all(&t.unsqueeze(&self.d, 0), 1), 2);
            let product = t.mul(&states, &d);
            t.add(&stacked, &product)
        };
        drop(stacked);
        let out = {
            let active = active(&gate);
            t.mul(&skipped, &active)
        };
        drop(skipped);
        let result = self.out_proj.forward(t, &t.transpose(&out, 1, 2));
        drop((projected, gate, states, parameters, dt, decay));
        drop((discrete_a, discrete_b, delta, scanned, out));
        result
    }
}
