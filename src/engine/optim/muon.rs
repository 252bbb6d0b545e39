//! `torch.optim.Muon` (torch 2.15) over the matrices of hidden layers, and `torch.optim.AdamW` over
//! everything else, as PyTorch's documentation says to use it.

use super::state::{Optimizer, for_each_gradient, state_at, state_like, temporary};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `ns_steps`' default: iterations of Newton and Schulz.
const ITERATIONS: usize = 5;
/// Parts of module names whose matrices are not hidden: embeddings and heads.
const NOT_HIDDEN: [&str; 2] = ["embed", "lm_head"];

impl Optimizer {
    /// Muon's state: the momentum buffer. Its temporaries are in bfloat16, whatever the weights'
    /// dtype: the orthogonalised gradient and its Gram matrix.
    pub(super) fn muon(&mut self, t: &Tape) {
        let is_hidden = |parameter: &Tensor| {
            let scope = t.scope_path(t.scope_of(parameter));
            let named = NOT_HIDDEN.iter().any(|part| scope.contains(part));
            parameter.shape().rank() == 2 && !named
        };
        let states = &mut self.states;
        for_each_gradient(t, |i, parameter, grad| {
            let state = state_at(states, i);
            if is_hidden(parameter) && state.is_empty() {
                state.push(state_like(t, "zeros_like", grad));
            }
        });
        let mut update = None;
        for_each_gradient(t, |_, parameter, grad| {
            if is_hidden(parameter) {
                update = Some(temporary(t, "lerp", grad));
                update = Some(orthogonal(t, grad));
            }
        });
        drop(update);
        for_each_gradient(t, |i, parameter, _| {
            if !is_hidden(parameter) && states[i].is_empty() {
                states[i].extend((0..2).map(|_| state_like(t, "zeros_like", parameter)));
            }
        });
        let mut roots = Vec::new();
        for_each_gradient(t, |_, parameter, _| {
            if !is_hidden(parameter) {
                roots.push(temporary(t, "_foreach_sqrt", parameter));
            }
        });
        drop(roots);
    }
}

/// `_zeropower_via_newtonschulz`: works on the matrix or its transpose, whichever is wider.
fn orthogonal(t: &Tape, grad: &Tensor) -> Tensor {
    let (n, m) = (grad.dim(0), grad.dim(1));
    let shape = Shape::from([n.min(m), n.max(m)]);
    let mut update = t.empty("_to_copy", shape, DType::BFloat16);
    let norm = t.reduce(
        "linalg_vector_norm",
        &update,
        Shape::new(&[]),
        update.dtype(),
    );
    let clamped = temporary(t, "clamp", &norm);
    drop((norm, clamped));
    let (mut held_gram, mut held_update) = (None, None);
    for iteration in 0..ITERATIONS {
        let gram = t.mm(&update, &t.t(&update));
        drop(held_gram.replace(gram.clone()));
        let gram_update = t.addmm(&gram, &gram, &gram);
        drop(held_update.replace(gram_update.clone()));
        update = if iteration == 0 && n > m {
            // cuBLASLt adds no transposed matrix; cuBLAS takes its own workspace.
            t.mm(&gram_update, &update)
        } else {
            t.addmm(&update, &gram_update, &update)
        };
    }
    drop((held_gram, held_update));
    update
}
