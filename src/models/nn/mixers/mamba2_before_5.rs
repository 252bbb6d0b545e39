//! Mamba 2's mixer as transformers 4 writes it (`torch_forward`, `models/{mamba2,bamba}/modeling_*.py`,
//! transformers 4.51).

use super::chunk_sums::{Rates, Scanned, scan};
use super::mamba2::Mamba2Mixer;
use crate::tape::{Tape, Tensor};

impl Mamba2Mixer {
    /// `[B, S, H]` to the same.
    pub(crate) fn forward_before_5(&self, t: &Tape, x: &Tensor) -> Tensor {
        let dtype = x.dtype();
        // A single sample, or token, is taken to have no padding.
        let masks = self.padding && x.dim(0) > 1 && x.dim(1) > 1;
        let masked = |x: Tensor| if masks { t.mul_scalar(&x) } else { x };
        let given = masked(x.clone());
        let x = masked(given.clone());
        let projected = self.in_proj.forward(t, &x);
        let (inner, of_groups) = (self.inner, self.heads.groups * self.state_size);
        let widths = [inner, inner + 2 * of_groups, self.heads.count];
        let [gate, channels, time_step] = t.split(&projected, widths, -1);
        let mixed = masked(self.conv.mixed(t, channels, Tape::silu));
        let inputs = Scanned::of(t, &mixed, time_step, [inner, of_groups]);
        let rates = Rates {
            a_log: self.a_log.clone(),
            dt_bias: self.dt_bias.clone(),
            skip: self.d.clone(),
        };
        let (scanned, [before, after]) = scan(t, self.facts, self.heads, &rates, inputs);
        let normalized = match &self.norm {
            Some(norm) => t.scoped("norm", None, || norm.forward(t, &scanned, &gate)),
            None => scanned.clone(),
        };
        let out = {
            let narrow = t.to(&normalized, dtype);
            self.out_proj.forward(t, &narrow)
        };
        drop((given, x, projected, gate, mixed));
        drop((before, scanned, normalized, after));
        out
    }
}
