//! The graph: nodes that know how to go backward, and where their gradients go.

use super::{Tape, Tensor, layout};
use crate::units::{DType, Shape, Stream};
use smallvec::SmallVec;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Gradients, one for each input of a forward operation (or each output, when they arrive).
pub(super) type Grads = SmallVec<[Option<Tensor>; 2]>;

/// A backward formula. It captures the saved tensors, which are released when the engine drops it, after it has run.
pub(super) type Backward = Box<dyn Fn(&Tape, &Grads) -> Grads>;

/// Index of a parameter in the tape's list.
pub(super) type ParameterId = u32;

/// A function that runs at some moment of a backward pass.
pub type BackwardHook = Rc<dyn Fn(&Tape)>;

/// A parameter's edge in the graph, which a wrapper replaces: modules compute with the edge it points to.
pub(super) type Redirect = Rc<RefCell<Option<Edge>>>;

/// The destination of a gradient.
#[derive(Clone)]
pub(super) enum Edge {
    /// To output `1` of a node.
    Node(Rc<Node>, u16),
    /// To a leaf's `.grad`.
    Leaf(Rc<Leaf>),
    /// To where a wrapper has put a parameter; never an edge of a node.
    Redirected(Redirect),
}

impl Edge {
    /// To an input that was made to require a gradient.
    pub(super) fn of_input(input: Tensor) -> Self {
        Self::Leaf(Rc::new(Leaf {
            input: Some(input),
            ..Leaf::default()
        }))
    }
}

/// The dtype in which a leaf takes its gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GradientDType {
    /// The leaf's own dtype.
    #[default]
    Own,
    /// A given dtype.
    Is(DType),
    /// The dtype of the incoming gradient (`grad_dtype=None`).
    Any,
}

/// A tensor that keeps its gradient: a parameter, or an input that was made to require one
/// (`AccumulateGrad`).
#[derive(Default)]
pub(super) struct Leaf {
    /// The parameter that it is, if it is one.
    pub(super) parameter: Cell<Option<ParameterId>>,
    /// The input that it is, whose storage lives as long as the graph leads to it.
    pub(super) input: Option<Tensor>,
    /// Functions that run before it takes its gradient, in the order in which they were added.
    pub(super) hooks: RefCell<Vec<BackwardHook>>,
    /// The function that runs when it has taken its gradient.
    pub(super) hook: Option<BackwardHook>,
    /// The stream on which it takes it.
    pub(super) stream: Stream,
    /// Whether it is a tensor that ranks share.
    pub(super) distributed: bool,
    /// Whether it is the weight of an `nn.Embedding`.
    pub(super) of_embedding: Cell<bool>,
    /// The dtype in which it takes gradients (`grad_dtype`).
    pub(super) gradient_dtype: Cell<GradientDType>,
    /// The gradient.
    pub(super) grad: RefCell<Option<Tensor>>,
    /// Gradients that wait for others of the same backward pass.
    pub(super) buffer: RefCell<Option<Tensor>>,
    /// Gradients still to come in the running backward pass.
    pub(super) dependencies: Cell<u32>,
    /// The backward pass that counted the dependencies.
    pub(super) pass: Cell<u32>,
}

impl Leaf {
    /// The dtype in which it, of the dtype `own`, takes a gradient that comes in another one.
    pub(super) fn taken_as(&self, own: DType, given: DType) -> DType {
        match self.gradient_dtype.get() {
            GradientDType::Own => own,
            GradientDType::Is(dtype) => dtype,
            GradientDType::Any => given,
        }
    }

    /// Counts one more gradient that will come in this pass.
    pub(super) fn expect(&self, pass: u32) {
        let before = if self.pass.replace(pass) == pass {
            self.dependencies.get()
        } else {
            0
        };
        self.dependencies.set(before + 1);
    }

