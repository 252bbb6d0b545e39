//! One stage on a rank (`PipelineStage`): the tensors that it holds of the micro-batches under way.

use super::action::{Action, Computation};
use super::call::Call;
use crate::tape::{Category, GradientEdge, ParameterGroup, Tape, Tensor};
use crate::units::{DType, Shape};
use std::collections::BTreeMap;

/// Tensors of a micro-batch that a stage keeps between forward and backward (`_ForwardChunkState`).
struct Chunk {
    /// The beginning of backward; of the last stage that is its loss.
    root: Option<GradientEdge>,
    /// Its input.
    input: Tensor,
    /// Its output, until that is sent.
    output: Option<Tensor>,
    sending: bool,
}

/// Tensors that it keeps between the two parts of a backward pass (`backward_state`).
struct Halfway {
    input: Tensor,
    groups: Vec<ParameterGroup>,
    root: Option<GradientEdge>,
    gradient: Option<Tensor>,
    /// Its output, if it was not sent before.
    output: Option<Tensor>,
}

/// A stage. Everything is by micro-batch.
pub(super) struct Stage {
    /// Its place in the pipeline.
    pub(super) index: u64,
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    /// Its parameters that are trained.
    parameters: Vec<Tensor>,
    /// Shape and dtype of the tensors that stages send.
    boundary: (Shape, DType),
    chunks: BTreeMap<u64, Chunk>,
    /// Inputs that were received, or are being received (`args_recv_info`).
    received: BTreeMap<u64, Tensor>,
    /// Gradients of its outputs (`grad_recv_info`).
    received_gradients: BTreeMap<u64, Tensor>,
    /// Gradients of its inputs (`bwd_cache`).
    gradients: BTreeMap<u64, Option<Tensor>>,
    halfway: BTreeMap<u64, Halfway>,
    /// Outputs of the last stage, where the caller wants them.
    pub(super) outputs: Vec<Tensor>,
    /// Whether outputs are views of tensors that ranks share, which cannot leave the graph in place.
    gives_views: bool,
}

impl Stage {
    /// The stage `index` of `stages`, with its parameters.
    pub(super) fn new(
        index: u64,
        stages: u64,
        parameters: Vec<Tensor>,
        (boundary, gives_views): ((Shape, DType), bool),
    ) -> Self {
        Self {
            index,
            is_first: index == 0,
            is_last: index + 1 == stages,
            parameters,
            boundary,
            chunks: BTreeMap::new(),
            received: BTreeMap::new(),
            received_gradients: BTreeMap::new(),
            gradients: BTreeMap::new(),
            halfway: BTreeMap::new(),
            outputs: Vec::new(),
            gives_views,
        }
    }

    /// Drops the rest of a step when the next one begins (`clear_runtime_states`).
    pub(super) fn clear(&mut self) {
        self.outputs.clear();
    }

    /// A receive buffer (`_RecvInfo.allocate_buffer`).
    fn buffer(&self, t: &Tape) -> Tensor {
        let (shape, dtype) = self.boundary;
        t.allocate("empty_strided", shape, dtype, Category::Communication)
    }

    /// Posts the receive of an input (`get_fwd_recv_ops`); returns the receive buffer.
    pub(super) fn receive(&mut self, t: &Tape, micro_batch: u64) -> Option<Tensor> {
        let buffer = (!self.is_first).then(|| self.buffer(t))?;
        self.received.insert(micro_batch, buffer.clone());
        Some(buffer)
    }

    /// Posts the receive of a gradient (`get_bwd_recv_ops`).
    pub(super) fn receive_gradient(&mut self, t: &Tape, micro_batch: u64) -> Option<Tensor> {
        let buffer = (!self.is_last).then(|| self.buffer(t))?;
        self.received_gradients.insert(micro_batch, buffer.clone());
        Some(buffer)
    }

    /// `set_local_fwd_input`: takes the output of a stage of the same rank as the input.
    pub(super) fn take_input(&mut self, output: &Tensor, micro_batch: u64) {
        self.received.insert(micro_batch, output.detach());
    }

    /// `set_local_bwd_input`.
    pub(super) fn take_gradient(&mut self, gradient: Option<Tensor>, micro_batch: u64) {
        if let Some(gradient) = gradient {
            self.received_gradients.insert(micro_batch, gradient);
        }
    }

    /// `forward_one_chunk`.
    pub(super) fn forward(&mut self, call: &Call, micro_batch: u64) -> Option<Tensor> {
        let t = call.tape;
        call.begin(Action::new(self.index, Computation::Forward, micro_batch));
        let input = if self.is_first {
            call.ids(micro_batch)?
        } else {
            t.input_leaf(&self.received.remove(&micro_batch)?)
        };
        let output = call.model.forward(t, self.index, &input);
        if self.is_last && call.returns_outputs {
            self.outputs.push(output.clone());
        }
        let root = (!self.is_last).then(|| t.gradient_edge(&output)).flatten();
        let chunk = Chunk {
            root,
            input,
            output: Some(output.clone()),
            sending: false,
        };
        self.chunks.insert(micro_batch, chunk);
        Some(output)
    }

    /// The output of a forward pass to be sent (`get_fwd_send_ops`), if another stage reads it.
    pub(super) fn send(&mut self, t: &Tape, micro_batch: u64) -> Option<Tensor> {
        if self.is_last {
            return None;
        }
        let chunk = self.chunks.get_mut(&micro_batch)?;
        chunk.sending = true;
        let output = chunk.output.as_ref().map(Tensor::detach)?;
        t.sends(output.nbytes());
        Some(output)
    }

