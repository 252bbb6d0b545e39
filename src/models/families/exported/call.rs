//! One call of an operation: its arguments by name.

use super::program::Program;
use crate::exported::{Argument, Node, ValueId};
use crate::nn::adapters::{Adapter, running};
use crate::nn::build::Linear;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, MAX_DIMS, Shape};

/// Results of an operation; none where it is called in a way that is not known.
pub(super) type Results = Option<Vec<Tensor>>;

/// A function that runs an operation on the tape.
pub(super) type Arm = fn(&Call) -> Results;

/// A call of an operation.
pub(super) struct Call<'a> {
    pub(super) t: &'a Tape,
    pub(super) program: &'a Program,
    pub(super) node: &'a Node,
    pub(super) values: &'a [Option<Tensor>],
    /// Dtypes that values have had in this run.
    pub(super) ran: &'a [Option<DType>],
}

/// One result.
#[allow(clippy::unnecessary_wraps, reason = "it ends arms")]
pub(super) fn one(tensor: Tensor) -> Results {
    Some(vec![tensor])
}

impl Call<'_> {
    fn value(&self, id: ValueId) -> Option<Tensor> {
        self.values.get(id as usize)?.clone()
    }

    /// The operation's name without its overload, as `add`.
    pub(super) fn name(&self) -> &str {
        self.node.operation()
    }

    /// The tensor with this name.
    pub(super) fn tensor(&self, name: &str) -> Option<Tensor> {
        match self.node.argument(name)? {
            Argument::Tensor(id) => self.value(*id),
            _ => None,
        }
    }

    /// The first argument, where it is a tensor.
    pub(super) fn x(&self) -> Option<Tensor> {
        self.value(self.x_id()?)
    }

    /// The id of the first argument.
    pub(super) fn x_id(&self) -> Option<ValueId> {
        match self.node.arguments.first()? {
            (_, Argument::Tensor(id)) => Some(*id),
            _ => None,
        }
    }

    /// The adapter of the layer whose weight is an argument.
    pub(super) fn adapter(&self) -> Option<&Adapter> {
        match self.node.argument("weight")? {
            Argument::Tensor(id) => running(self.program.adapters.get(id)?),
            _ => None,
        }
    }

    /// The quantized layer whose weight is an argument.
    pub(super) fn quantized(&self) -> Option<&Linear> {
        match self.node.argument("weight")? {
            Argument::Tensor(id) => self.program.quantized.get(id),
            _ => None,
        }
    }

    /// Whether the call has an argument with this name that is not `None`.
    pub(super) fn has(&self, name: &str) -> bool {
        !matches!(self.node.argument(name), None | Some(Argument::None))
    }

    /// A list of tensors.
    pub(super) fn tensors(&self, name: &str) -> Option<Vec<Tensor>> {
        match self.node.argument(name)? {
            Argument::Tensors(all) => all.iter().map(|id| self.value((*id)?)).collect(),
            _ => None,
        }
    }

    /// A list of tensors of which some are missing.
    pub(super) fn some_tensors(&self, name: &str) -> Option<Vec<Option<Tensor>>> {
        match self.node.argument(name)? {
            Argument::Tensors(all) => Some(all.iter().map(|id| self.value((*id)?)).collect()),
            _ => None,
        }
    }

    /// All tensors among the arguments.
    pub(super) fn all_tensors(&self) -> Vec<Tensor> {
        let each = self.node.tensors();
        each.filter_map(|id| self.value(id)).collect()
    }

    /// A whole number.
    pub(super) fn int(&self, name: &str) -> Option<i64> {
        match self.node.argument(name)? {
            Argument::Int(size) => self.program.config.number(size),
            _ => None,
        }
    }

    /// A whole number, or what it is by default.
    pub(super) fn int_or(&self, name: &str, default: i64) -> Option<i64> {
        match self.node.argument(name) {
            None | Some(Argument::None) => Some(default),
            Some(_) => self.int(name),
        }
    }

    /// Whole numbers.
    pub(super) fn ints(&self, name: &str) -> Option<Vec<i64>> {
        match self.node.argument(name)? {
            Argument::Ints(all) => all
                .iter()
                .map(|size| self.program.config.number(size))
                .collect(),
            Argument::Int(size) => Some(vec![self.program.config.number(size)?]),
            _ => None,
        }
    }

    /// Sizes of `count` dimensions, of which one may be for all; `default` where they are absent.
    pub(super) fn sizes(&self, name: &str, count: usize, default: u64) -> Option<Vec<u64>> {
        let Some(given) = self.ints(name).filter(|given| !given.is_empty()) else {
            return (!self.has(name) || self.ints(name).is_some()).then(|| vec![default; count]);
        };
        let given: Vec<u64> = given
            .iter()
            .map(|&n| u64::try_from(n).ok())
            .collect::<Option<_>>()?;
        match given[..] {
            [one] => Some(vec![one; count]),
            _ if given.len() == count => Some(given),
            _ => None,
        }
    }

    /// Yes or no.
    pub(super) fn flag(&self, name: &str, default: bool) -> Option<bool> {
        match self.node.argument(name) {
            None | Some(Argument::None) => Some(default),
            Some(Argument::Bool(flag)) => *flag,
            Some(_) => None,
        }
    }

    /// Whether it runs as in training: as the graph says, and not in an evaluation.
    pub(super) fn trains(&self, name: &str) -> Option<bool> {
        Some(self.flag(name, true)? && self.t.is_training())
    }

    /// A number, or what it is by default.
    pub(super) fn float(&self, name: &str, default: f64) -> f64 {
        match self.node.argument(name) {
            Some(Argument::Float(number)) => number.get(),
            #[expect(
                clippy::cast_precision_loss,
                reason = "it is compared with a few small numbers"
            )]
            Some(Argument::Int(size)) => self
                .program
                .config
                .number(size)
                .map_or(default, |n| n as f64),
            _ => default,
        }
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.node.argument(name)? {
            Argument::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An element type that is asked for.
    pub(super) fn dtype(&self, name: &str) -> Option<DType> {
        match self.node.argument(name)? {
            Argument::DType(dtype) => *dtype,
            _ => None,
        }
    }

    /// The dimension of x that an argument names.
    pub(super) fn axis_or(&self, x: &Tensor, name: &str, default: i64) -> Option<usize> {
        axis(x.shape().rank(), self.int_or(name, default)?)
    }

    /// The dimensions of x that an argument lists: all where it is absent or empty.
    pub(super) fn axes(&self, x: &Tensor, name: &str) -> Option<Vec<usize>> {
        let rank = x.shape().rank();
        let all = || Some((0..rank).collect());
        if !self.has(name) {
            return all();
        }
        let given = self.ints(name)?;
        if given.is_empty() {
            return all();
        }
        let mut axes: Vec<usize> = given
            .iter()
            .map(|&dim| axis(rank, dim))
            .collect::<Option<_>>()?;
        axes.sort_unstable();
        axes.dedup();
        Some(axes)
    }

    /// The dtype that a cast to float32 means under autocast, where it is another one.
    pub(super) fn cast_follows(&self) -> Option<DType> {
        self.is_narrow().then_some(())?;
        self.program
            .casts
            .target(&self.program.config.graph.body, self.ran, self.node)
    }

    /// Whether tensors that were in float32 when the graph was exported may have another dtype in this run.
    fn is_narrow(&self) -> bool {
        self.t.autocast_dtype().is_some() || self.program.is_narrowed
    }

    /// The shape of a result, as the graph says it.
    pub(super) fn result(&self, at: usize) -> Option<(Shape, DType)> {
        let id = (*self.node.outputs.get(at)?)?;
        self.program.config.tensor(id)
    }

    /// The shape of the first result.
    pub(super) fn shape(&self) -> Option<Shape> {
        let id = (*self.node.outputs.first()?)?;
        let meta = self.program.config.graph.tensor(id)?;
        self.program.config.shape(meta)
    }

    /// The dtype of a tensor that is made without others: under autocast the dtype of the tensor that it is made for,
    /// else the requested dtype, else the dtype in the graph.
    pub(super) fn made_dtype(&self) -> DType {
        let noise = self.node.outputs.first().copied().flatten();
        let made_for = noise.and_then(|id| self.program.casts.of_noise(id));
        let narrow = made_for.and_then(|x| self.ran.get(x as usize).copied().flatten());
        if let Some(dtype) = narrow.filter(|_| self.is_narrow()) {
            return dtype;
        }
        let own = self.result(0).map(|(_, dtype)| dtype);
        self.dtype("dtype").or(own).unwrap_or(DType::Float32)
    }
}

/// Dimension `dim` of `rank`, counted from the end where it is negative.
pub(super) fn axis(rank: usize, dim: i64) -> Option<usize> {
    let count = i64::try_from(rank.max(1)).ok()?;
    let at = if dim < 0 { dim + count } else { dim };
    (0..count)
        .contains(&at)
        .then(|| usize::try_from(at).ok())
        .flatten()
}

/// Whether x can have one dimension more, which the engine holds.
pub(super) fn has_room(x: &Tensor) -> bool {
    x.shape().rank() < MAX_DIMS
}
