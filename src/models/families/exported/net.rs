//! A graph as a model: what it holds, what goes in, and the loss.

use super::adapters::{self, AdaptedModule};
use super::casts::Casts;
use super::gaps::Gap;
use super::layers;
use super::lifetimes::{Lifetimes, returned};
use super::module_scopes::{ModuleScopes, interned};
use super::program::Program;
use super::run::Running;
use crate::ask::Loss;
use crate::exported::{Graph, InputKind, ValueId};
use crate::families::network::{Batch, GraphModel, Net};
use crate::model::{Architecture, ExportedConfig, ModuleKind, ResolvedSpec};
use crate::nn::build::{Builder, Facts, Linear, Output};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A graph with its parameters.
pub(super) struct GraphNet {
    program: Rc<Program>,
    loss: Loss,
    /// The dtype of inputs that were in float32.
    cast: Option<DType>,
    /// Whether autocast is around it.
    autocasts: bool,
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, _: Facts) -> Net {
    Net::Graph(Box::new(GraphNet::new(b, spec.config(), spec)))
}

/// The half-precision dtype that float32 becomes, if it becomes one.
fn half(dtype: DType) -> Option<DType> {
    Some(dtype).filter(|dtype| dtype.is_half())
}

/// Whether a graph was exported with parameters in float32.
fn is_in_float32(graph: &Graph) -> bool {
    let mut parameters = graph
        .inputs
        .iter()
        .filter(|input| matches!(input.kind, InputKind::Parameter { .. }));
    parameters.any(|input| {
        let meta = graph.tensor(input.value);
        meta.is_some_and(|meta| meta.dtype == Some(DType::Float32))
    })
}

/// The shape and the dtype of a value as the run has it: float32 may be `cast`.
fn as_run(config: &ExportedConfig, cast: Option<DType>, id: ValueId) -> Option<(Shape, DType)> {
    let (shape, dtype) = config.tensor(id)?;
    let cast = cast.filter(|_| dtype == DType::Float32);
    Some((shape, cast.unwrap_or(dtype)))
}

/// Tensors and layers that a graph holds.
struct Held {
    /// Parameters, buffers and constants, by their ids.
    tensors: Vec<Option<Tensor>>,
    /// Quantized linear layers, by the ids of their weights.
    quantized: BTreeMap<ValueId, Linear>,
    /// The paths of their biases.
    quantized_biases: BTreeSet<String>,
}

impl Held {
    /// Allocates all in the order in which the graph names it.
    fn new(b: &Builder, config: &ExportedConfig, scopes: &ModuleScopes) -> Self {
        let (t, spec, graph) = (b.plan.tape, b.plan.spec, &config.graph);
        let layers = adapters::adaptable_modules(graph).into_iter();
        let layers: BTreeMap<ValueId, AdaptedModule> =
            layers.map(|module| (module.weight, module)).collect();
        let mut held = Self {
            tensors: vec![None; graph.values.len()],
            quantized: BTreeMap::new(),
            quantized_biases: BTreeSet::new(),
        };
        let mut made: BTreeMap<usize, Tensor> = BTreeMap::new();
        for (at, input) in graph.inputs.iter().enumerate() {
            let run = as_run(config, half(spec.weights), input.value);
            let Some((shape, dtype)) = run else { continue };
            let widens = dtype.is_half() && spec.quantization.is_on();
            let dtype = if widens { spec.weights } else { dtype };
            let tensor = match &input.kind {
                InputKind::Parameter { path, tied_to } => {
                    // A tied layer stays whole, as transformers leaves it.
                    let layer = layers.get(&input.value).filter(|_| tied_to.is_none());
                    if held.takes_over(b, scopes, layer, (path, &shape)) {
                        continue;
                    }
                    let tied = tied_to.and_then(|first| made.get(&first).cloned());
                    let trains = graph.tensor(input.value);
                    let trains = trains.is_some_and(|leaf| leaf.requires_grad);
                    let tensor = tied.unwrap_or_else(|| {
                        let b = b.of_scope(scopes.around(path));
                        if layer.is_some() {
                            b.is_a(ModuleKind::Linear);
                        }
                        parameter(&b, path, (shape, dtype), trains)
                    });
                    made.insert(at, tensor.clone());
                    tensor
                }
                InputKind::Buffer { path } => t.in_scope(scopes.around(path), || {
                    t.buffer("buffer", shape, spec.buffer_dtype(dtype))
                }),
                InputKind::Constant => {
                    t.without_memory(|| t.allocate("constant", shape, dtype, Category::Buffers))
                }
                InputKind::User | InputKind::Fixed => continue,
            };
            if let Some(place) = held.tensors.get_mut(input.value as usize) {
                *place = Some(tensor);
            }
        }
        held
    }

