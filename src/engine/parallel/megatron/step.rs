//! Passes of a schedule over a micro-batch (`forward_step`, `backward_step`), and the tensors held for it.

use super::schedule::{ChunkPass, MegatronChunks, MegatronSchedule};
use crate::tape::{Category, GradientEdge, Tape, Tensor};
use crate::units::Shape;

/// An input that was received: a leaf, which keeps its gradient as long as it lives.
#[derive(Clone)]
pub(super) struct Received(Tensor);

impl Received {
    /// The gradient, once backward has run.
    pub(super) fn gradient(&self) -> Option<Tensor> {
        self.0.gradient()
    }
}

/// The output of a chunk: its place in the graph, and the tensor until it is emptied.
pub(super) struct Sent {
    edge: Option<GradientEdge>,
    tensor: Option<Tensor>,
    is_loss: bool,
}

impl Sent {
    /// The tensor, for who holds it until backward has run.
    pub(super) fn held(&self) -> Option<Tensor> {
        self.tensor.clone()
    }
}

/// A step that is going on.
pub(super) struct Call<'a> {
    pub(super) tape: &'a Tape,
    pub(super) chunks: &'a dyn MegatronChunks,
    pub(super) schedule: MegatronSchedule,
}

impl Call<'_> {
    /// An input that is received.
    pub(super) fn receive(&self) -> Received {
        Received(self.tape.input_leaf(&self.receive_gradient()))
    }

    /// Receives a gradient (`_communicate`).
    pub(super) fn receive_gradient(&self) -> Tensor {
        let (shape, dtype) = self.schedule.boundary;
        (self.tape).allocate("empty", shape, dtype, Category::Communication)
    }

    /// Sends a tensor of the shape that passes between stages.
    fn sends(&self) {
        let (shape, dtype) = self.schedule.boundary;
        self.tape.sends(shape.numel() * dtype.size());
    }

    /// Whether a chunk is the pipeline's last.
    pub(super) fn gives_loss(&self, chunk: usize) -> bool {
        self.schedule.is_last() && chunk as u64 + 1 == self.schedule.chunks
    }

    /// Whether a chunk is the pipeline's first.
    pub(super) fn reads_ids(&self, chunk: usize) -> bool {
        self.schedule.is_first() && chunk == 0
    }

    /// `forward_step`.
    pub(super) fn forward(
        &self,
        (chunk, micro_batch): (usize, u64),
        input: Option<&Received>,
    ) -> Sent {
        self.chunks.begins(
            self.tape,
            ChunkPass {
                chunk,
                micro_batch,
                is_forward: true,
            },
        );
        let input = input.map(|input| &input.0);
        let tensor = self.chunks.forward(self.tape, chunk, input);
        if self.schedule.ranks > 1 && !self.gives_loss(chunk) {
            self.sends();
        }
        Sent {
            edge: tensor.as_ref().and_then(|x| self.tape.gradient_edge(x)),
            tensor,
            is_loss: self.gives_loss(chunk),
        }
    }

    /// `backward_step`, which returns the scaled loss that backward began with, if it did. The scaled loss replaces the
    /// loss in the chunk's output.
    pub(super) fn backward(
        &self,
        (chunk, micro_batch): (usize, u64),
        output: &mut Sent,
        gradient: Option<&Tensor>,
    ) -> Option<Tensor> {
        self.chunks.begins(
            self.tape,
            ChunkPass {
                chunk,
                micro_batch,
                is_forward: false,
            },
        );
        let t = self.tape;
        if self.schedule.ranks > 1 && !self.reads_ids(chunk) {
            self.sends();
        }
        if let Some(loss) = output.tensor.take_if(|_| output.is_loss) {
            let scaled = self.chunks.scaled(t, &loss);
            drop(loss);
            t.backward(&scaled);
            return Some(scaled);
        }
        if let (Some(edge), Some(gradient)) = (&output.edge, gradient) {
            t.backward_from_edge(edge, &gradient.detach());
        }
        None
    }

    /// `deallocate_output_tensor`.
    pub(super) fn deallocate(&self, output: &mut Sent) {
        if !output.is_loss {
            let (_, dtype) = self.schedule.boundary;
            let empty = self.tape.empty("empty", Shape::from([1]), dtype);
            output.tensor = Some(empty);
        }
    }
}
