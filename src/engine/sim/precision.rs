//! The autocast region around a forward pass, and what accelerate makes of its outputs.

use crate::ask::{AutocastStyle, Precision};
use crate::model::ResolvedSpec;
use crate::nn::Output;
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

/// The autocast region that accelerate opens whenever the model's forward is called, and whose outputs it
/// converts. `generate` calls that of the base model, which is not wrapped where adapters are around it.
pub(super) fn wrapped_in_generation(spec: &ResolvedSpec) -> Option<DType> {
    autocast(spec).filter(|_| converts_outputs(spec) && spec.lora.is_none())
}

/// `convert_outputs_to_fp32` around the model's forward (`utils/operations.py`, accelerate 1.15):
/// what the model returned, with a cache where that is made of `tuples`, is dropped when all of it has been
/// converted.
#[allow(
    clippy::needless_pass_by_value,
    reason = "it drops what the model returned"
)]
pub(super) fn in_float32(t: &Tape, output: Output, tuples: bool) -> Output {
    let converted = each(&output, |x| t.to(x, DType::Float32));
    let replaced = if tuples { t.widen_cache() } else { Vec::new() };
    drop((replaced, output));
    converted
}

/// `_DDPSink` behind the model's forward (`torch/nn/parallel/distributed.py`, torch 2.15): what the model
/// returned is dropped when all of it has been copied; copies of what needs no gradient are.
#[allow(
    clippy::needless_pass_by_value,
    reason = "it drops what the model returned"
)]
#[cold]
pub(super) fn copied(t: &Tape, output: Output) -> Output {
    let copies = each(&output, |x| t.clone_contiguous(x));
    let passed =
        |given: &Tensor, copy: &Tensor| if copy.requires_grad() { copy } else { given }.clone();
    let either = |given: &Option<Tensor>, copy: &Option<Tensor>| {
        (given.as_ref().zip(copy.as_ref())).map(|(given, copy)| passed(given, copy))
    };
    Output {
        loss: either(&output.loss, &copies.loss),
        logits: either(&output.logits, &copies.logits),
        encoded: either(&output.encoded, &copies.encoded),
        beside: (output.beside.iter().zip(&copies.beside))
            .map(|(given, copy)| passed(given, copy))
            .collect(),
    }
}

fn each(output: &Output, of: impl Fn(&Tensor) -> Tensor) -> Output {
    Output {
        loss: output.loss.as_ref().map(&of),
        logits: output.logits.as_ref().map(&of),
        encoded: output.encoded.as_ref().map(&of),
        beside: output.beside.iter().map(&of).collect(),
    }
}