    /// Whether a parameter is one of a quantized linear layer, which is made with its weight.
    fn takes_over(
        &mut self,
        b: &Builder,
        scopes: &ModuleScopes,
        layer: Option<&AdaptedModule>,
        (path, shape): (&str, &Shape),
    ) -> bool {
        if !b.quantization().is_on() {
            return false;
        }
        let Some(layer) = layer.filter(|layer| layer.groups.is_none()) else {
            return self.quantized_biases.contains(path);
        };
        let b = b.of_scope(scopes.around(path));
        let linear = Linear::new(&b, shape.dim(1), shape.dim(0), layer.bias.is_some());
        self.quantized.insert(layer.weight, linear);
        self.quantized_biases.extend(layer.bias.clone());
        true
    }
}

/// A parameter of the module of a builder, which the graph may have frozen.
fn parameter(b: &Builder, path: &str, (shape, dtype): (Shape, DType), trains: bool) -> Tensor {
    let name = interned(path.rsplit('.').next().unwrap_or(path));
    if trains {
        b.parameter_in(name, shape, dtype)
    } else {
        b.fixed(name, shape, dtype)
    }
}

impl GraphNet {
    fn new(b: &Builder, config: &ExportedConfig, spec: &ResolvedSpec) -> Self {
        let graph = &config.graph;
        let paths = layers::layer_paths(graph, &spec.scenario.layer_modules);
        let scopes = ModuleScopes::of(b.plan.tape, graph, &paths);
        let held = Held::new(b, config, &scopes);
        let casts = Casts::of(&graph.body);
        let given = |kind: &InputKind| matches!(kind, InputKind::User | InputKind::Fixed);
        let ids = graph.inputs.iter().filter(|input| !given(&input.kind));
        let ids = ids.map(|input| input.value).collect();
        let program = Program {
            config: config.clone(),
            lifetimes: Lifetimes::of(&graph.body, &returned(&graph.body), &graph.variables),
            layers: layers::calls(graph, &casts, &paths, &ids),
            adapters: adapters::places(b, (graph, &scopes), &held.tensors),
            checkpointing: spec.activation_checkpointing,
            is_narrowed: half(spec.weights).is_some() && is_in_float32(graph),
            gaps: RefCell::default(),
            casts,
            scopes,
            held: held.tensors,
            quantized: held.quantized,
        };
        Self {
            program: Rc::new(program),
            loss: spec.loss,
            cast: half(spec.precision.dtype()),
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

    /// The shape and the dtype of an input or a result as the training loop has it.
    fn as_run(&self, id: ValueId) -> Option<(Shape, DType)> {
        let (shape, dtype) = as_run(&self.program.config, self.cast, id)?;
        let is_wider = dtype.is_half() && self.cast.is_none();
        Some((shape, if is_wider { DType::Float32 } else { dtype }))
    }

    /// The shape and the dtype of the target, which follow from the graph's first result.
    fn target(&self) -> Option<(Shape, DType)> {
        let out = self
            .program
            .config
            .graph
            .body
            .outputs
            .iter()
            .flatten()
            .next()?;
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