    /// The send is done (`release_fwd_send_outputs`).
    pub(super) fn sent(&mut self, micro_batch: u64) {
        if let Some(chunk) = self.chunks.get_mut(&micro_batch)
            && std::mem::take(&mut chunk.sending)
        {
            chunk.output = None;
        }
    }

    /// The gradient of an input that is sent (`get_bwd_send_ops`).
    pub(super) fn send_gradient(&mut self, t: &Tape, micro_batch: u64) -> Option<Tensor> {
        let gradient = self.gradient(micro_batch)?;
        t.sends(gradient.nbytes());
        Some(gradient)
    }

    /// The gradient of an input (`bwd_cache.pop`), which is sent or handed to a stage of the same rank.
    pub(super) fn gradient(&mut self, micro_batch: u64) -> Option<Tensor> {
        self.gradients.remove(&micro_batch).flatten()
    }

    /// Computes the loss of the stage's output, if it is the last stage.
    pub(super) fn compute_loss(&self, call: &mut Call, output: Option<&Tensor>, micro_batch: u64) {
        if self.is_last {
            call.compute_loss(output, micro_batch);
        }
    }

    /// `backward_one_chunk`, of which `full` says whether it gives gradients of weights, too.
    pub(super) fn backward(&mut self, call: &mut Call, micro_batch: u64, full: bool) {
        let mut losses = std::mem::take(&mut call.losses);
        let place = usize::try_from(micro_batch).unwrap_or(usize::MAX);
        let loss = losses.get_mut(place).filter(|_| self.is_last);
        self.backward_from(call, micro_batch, loss, full);
        call.losses = losses;
    }

    /// The same; `loss` is the last stage's.
    fn backward_from(
        &mut self,
        call: &Call,
        micro_batch: u64,
        loss: Option<&mut Tensor>,
        full: bool,
    ) {
        let t = call.tape;
        let computation = if full {
            Computation::FullBackward
        } else {
            Computation::BackwardInput
        };
        call.begin(Action::new(self.index, computation, micro_batch));
        let Some(chunk) = self.chunks.remove(&micro_batch) else {
            return;
        };
        let gradient = if self.is_last {
            loss.as_ref()
                .map(|loss| t.empty("ones_like", *loss.shape(), loss.dtype()))
        } else {
            self.received_gradients.remove(&micro_batch)
        };
        let root = match &loss {
            Some(loss) if self.is_last => t.gradient_edge(loss),
            _ => chunk.root,
        };
        let halfway = Halfway {
            input: chunk.input,
            groups: Vec::new(),
            root,
            gradient,
            output: chunk.output.clone().filter(|_| !self.is_last),
        };
        let (of_input, halfway) = if full {
            (full_backward(t, &halfway), None)
        } else if self.is_first {
            // Its weights' gradients come by a whole backward pass later.
            (None, Some(halfway))
        } else {
            let (of_input, halfway) = self.backward_of_input(t, halfway);
            if let Some(loss) = loss {
                *loss = loss.detach();
            }
            (of_input, Some(halfway))
        };
        if let Some(halfway) = halfway {
            self.halfway.insert(micro_batch, halfway);
        }
        self.gradients.insert(micro_batch, of_input);
        // Its output leaves the graph.
        if let Some(output) = usize::try_from(micro_batch)
            .ok()
            .and_then(|place| self.outputs.get_mut(place))
            .filter(|_| !self.gives_views)
        {
            *output = output.detach();
        }
    }

    /// `stage_backward_input`.
    fn backward_of_input(&self, t: &Tape, halfway: Halfway) -> (Option<Tensor>, Halfway) {
        let (of_input, groups) = match (&halfway.root, &halfway.gradient) {
            (Some(root), Some(gradient)) => {
                t.backward_of_input(root, gradient, &halfway.input, &self.parameters)
            }
            _ => (None, Vec::new()),
        };
        halfway.input.set_gradient(of_input.clone());
        let kept = Halfway {
            groups,
            root: None,
            gradient: halfway.gradient.filter(|_| !self.is_last),
            output: halfway.output.as_ref().map(Tensor::detach),
            ..halfway
        };
        (of_input, kept)
    }

    /// `backward_weight_one_chunk`.
    pub(super) fn backward_of_weights(&mut self, call: &Call, micro_batch: u64) {
        let computation = Computation::BackwardWeight;
        call.begin(Action::new(self.index, computation, micro_batch));
        let Some(mut halfway) = self.halfway.remove(&micro_batch) else {
            return;
        };
        if self.is_first {
            full_backward(call.tape, &halfway);
        } else {
            let groups = std::mem::take(&mut halfway.groups);
            call.tape.backward_of_parameters(groups);
        }
    }

    /// The outputs of all micro-batches joined (`merge_chunks`).
    pub(super) fn merged(&self, t: &Tape) -> Option<Tensor> {
        let parts: Vec<&Tensor> = self.outputs.iter().collect();
        let merged = (!parts.is_empty()).then(|| t.cat(&parts, 0))?;
        merged.set_category(Category::Logits);
        Some(merged)
    }
}

/// `stage_backward`: all gradients, of which that of the input is given.
fn full_backward(t: &Tape, halfway: &Halfway) -> Option<Tensor> {
    if let (Some(root), Some(gradient)) = (&halfway.root, &halfway.gradient) {
        t.backward_from_edge(root, gradient);
    }
    halfway.input.take_gradient()
}
