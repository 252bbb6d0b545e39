//! `FullyShardedDataParallel.clip_grad_norm_`
//! (`torch/distributed/fsdp/fully_sharded_data_parallel.py`, torch 2.15).

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// A number of the norm of all gradients.
fn number(t: &Tape, op: &'static str) -> Tensor {
    t.empty(op, Shape::new(&[]), DType::Float32)
}

/// The norm of all ranks' gradients: they sum the squares of their norms.
fn total_norm(t: &Tape) -> Tensor {
    let _squared = number(t, "pow");
    number(t, "pow")
}

/// Clips gradients that are on the host, where most of it happens, but for the norm of all.
pub(super) fn clip_on_host(t: &Tape) {
    let local = number(t, "to");
    drop((total_norm(t), local));
    t.synchronize_stream();
}

/// Clips gradients of shards by their common norm, taken one by one in float32.
pub(super) fn clip_grad_norm(t: &Tape, gradients: &[Tensor]) {
    const NORM: &str = "linalg_vector_norm";
    let norm = |x: &Tensor| t.reduce(NORM, x, Shape::new(&[]), DType::Float32);
    // `_get_grad_norm`.
    let local = (!gradients.is_empty()).then(|| {
        let norms: Vec<Tensor> = gradients.iter().map(norm).collect();
        let stacked = t.empty("stack", Shape::from([norms.len() as u64]), DType::Float32);
        drop(norms);
        norm(&stacked)
    });
    let total = total_norm(t);
    let coefficient = {
        let shifted = number(t, "add");
        let reciprocal = number(t, "reciprocal");
        drop(shifted);
        let coefficient = number(t, "mul");
        drop(reciprocal);
        coefficient
    };
    let clamped = number(t, "clamp");
    for gradient in gradients {
        drop(t.to(&clamped, gradient.dtype()));
    }
    drop((local, total, coefficient, clamped));
}
