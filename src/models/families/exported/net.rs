//! A graph as a model: what it holds, what goes in, and the loss.

use super::casts::Casts;
use super::gaps::Gap;
use super::lifetimes::Lifetimes;
use super::run::Running;
use crate::ask::{Loss, Precision};
use crate::exported::{InputKind, ValueId};
use crate::families::network::{Batch, GraphModel, Net};
use crate::model::{ExportedConfig, ResolvedSpec};
use crate::nn::build::{Builder, Facts, Output};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A graph with its parameters.
pub(super) struct GraphNet {
    config: ExportedConfig,
    loss: Loss,
    /// The dtype that float32 becomes where the whole model is cast.
    cast: Option<DType>,
    /// Whether autocast is around it.
    autocasts: bool,
    held: Vec<(ValueId, Tensor)>,
    lifetimes: Lifetimes,
    casts: Casts,
    gaps: RefCell<Vec<Gap>>,
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, _: Facts) -> Net {
    let t = b.plan.tape;
    let count = |elements| b.count(elements);
    Net::Graph(Box::new(GraphNet::new(t, spec, &count)))
}

/// The dtype that tensors in float32 become where weights are cast.
fn cast(spec: &ResolvedSpec) -> Option<DType> {
    match spec.precision {
        Precision::Bf16 => Some(DType::BFloat16),
        Precision::Fp16 => Some(DType::Float16),
        Precision::Fp32 | Precision::AmpBf16 | Precision::AmpFp16 => None,
    }
}

impl GraphNet {
    fn new(t: &Tape, spec: &ResolvedSpec, count: &dyn Fn(u64)) -> Self {
        let config: &ExportedConfig = spec.config();
        let mut net = Self {
            config: config.clone(),
            loss: spec.loss,
            cast: cast(spec),
            autocasts: spec.precision.autocasts(),
            held: Vec::new(),
            lifetimes: Lifetimes::of(&config.graph.body),
            casts: Casts::of(&config.graph.body),
            gaps: RefCell::default(),
        };
        net.hold(t, spec, count);
        net
    }

    /// A graph's model, if the spec's model is one.
    pub(super) fn dry(t: &Tape, spec: &ResolvedSpec) -> Option<Self> {
        let graph = matches!(spec.architecture, crate::model::Architecture::Exported(_));
        graph.then(|| Self::new(t, spec, &|_| ()))
    }

    /// Operations that were not known in the passes so far.
    pub(super) fn take_gaps(&self) -> Vec<Gap> {
        self.gaps.take()
    }

    /// The shape and the dtype of a value as the run has it: weights and inputs may be cast.
    fn as_run(&self, id: ValueId) -> Option<(Shape, DType)> {
        let (shape, dtype) = self.config.tensor(id)?;
        let cast = self.cast.filter(|_| dtype == DType::Float32);
        Some((shape, cast.unwrap_or(dtype)))
    }

    /// Allocates parameters and buffers.
    fn hold(&mut self, t: &Tape, spec: &ResolvedSpec, count: &dyn Fn(u64)) {
        let graph = self.config.graph.clone();
        let mut made: BTreeMap<usize, Tensor> = BTreeMap::new();
        for (at, input) in graph.inputs.iter().enumerate() {
            let Some((shape, dtype)) = self.as_run(input.value) else {
                continue;
            };
            let tensor = match &input.kind {
                InputKind::Parameter { path, tied_to } => {
                    let tied = tied_to.and_then(|first| made.get(&first).cloned());
                    let tensor = tied.unwrap_or_else(|| {
                        count(shape.numel());
                        let frozen = spec.frozen.iter().any(|part| path.contains(part.as_str()));
                        let leaf = graph.tensor(input.value);
                        if leaf.is_some_and(|leaf| leaf.requires_grad) && !frozen {
                            t.parameter(shape, dtype)
                        } else {
                            t.frozen_parameter("parameter", shape, dtype)
                        }
                    });
                    made.insert(at, tensor.clone());
                    tensor
                }
                InputKind::Buffer { .. } => t.buffer("buffer", shape, dtype),
                InputKind::Constant => {
                    t.without_memory(|| t.allocate("constant", shape, dtype, Category::Buffers))
                }
                InputKind::User | InputKind::Fixed => continue,
            };
            self.held.push((input.value, tensor));
        }
    }

