//! The stand-in for an operation that is not known.

use crate::tape::graph::{Edge, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

impl Tape {
    /// Results of these shapes of an operation that saves its inputs and gives each of them a gradient.
    pub fn unknown(&self, inputs: &[&Tensor], results: &[(Shape, DType)]) -> Vec<Tensor> {
        const OP: &str = "unknown";
        let made = |&(shape, dtype): &(Shape, DType)| self.empty(OP, shape, dtype);
        let all: Vec<Tensor> = results.iter().map(made).collect();
        if !self.records(inputs) {
            return all;
        }
        let saved: Vec<_> = inputs
            .iter()
            .map(|x| (self.save(x), x.requires_grad()))
            .collect();
        let node = self.node(
            inputs,
            Box::new(move |t, g| {
                if g.iter().all(Option::is_none) {
                    return Grads::new();
                }
                let each = saved.iter().map(|(saved, needed)| {
                    let x = saved.unpack(t);
                    needed.then(|| t.empty(OP, *x.shape(), x.dtype()))
                });
                each.collect()
            }),
        );
        let mut nr = 0;
        let attached = all.into_iter().map(|x| {
            let edge = Edge::Node(Rc::clone(&node), nr);
            nr += 1;
            if x.dtype().is_float() {
                x.with_edge(edge)
            } else {
                x
            }
        });
        attached.collect()
    }
}
