//! The backward pass: PyTorch's engine, node by node.
//!
//! Source: `torch/csrc/autograd/engine.cpp`, torch 2.15. Nodes run by falling sequence number as
//! soon as all their gradients are there; parameters take theirs at once. A node's incoming
//! gradients are dropped after it has run, then its saved tensors, then its outgoing gradients are
//! handed on. Each runs on the stream that was current when it was made.

use super::graph::{Edge, Grads, Leaf, Node};
use super::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// A node that has all its gradients.
pub(super) struct Ready(pub(super) Rc<Node>);

impl PartialEq for Ready {
    fn eq(&self, other: &Self) -> bool {
        self.0.seq == other.0.seq
    }
}
impl Eq for Ready {}
impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ready {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.seq.cmp(&other.0.seq)
    }
}

impl Tape {
    /// `loss.backward()`: the gradient of `root` (a scalar) is one.
    pub fn backward(&self, root: &Tensor) {
        let one = self.empty("ones_like", *root.shape(), root.dtype());
        self.backward_with(&[(root, one)]);
    }

    /// `torch.autograd.backward(roots, gradients)`.
    pub(super) fn backward_with(&self, roots: &[(&Tensor, Tensor)]) {
        let edges: Vec<(Edge, &Tensor)> = (roots.iter())
            .filter_map(|(root, gradient)| Some((root.resolved_edge()?, gradient)))
            .collect();
        self.backward_from(&edges);
    }

    /// Runs backward from places in the graph.
    pub(super) fn backward_from(&self, roots: &[(Edge, &Tensor)]) {
        self.going_backward(|| {
            self.count_dependencies(roots.iter().map(|(edge, _)| edge));
            let mut ready = BinaryHeap::new();
            for (root, gradient) in roots {
                match root {
                    Edge::Node(node, nr) => {
                        node.receive(self, *nr, (*gradient).clone());
                        node.dependencies.set(node.dependencies.get() - 1);
                        if node.dependencies.get() == 0 {
                            ready.push(Ready(Rc::clone(node)));
                        }
                    }
                    Edge::Leaf(leaf) if leaf.receive(self, Some((*gradient).clone())) => {
                        drop(leaf.accumulate(self));
                    }
                    _ => {}
                }
            }
            while let Some(Ready(node)) = ready.pop() {
                self.recorder.set_scope(node.scope);
                self.on_stream(node.stream, || self.run(&node, &mut ready));
            }
        });
    }

    /// Runs what the engine runs, without gradients of its own.
    pub(super) fn going_backward<R>(&self, run: impl FnOnce() -> R) -> R {
        let grad_mode = self.set_grad_enabled(false);
        let outer = self.in_backward.replace(true);
        let scope = self.recorder.scope();
        let result = self.recomputing(false, run);
        self.recorder.set_scope(scope);
        if !outer {
            self.backward_ended();
        }
        self.in_backward.set(outer);
        self.set_grad_enabled(grad_mode);
        result
    }

    /// Counts how many gradients each node and each parameter will get in this pass.
    fn count_dependencies<'a>(&self, roots: impl Iterator<Item = &'a Edge>) {
        let pass = self.next_pass();
        let mut stack = Vec::new();
        let expect = |edge: &Edge, stack: &mut Vec<Rc<Node>>| match edge {
            Edge::Node(next, _) => {
                if next.pass.get() == pass {
                    next.dependencies.set(next.dependencies.get() + 1);
                } else {
                    next.pass.set(pass);
                    next.dependencies.set(1);
                    stack.push(Rc::clone(next));
                }
            }
            Edge::Leaf(leaf) => leaf.expect(pass),
            Edge::Redirected(_) => {}
        };
        for edge in roots {
            expect(edge, &mut stack);
        }
        while let Some(node) = stack.pop() {
            for edge in node.edges.iter().flatten() {
                expect(edge, &mut stack);
            }
        }
    }

    fn run(&self, node: &Rc<Node>, ready: &mut BinaryHeap<Ready>) {
        let mut incoming: Grads = std::mem::take(&mut *node.buffer.borrow_mut());
        for hook in node.hooks.take() {
            hook(self);
        }
        let Some(backward) = node.backward.borrow_mut().take() else {
            return;
        };
        self.on_host.running_node.set(node.seq);
        let mut outgoing = if incoming.iter().any(Option::is_some) {
            backward(self, &incoming)
        } else {
            Grads::new()
        };
        if node.is_function && self.backend.functions_release_gradients {
            incoming.clear();
        }
        let inputs = node.inputs.iter().zip(&node.edges);
        for (grad, ((shape, dtype), edge)) in outgoing.iter_mut().zip(inputs) {
            if let Some(edge) = edge
                && let Some(full) = grad.take()
            {
                let dtype = match edge {
                    Edge::Leaf(leaf) => leaf.taken_as(*dtype, full.dtype()),
                    _ => *dtype,
                };
                *grad = Some(self.validated(full, shape, dtype));
            }
        }
        self.node_has_run(node.seq);
        drop(incoming);
        node.release(backward);
        let mut outgoing = outgoing.into_iter();
        // A leaf takes its gradient only after all gradients of this node are handed on.
        let mut complete: smallvec::SmallVec<[&Leaf; 2]> = smallvec::SmallVec::new();
        // Gradients that nobody needs live until all are handed on.
        let mut unneeded = Grads::new();
        for edge in &node.edges {
            let grad = outgoing.next().flatten();
            match edge {
                None | Some(Edge::Redirected(_)) => unneeded.push(grad),
                Some(Edge::Node(next, nr)) => {
                    if let Some(grad) = grad {
                        next.receive(self, *nr, grad);
                    }
                    let left = next.dependencies.get().saturating_sub(1);
                    next.dependencies.set(left);
                    if left == 0 {
                        ready.push(Ready(Rc::clone(next)));
                    }
                }
                Some(Edge::Leaf(leaf)) => {
                    if leaf.receive(self, grad) {
                        complete.push(leaf);
                    }
                }
            }
        }
        drop(unneeded);
        for leaf in complete {
            let arrival = self.hooks.arrival.borrow().clone();
            if let (Some(hook), Some(_)) = (arrival, leaf.parameter.get()) {
                hook(self);
            }
            self.leaf_ran(leaf.stream);
            self.on_stream(leaf.stream, || {
                let given = leaf.accumulate(self);
                if let Some(hook) = &leaf.hook {
                    hook(self);
                }
                drop(given);
            });
            let hook = self.gradient_hook.borrow().clone();
            if let (Some(hook), Some(parameter)) = (hook, leaf.parameter.get()) {
                self.with_parameter(parameter, || hook(self));
            }
        }
    }

    /// `validate_outputs`: a gradient is summed to the shape of its input and cast to its dtype.
    pub(super) fn validated(&self, grad: Tensor, shape: &Shape, dtype: DType) -> Tensor {
        let grad = if grad.shape() == shape {
            grad
        } else {
            let sum = self.sum_to_size(&grad, shape);
            drop(grad);
            sum
        };
        if grad.dtype() == dtype {
            grad
        } else {
            self.cast_to("_to_copy", &grad, dtype)
        }
    }
}
