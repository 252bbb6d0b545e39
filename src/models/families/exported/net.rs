//! A graph as a model: what it holds, what goes in, and the loss.

use super::adapters;
use super::casts::Casts;
use super::gaps::Gap;
use super::layers;
use super::lifetimes::Lifetimes;
use super::module_scopes::{ModuleScopes, interned};
use super::program::Program;
use super::run::Running;
use crate::ask::{Loss, Precision};
use crate::exported::{InputKind, ValueId};
use crate::families::network::{Batch, GraphModel, Net};
use crate::model::{Architecture, ExportedConfig, ModuleKind, ResolvedSpec};
use crate::nn::build::{Builder, Facts, Output};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A graph with its parameters.
pub(super) struct GraphNet {
    program: Rc<Program>,
    loss: Loss,
    cast: Option<DType>,
    /// Whether autocast is around it.
    autocasts: bool,
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, _: Facts) -> Net {
    Net::Graph(Box::new(GraphNet::new(b, spec.config(), spec)))
}

/// The dtype that tensors in float32 become where weights are cast.
fn cast(spec: &ResolvedSpec) -> Option<DType> {
    match spec.precision {
        Precision::Bf16 => Some(DType::BFloat16),
        Precision::Fp16 => Some(DType::Float16),
        Precision::Fp32 | Precision::AmpBf16 | Precision::AmpFp16 => None,
    }
}

/// The shape and the dtype of a value as the run has it: float32 may be `cast`.
fn as_run(config: &ExportedConfig, cast: Option<DType>, id: ValueId) -> Option<(Shape, DType)> {
    let (shape, dtype) = config.tensor(id)?;
    let cast = cast.filter(|_| dtype == DType::Float32);
    Some((shape, cast.unwrap_or(dtype)))
}

/// Allocates parameters, buffers and constants, by their ids.
fn held(b: &Builder, config: &ExportedConfig, scopes: &ModuleScopes) -> Vec<Option<Tensor>> {
    let (t, spec, graph) = (b.plan.tape, b.plan.spec, &config.graph);
    let mut held = vec![None; graph.values.len()];
    let adaptable = adapters::adaptable_modules(graph).into_iter();
    let adaptable: BTreeSet<String> = adaptable
        .map(|module| format!("{}.weight", module.path))
        .collect();
    let mut made: BTreeMap<usize, Tensor> = BTreeMap::new();
    for (at, input) in graph.inputs.iter().enumerate() {
        let Some((shape, dtype)) = as_run(config, cast(spec), input.value) else {
            continue;
        };
        let tensor = match &input.kind {
            InputKind::Parameter { path, tied_to } => {
                let tied = tied_to.and_then(|first| made.get(&first).cloned());
                let tensor = tied.unwrap_or_else(|| {
                    note_module(b, scopes, (path, shape), adaptable.contains(path));
                    let leaf = graph.tensor(input.value);
                    let trains = leaf.is_some_and(|leaf| leaf.requires_grad)
                        && spec.lora.is_none()
                        && !spec.frozen.iter().any(|part| path.contains(part.as_str()));
                    t.in_scope(scopes.around(path), || {
                        if trains {
                            t.parameter(shape, dtype)
                        } else {
                            t.frozen_parameter("parameter", shape, dtype)
                        }
                    })
                });
                made.insert(at, tensor.clone());
                tensor
            }
            InputKind::Buffer { path } => t.in_scope(scopes.around(path), || {
                t.buffer("buffer", shape, dtype)
            }),
            InputKind::Constant => {
                t.without_memory(|| t.allocate("constant", shape, dtype, Category::Buffers))
            }
            InputKind::User | InputKind::Fixed => continue,
        };
        if let Some(place) = held.get_mut(input.value as usize) {
            *place = Some(tensor);
        }
    }
    held
}

/// Says of the module that has the parameter at `path` that it does, and whether PEFT adapts it.
fn note_module(
    b: &Builder,
    scopes: &ModuleScopes,
    (path, shape): (&str, Shape),
    is_adaptable: bool,
) {
    let b = b.of_scope(scopes.around(path));
    b.has(interned(path.rsplit('.').next().unwrap_or(path)), shape);
    if is_adaptable {
        b.is_a(ModuleKind::Linear);
    }
}

impl GraphNet {
    fn new(b: &Builder, config: &ExportedConfig, spec: &ResolvedSpec) -> Self {
        let graph = &config.graph;
        let paths = layers::layer_paths(graph, &spec.scenario.layer_modules);
        let scopes = ModuleScopes::of(b.plan.tape, graph, &paths);
        let held = held(b, config, &scopes);
        let casts = Casts::of(&graph.body);
        let ids = (0..).zip(&held).filter(|(_, held)| held.is_some());
        let ids = ids.map(|(id, _)| id).collect();
        let program = Program {
            config: config.clone(),
            lifetimes: Lifetimes::of(&graph.body),
            layers: layers::calls(graph, &casts, &paths, &ids),
            adapters: adapters::places(b, (graph, &scopes), &held),
            checkpointing: spec.activation_checkpointing,
            gaps: RefCell::default(),
            casts,
            scopes,
            held,
        };
        Self {
            program: Rc::new(program),
            loss: spec.loss,
            cast: cast(spec),
            autocasts: spec.precision.autocasts(),
        }
    }

    /// A graph's model, if the spec's model is one.
    pub(super) fn dry(b: &Builder, spec: &ResolvedSpec) -> Option<Self> {
        match &spec.architecture {
            Architecture::Exported(config) => Some(Self::new(b, config, spec)),
            _ => None,
        }
    }

    /// Operations that were not known in the passes so far.
    pub(super) fn take_gaps(&self) -> Vec<Gap> {
        self.program.gaps.take()
    }

    fn as_run(&self, id: ValueId) -> Option<(Shape, DType)> {
        as_run(&self.program.config, self.cast, id)
    }

    /// The shape and the dtype of the target, which follow from the graph's first result.
    fn target(&self) -> Option<(Shape, DType)> {
        let out = self.program.config.graph.body.outputs.iter().flatten().next()?;
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
        let users = self.program.config.graph.inputs.iter();
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
        let graph = &self.program.config.graph;
        let mut running = Running::new(t, &self.program);
        let users = graph
            .inputs
            .iter()
            .filter(|input| input.kind == InputKind::User);
        let given = std::iter::once(&batch.input).chain(&batch.beside);
        for (input, tensor) in users.zip(given) {
            running.put(input.value, Some(tensor.clone()));
        }
        let outputs = running.graph();
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