    /// The shape and the dtype of the target, which follow from the graph's first result.
    fn target(&self) -> Option<(Shape, DType)> {
        let out = self.config.graph.body.outputs.iter().flatten().next()?;
        let (shape, dtype) = self.as_run(*out)?;
        match self.loss {
            Loss::CrossEntropy => {
                let dims = shape.dims();
                let (samples, rest) = dims.split_first()?;
                let rest = rest.get(1..).unwrap_or_default();
                Some((Shape::new(&[&[*samples], rest].concat()), DType::Int64))
            }
            Loss::Mse if self.autocasts => Some((shape, DType::Float32)),
            Loss::Mse => Some((shape, dtype)),
            _ => None,
        }
    }
}

impl GraphModel for GraphNet {
    /// Copies one micro-batch to the device, and its target where the loss needs one.
    fn fetch(&self, t: &Tape) -> Batch {
        let made = |shape, dtype| t.allocate("zeros", shape, dtype, Category::Inputs);
        let users = self.config.graph.inputs.iter();
        let users = users.filter(|input| input.kind == InputKind::User);
        let mut all: Vec<Tensor> = users
            .map(|input| {
                let (shape, dtype) = self
                    .as_run(input.value)
                    .unwrap_or((Shape::from([0]), DType::Int64));
                made(shape, dtype)
            })
            .collect();
        let targets = self.target().map(|(shape, dtype)| made(shape, dtype));
        let first = if all.is_empty() {
            t.without_memory(|| made(Shape::from([0]), DType::Int64))
        } else {
            all.remove(0)
        };
        Batch {
            beside: all,
            targets,
            ..Batch::of(first)
        }
    }

    /// Runs the graph.
    fn forward(&self, t: &Tape, batch: &Batch) -> Output {
        let graph = &self.config.graph;
        let mut running = Running {
            t,
            config: &self.config,
            scopes: &[],
            values: vec![None; graph.values.len()],
            casts: &self.casts,
            ran: vec![None; graph.values.len()],
            gaps: &self.gaps,
        };
        for (id, tensor) in &self.held {
            running.put(*id, Some(tensor.clone()));
        }
        let users = graph
            .inputs
            .iter()
            .filter(|input| input.kind == InputKind::User);
        let given = std::iter::once(&batch.input).chain(&batch.beside);
        for (input, tensor) in users.zip(given) {
            running.put(input.value, Some(tensor.clone()));
        }
        let outputs = running.body(&graph.body, &self.lifetimes);
        drop(running);
        let mut outputs = outputs.into_iter().flatten();
        let first = outputs.next();
        let beside = outputs.collect();
        match self.loss {
            Loss::Own => Output {
                loss: first,
                beside,
                ..Output::default()
            },
            _ => Output {
                logits: first,
                beside,
                ..Output::default()
            },
        }
    }

    /// The loss that the training loop computes of what the graph gave.
    fn loss(&self, t: &Tape, batch: &Batch, output: &Output) -> Option<Tensor> {
        let first = output.logits.as_ref()?;
        let target = batch.targets.as_ref();
        match self.loss {
            Loss::CrossEntropy => Some(t.cross_entropy(first, target?)),
            Loss::Mse => Some(t.mse_loss(first, target?)),
            _ => {
                let all = std::iter::once(first).chain(&output.beside);
                let mut floats = all.filter(|x| x.dtype().is_float());
                let first = t.add_scalar(&t.mean_all(floats.next()?));
                Some(floats.fold(first, |sum, x| t.add(&sum, &t.mean_all(x))))
            }
        }
    }
}
