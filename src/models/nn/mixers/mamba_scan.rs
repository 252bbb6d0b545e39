//! Mamba's loop over tokens.
//!
//! Note [A loop over tokens]
//!
//! Each token's pass through the loop allocates the same as the one before and leaves a state for
//! backward. So only a few tokens are run. What all others leave is allocated beside the first
//! token's state and freed when backward has come to that token, the last.

use crate::nn::build::Facts;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Tokens that are run through the loop.
const TOKENS: u64 = 4;

/// Storages that at most stand for what the other tokens leave.
const STORAGES: u64 = 1024;

/// Bytes to which the allocator rounds.
const ROUNDING: u64 = 512;

/// Tensors that the loop leaves: the result of each token that was run, and the memory of the others'.
pub(crate) struct Scanned {
    _state: Tensor,
    outputs: Vec<Tensor>,
    _others: Vec<Tensor>,
}

impl Scanned {
    /// `torch.stack(outputs, dim=-1)` of `seq` tokens.
    pub(crate) fn stacked(&self, t: &Tape, seq: u64) -> Tensor {
        let parts: Vec<&Tensor> = self.outputs.iter().collect();
        t.stack_last(&parts, seq)
    }
}

/// The loop (Note [A loop over tokens]) from a state `[B, I, N]`: decays and increments
/// `[B, I, S, N]`, C `[B, S, N]`. Results are in `dtype`.
pub(crate) fn scan_tokens(
    t: &Tape,
    facts: Facts,
    mut state: Tensor,
    [discrete_a, delta, c]: [&Tensor; 3],
    dtype: DType,
) -> Scanned {
    let [batch, inner, seq, columns] = [0, 1, 2, 3].map(|axis| delta.dim(axis));
    // The dtype in which states are multiplied with C.
    let multiplied = t.autocast_dtype().unwrap_or(dtype);
    let index = |x: &Tensor, dims| facts.index_all(t, x, dims);
    // x[:, :, i, :]
    let of_token = |x: &Tensor| index(&t.select(&index(x, 2), 2), 1);
    let tokens = seq.min(TOKENS);
    let bytes = |n: u64, dtype: DType| (n * dtype.size()).next_multiple_of(ROUNDING);
    let others = seq - tokens;
    let mut outputs = Vec::new();
    let mut other_outputs: Vec<Tensor> = Vec::new();
    for token in 0..tokens {
        state = {
            let kept = t.mul(&of_token(discrete_a), &state);
            t.add(&kept, &of_token(delta))
        };
        if token == 0 && others > 0 {
            let elements = batch * inner * columns;
            // As many storages as there are tokens, or each for several.
            let several = others.div_ceil(STORAGES);
            let shares = || {
                let whole = usize::try_from(others / several).unwrap_or(usize::MAX);
                let rest = Some(others % several).filter(|&rest| rest > 0);
                std::iter::repeat_n(several, whole).chain(rest)
            };
            // The state, and what autocast makes of it and of C.
            let state_cast = multiplied != DType::Float32;
            let c_cast = c.dtype() != multiplied;
            let of_token = [
                Some(bytes(elements, DType::Float32)),
                state_cast.then(|| bytes(elements, multiplied)),
                c_cast.then(|| bytes(batch * columns, multiplied)),
            ];
            let left = shares().flat_map(|tokens| {
                let sizes = of_token.into_iter().flatten();
                sizes.map(move |bytes| tokens * bytes)
            });
            state = t.keeping(&state, left);
            let output = |tokens| {
                let size = tokens * bytes(batch * inner, multiplied);
                t.empty("loop", Shape::from([size]), DType::UInt8)
            };
            other_outputs = shares().map(output).collect();
        }
        let narrow = t.to(&state, dtype);
        let output = t.matmul(
            &narrow,
            &t.unsqueeze(&index(&t.select(&index(c, 1), 1), 1), 2),
        );
        outputs.push(t.select(&index(&output, 2), 2));
    }
    Scanned {
        _state: state,
        outputs,
        _others: other_outputs,
    }
}