    /// A gradient arrives; true when it was the last of this pass.
    pub(super) fn receive(&self, tape: &Tape, grad: Option<Tensor>) -> bool {
        if let Some(grad) = grad {
            let old = self.buffer.take();
            let sum = tape.hand_over(old, grad, self.stream, self.distributed);
            self.buffer.replace(Some(sum));
        }
        let left = self.dependencies.get().saturating_sub(1);
        self.dependencies.set(left);
        left == 0
    }

    /// `AccumulateGrad` (`torch/csrc/autograd/functions/accumulate_grad.h`, torch 2.15): the first
    /// gradient is taken over when nobody else holds it and it lies as its tensor does, or in row-major order
    /// where that has gaps, else copied; later ones are added in place. What is not taken over lives until its hook has
    /// run (`call_function` of `engine.cpp` keeps it for that): it is given back.
    pub(super) fn accumulate(&self, tape: &Tape) -> Option<Tensor> {
        for hook in self.hooks.take() {
            hook(tape);
        }
        let new = self.buffer.take()?;
        let mut grad = self.grad.borrow_mut();
        if grad.is_none() {
            let shape = *new.shape();
            let strides = match &self.input {
                Some(input) if input.is_dense() => input.strides(),
                _ => layout::contiguous(&shape),
            };
            let placed = layout::is_same(&shape, [&new.strides(), &strides]);
            let stolen = new.use_count() == 1 && placed;
            if stolen {
                *grad = Some(new.detach());
                return None;
            }
            *grad = Some(tape.empty_strided("clone", shape, strides, new.dtype()));
        }
        Some(new)
    }
}

/// Shape and dtype that a gradient must have.
pub(super) type Meta = (Shape, DType);

/// One recorded operation.
pub(super) struct Node {
    /// Order of creation; backward runs from the highest to the lowest.
    pub(super) seq: u32,
    /// Scope in which the operation ran.
    pub(super) scope: u32,
    /// Stream on which the operation ran, and on which it goes backward.
    pub(super) stream: Stream,
    /// The destination of each input's gradient.
    pub(super) edges: SmallVec<[Option<Edge>; 2]>,
    /// Shape and dtype of each input.
    pub(super) inputs: SmallVec<[Meta; 2]>,
    /// The formula with its saved tensors, until it has run.
    pub(super) backward: RefCell<Option<Backward>>,
    /// Whether its formula stays when it has run: other passes come to it that has saved nothing.
    pub(super) stays: Cell<bool>,
    /// Whether it gives tensors that ranks have together.
    pub(super) distributed: bool,
    /// Whether it is a `torch.autograd.Function`.
    pub(super) is_function: bool,
    /// Functions that run before it goes backward, in the order in which they were added.
    pub(super) hooks: RefCell<Vec<BackwardHook>>,
    /// A value that the node holds as long as it lives, released backward or not.
    pub(super) _context: Option<Rc<dyn Any>>,
    /// Gradients of outputs that wait for the others.
    pub(super) buffer: RefCell<Grads>,
    /// Gradients still to come in the running backward pass.
    pub(super) dependencies: Cell<u32>,
    /// The backward pass that counted the dependencies.
    pub(super) pass: Cell<u32>,
    /// The last pass for some gradients only that came to it.
    pub(super) needed: Cell<u32>,
    /// The last pass for the gradient of an input alone that came to it.
    pub(super) towards_input: Cell<u32>,
}

impl Node {
    /// Drops the formula of a node that has run, with its saved tensors, unless they stay.
    pub(super) fn release(&self, backward: Backward) {
        if self.stays.get() {
            self.backward.replace(Some(backward));
        }
    }

    /// Adds a gradient to the buffer of output `nr`.
    pub(super) fn receive(&self, tape: &Tape, nr: u16, grad: Tensor) {
        let nr = usize::from(nr);
        let mut buffer = self.buffer.borrow_mut();
        if buffer.len() <= nr {
            buffer.resize(nr + 1, None);
        }
        let old = buffer[nr].take();
        buffer[nr] = Some(tape.hand_over(old, grad, self.stream, self.distributed));
    }
}

