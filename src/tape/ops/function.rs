//! What every `torch.autograd.Function` has in common
//! (`torch/csrc/autograd/python_function.cpp`, torch 2.15).

use crate::tape::graph::{Backward, Edge};
use crate::tape::{Tape, Tensor};
use std::rc::Rc;

impl Tape {
    /// Whether operations are recorded.
    pub fn is_grad_enabled(&self) -> bool {
        self.grad_enabled.get()
    }

    /// Runs `forward`, whose operations are not recorded.
    pub(in crate::tape) fn unrecorded<R>(&self, forward: impl FnOnce() -> R) -> R {
        let before = self.set_grad_enabled(false);
        let result = forward();
        self.set_grad_enabled(before);
        result
    }

    /// Puts the `outputs` of a function of `inputs` into the graph. Call it only when
    /// [`Tape::records`] says so, with saved tensors that were kept after the forward.
    pub(in crate::tape) fn function<const N: usize>(
        &self,
        inputs: &[&Tensor],
        outputs: [Tensor; N],
        backward: Backward,
    ) -> [Tensor; N] {
        let backward = self.remembering_packing(backward);
        let mut node = self.unshared_node(inputs, backward, None);
        node.is_function = true;
        let node = Rc::new(node);
        let mut nr = 0;
        outputs.map(|output| {
            let edge = Edge::Node(Rc::clone(&node), nr);
            nr += 1;
            output.with_edge(edge)
        })
    }
}
