//! The autocast region around a forward pass, and what accelerate makes of its outputs.

use crate::nn::Output;
use crate::spec::{AutocastStyle, Precision, ResolvedSpec};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// The dtype of the autocast region, if there is one.
pub(super) fn autocast(spec: &ResolvedSpec) -> Option<DType> {
    match spec.precision {
        Precision::AmpBf16 => Some(DType::BFloat16),
        Precision::AmpFp16 => Some(DType::Float16),
        Precision::Fp32 | Precision::Bf16 | Precision::Fp16 => None,
    }
}

/// Whether the model's forward is wrapped as accelerate does it.
pub(super) fn converts_outputs(spec: &ResolvedSpec) -> bool {
    spec.autocast_style == AutocastStyle::Accelerate && autocast(spec).is_some()
}

/// `convert_outputs_to_fp32` around the model's forward (`utils/operations.py`, accelerate 1.15):
/// what the model returned is dropped when all of it has been converted.
#[allow(
    clippy::needless_pass_by_value,
    reason = "it drops what the model returned"
)]
pub(super) fn in_float32(t: &Tape, output: Output) -> Output {
    let wide = |x: &Tensor| t.to(x, DType::Float32);
    let converted = Output {
        loss: output.loss.as_ref().map(wide),
        logits: output.logits.as_ref().map(wide),
        encoded: output.encoded.as_ref().map(wide),
        beside: output.beside.iter().map(wide).collect(),
    };
    drop((t.widen_cache(), output));
    converted
}