/// `accumulate` of `torch/csrc/autograd/input_buffer.cpp` (torch 2.15): in place when nobody else holds the old tensor.
/// Distributed tensors never are: where one of them is whole, and the other a part, the whole one is cut first.
pub(super) fn accumulate(
    tape: &Tape,
    old: Option<Tensor>,
    new: Tensor,
    distributed: bool,
) -> Tensor {
    match old {
        None => new,
        Some(old) if !distributed && old.is_exclusive() => old,
        Some(old) if distributed && old.numel() != new.numel() => {
            let part = if old.numel() < new.numel() {
                &old
            } else {
                &new
            };
            let _cut = tape.like("clone", part);
            tape.like("add", part)
        }
        Some(old) => tape.elementwise("add", &[&old, &new], old.dtype()),
    }
}

impl Tape {
    /// Hands a gradient to the node or leaf that runs backward on `stream`, added to the gradient that is already there
    /// (`InputBuffer::add`, `torch/csrc/autograd/input_buffer.cpp`, torch 2.15). A gradient of another stream is
    /// recorded as used on `stream`.
    fn hand_over(
        &self,
        old: Option<Tensor>,
        new: Tensor,
        stream: Stream,
        distributed: bool,
    ) -> Tensor {
        self.record_stream(&new, stream);
        self.wait_stream(stream, self.stream());
        match old {
            None => new,
            old => self.on_stream(stream, || accumulate(self, old, new, distributed)),
        }
    }

    /// Whether an operation on these tensors is recorded for backward.
    pub(super) fn records(&self, inputs: &[&Tensor]) -> bool {
        self.grad_enabled.get() && inputs.iter().any(|t| t.requires_grad())
    }

    /// Puts `output` into the graph: `backward` gives the gradients of `inputs` from that of
    /// `output`. Call it only when [`Tape::records`] says so.
    pub(super) fn attach(&self, inputs: &[&Tensor], output: Tensor, backward: Backward) -> Tensor {
        let node = self.node(inputs, backward);
        output.with_edge(Edge::Node(node, 0))
    }

    pub(super) fn node(&self, inputs: &[&Tensor], backward: Backward) -> Rc<Node> {
        self.node_with(inputs, backward, None)
    }

    pub(super) fn node_with(
        &self,
        inputs: &[&Tensor],
        backward: Backward,
        context: Option<Rc<dyn Any>>,
    ) -> Rc<Node> {
        Rc::new(self.unshared_node(inputs, backward, context))
    }

    pub(super) fn unshared_node(
        &self,
        inputs: &[&Tensor],
        backward: Backward,
        context: Option<Rc<dyn Any>>,
    ) -> Node {
        let seq = self.seq.get();
        self.seq.set(seq + 1);
        Node {
            seq,
            scope: self.recorder.scope(),
            stream: self.recorder.stream(),
            edges: inputs.iter().map(|t| t.resolved_edge()).collect(),
            inputs: inputs.iter().map(|t| (*t.shape(), t.dtype())).collect(),
            backward: RefCell::new(Some(backward)),
            stays: Cell::new(false),
            distributed: self.is_distributed(),
            is_function: false,
            hooks: RefCell::default(),
            _context: context,
            buffer: RefCell::new(Grads::new()),
            dependencies: Cell::new(0),
            pass: Cell::new(0),
            needed: Cell::new(0),
            towards_input: Cell::new(0),
        }
    }
}

/// A graph is a long chain: it is taken apart in a loop, because dropping it recursively would
/// need a stack as deep as the model. The tensors that a node has saved go before the nodes that it leads to
/// (`deleteNode`, `torch/csrc/autograd/function.cpp`).
impl Drop for Node {
    fn drop(&mut self) {
        drop(self.backward.take());
        let mut edges: Vec<Edge> = self.edges.drain(..).flatten().collect();
        while let Some(edge) = edges.pop() {
            if let Edge::Node(node, _) = edge
                && let Ok(mut node) = Rc::try_unwrap(node)
            {
                edges.extend(node.edges.drain(..).flatten());
            }
        }
    }
}
