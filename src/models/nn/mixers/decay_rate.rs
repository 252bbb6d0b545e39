//! How fast recurrent states decay.

use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `-torch.exp(A_log.float())`: of the shape of `a_log`, in float32.
pub(crate) fn decay_rate(t: &Tape, a_log: &Tensor) -> Tensor {
    let power = {
        let wide = t.to(a_log, DType::Float32);
        t.exp(&wide)
    };
    t.neg(&power)
}
