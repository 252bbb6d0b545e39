//! The trace: every allocation and free of a run, in program order.

pub use crate::parallel::ModelParameter;
use crate::tape::{Details, Event, RawStorage, Record, Scopes, Work};
use crate::units::{DType, Shape, names};
use std::ops::Range;

names! {
    /// The phases of a step, in the order in which they run.
    Phase {
        /// The model comes to the device, its adapters and the optimizer are made.
        Loading = "loading",
        /// The batch is copied to the device.
        Data = "data",
        /// Completions are generated, which the step then trains on.
        Generation = "generation",
        /// Forward pass and loss.
        Forward = "forward",
        /// Forward passes whose log-probabilities the loss is compared with, without gradients.
        ReferenceForward = "reference_forward",
        /// Backward pass.
        Backward = "backward",
        /// Gradient clipping.
        Clip = "clip",
        /// The optimizer's step.
        OptimizerStep = "optimizer_step",
        /// Gradients are dropped or zeroed.
        ZeroGrad = "zero_grad",
        /// Evaluation.
        Evaluation = "evaluation",
        /// A checkpoint is saved.
        Saving = "saving",
    }
}

/// A phase begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Step, from 0.
    pub step: u32,
    /// Micro-batch in the step, from 0.
    pub micro_batch: u32,
    /// The phase.
    pub phase: Phase,
}

/// A whole run: as many steps as it takes to be steady. The last one is the steady step.
///
/// Events that steps have in common are recorded once and run once a step; a storage that is allocated
/// there is allocated in each step, after it was freed in the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Storages, and events as they were recorded; [`Self::events`] has them in program order.
    pub record: Record,
    /// Stretches of the record, as they come in the program.
    pub program: Vec<Range<usize>>,
    /// Phase borders in program order.
    pub marks: Vec<Mark>,
    /// The modules, by number.
    pub scopes: Scopes,
    /// The operations that made the storages, when asked for: [`crate::sim::simulate_in_detail`].
    pub details: Details,
    /// Whether the run begins with its first phase, on a model that was loaded in a way that is not simulated: the
    /// memory that building the whole model takes here is no part of the run.
    pub begins_loaded: bool,
    /// Elements of all parameters.
    pub num_parameters: u64,
    /// Elements of the parameters that are trained.
    pub num_trainable: u64,
    /// Bytes that autograd keeps for backward when the forward pass of a steady step has ended.
    pub saved_for_backward: u64,
    /// The model's parameters, where libraries shard them.
    pub parameters: Vec<ModelParameter>,
    /// Among the ranks that one copy of the parameters is divided among, one past the last place, from the
    /// looked at rank's on, at which ranks certainly run what this one runs.
    pub alike_until: u64,
    /// Elements of the predictions that an evaluation between steps keeps of one batch.
    pub predicted: u64,
    /// Bytes of each parameter that has a copy of its own, with gradient and optimizer states, on
    /// the host.
    pub host_copies: Vec<u64>,
    /// Bytes of each tensor that a forward pass keeps on the host instead of the device.
    pub host_activations: Vec<u64>,
    /// Work of the rank in a steady step, of all its micro-batches: none of an evaluation.
    pub work: Work,
}

impl Trace {
    /// Events in program order. What comes before the first mark is the model being built.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        let mut marks = 0;
        let stretches = self.program.iter();
        let events = stretches.flat_map(|stretch| self.record.between(stretch.clone()));
        events.map(move |event| match event {
            Event::Mark(_) => {
                marks += 1;
                Event::Mark(marks - 1)
            }
            event => event,
        })
    }

    /// Number of marks before the marks of steps.
    pub fn marks_of_loading(&self) -> usize {
        let of_loading = |mark: &&Mark| mark.phase == Phase::Loading;
        self.marks.iter().take_while(of_loading).count()
    }

    /// How many events there are in program order.
    pub fn event_count(&self) -> usize {
        self.program.iter().map(ExactSizeIterator::len).sum()
    }

    /// The path of the module in which a storage was made, such as `model.layers.3.mlp`.
    pub fn module(&self, storage: &RawStorage) -> String {
        self.scopes.path(storage.scope)
    }

    /// The operation that made a storage, by its `ATen` name; empty when it is not known.
    pub fn op(&self, storage: u32) -> &'static str {
        self.details.op(self.record.place_of(storage))
    }

    /// The shape and type that a storage was made for, where it was made as a tensor.
    pub fn shape(&self, storage: u32) -> Option<(Shape, DType)> {
        self.details.shape(self.record.place_of(storage))
    }

    /// The last step's number.
    pub fn steady_step(&self) -> u32 {
        self.marks.last().map_or(0, |mark| mark.step)
    }
}
