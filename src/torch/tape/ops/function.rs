//! The common parts of all `torch.autograd.Function`s (`torch/csrc/autograd/python_function.cpp`, torch 2.15).

use crate::tape::graph::{Backward, Edge, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use std::any::Any;
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

    /// `F.linear` as DeepSpeed replaces it under `ZeRO`-3 (`LinearFunctionForZeroStage3`,
    /// `deepspeed/runtime/zero/linear.py`, 0.19.8): it saves the weight itself, which can go and come back.
    pub(in crate::tape) fn linear_function(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
    ) -> Tensor {
        let inputs: Vec<&Tensor> = [x, weight].into_iter().chain(bias).collect();
        let records = self.records(&inputs);
        let fused = bias.filter(|_| x.shape().rank() == 2);
        let out = self.unrecorded(|| match fused {
            Some(_) => self.plain_linear(x, weight, bias),
            None => self.matmul(x, &self.t(weight)),
        });
        if !records {
            return out;
        }
        let (saved_x, saved_weight) = (self.save(x), self.save(weight));
        let _saved_bias = bias.map(|bias| self.save(bias));
        let needs: Vec<bool> = inputs.iter().map(|input| input.requires_grad()).collect();
        let columns = weight.dim(0);
        let backward: Backward = Box::new(move |t, gradients| {
            let Some(g) = gradients.first().and_then(Option::as_ref) else {
                return Grads::new();
            };
            let (x, weight) = (saved_x.unpack(t), saved_weight.unpack(t));
            let mut given = Grads::new();
            given.push((needs[0] && t.asks(0)).then(|| t.matmul(g, &weight)));
            given.push((needs[1] && t.asks(1)).then(|| {
                let rows = t.reshape(g, [g.numel() / columns.max(1), columns]);
                let width = x.dim(-1);
                let flat = t.reshape(&x, [x.numel() / width.max(1), width]);
                t.matmul(&t.t(&rows), &flat)
            }));
            if let Some(&true) = needs.get(2) {
                given.push(Some(t.reduce("sum", g, Shape::from([columns]), g.dtype())));
            }
            given
        });
        let [out] = self.function(&inputs, [out], backward);
        out
    }

    /// Puts the `outputs` of a function of `inputs` into the graph. Call it only when
    /// [`Tape::records`] says so, with saved tensors that were kept after the forward.
    pub(in crate::tape) fn function<const N: usize>(
        &self,
        inputs: &[&Tensor],
        outputs: [Tensor; N],
        backward: Backward,
    ) -> [Tensor; N] {
        self.function_with(inputs, outputs, backward, None)
    }

    /// As [`Self::function`], for a function whose `context` lives as long as the graph leads to the function, even
    /// after its saved tensors are released.
    pub(in crate::tape) fn function_with<const N: usize>(
        &self,
        inputs: &[&Tensor],
        outputs: [Tensor; N],
        backward: Backward,
        context: Option<Rc<dyn Any>>,
    ) -> [Tensor; N] {
        let backward = self.remembering_packing(backward);
        let mut node = self.unshared_node(inputs, backward, context);
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
