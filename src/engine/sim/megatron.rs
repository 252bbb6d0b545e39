//! A training run of Megatron-Core: `train_step` of `megatron/training/training.py`, with a model, wrappers, an
//! optimizer and schedules of its own.
//!
//! Each micro-batch reads token ids on the rank with the first layer, labels and a mask of losses on that with the
//! last one, and positions everywhere. The loss is the mean over the mask.

use super::fold::{Counts, Recorded};
use super::pipeline::begins;
use super::training::STEPS;
use super::{Mark, Phase, Trace};
use crate::model::ResolvedSpec;
use crate::nn::{GptModel, StageLayers, TransformerConfig};
use crate::optim::Optimizer;
use crate::parallel::{
    ChunkPass, MegatronChunks, MegatronDataParallel, MegatronOptimizer, MegatronSchedule,
};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// Runs a spec of Megatron-Core.
#[cold]
pub(super) fn megatron(spec: &ResolvedSpec, tape: Tape) -> Trace {
    let (mut marks, mut counts) = (Vec::new(), Counts::default());
    if let Some(config) = TransformerConfig::of(spec) {
        run(&tape, spec, &config, (&mut marks, &mut counts));
    }
    Recorded::of(tape, marks).trace(counts)
}

/// The layers of each chunk of the rank (`get_transformer_layer_offset`).
fn stages(spec: &ResolvedSpec, config: &TransformerConfig, chunks: u64) -> Vec<StageLayers> {
    let (ranks, rank) = (spec.mesh.pp, spec.mesh.rank.pp);
    let layers = config.num_layers() / (ranks * chunks).max(1);
    let stage = |chunk: u64| StageLayers {
        first: (chunk * ranks + rank) * layers,
        layers,
        is_first: rank == 0 && chunk == 0,
        is_last: rank + 1 == ranks && chunk + 1 == chunks,
    };
    (0..chunks).map(stage).collect()
}

fn run(
    t: &Tape,
    spec: &ResolvedSpec,
    config: &TransformerConfig,
    (marks, counts): (&mut Vec<Mark>, &mut Counts),
) {
    let bytes = Shape::from([spec.other_device_memory.get()]);
    let held = t.allocate("held", bytes, DType::UInt8, Category::Buffers);
    t.divides_among(spec.mesh.tp);
    let boundary = config.boundary(spec.seq_len, spec.micro_batch_size);
    let schedule = MegatronSchedule::new(spec, (boundary.into(), config.dtype()));
    let stages = stages(spec, config, schedule.chunks());
    let models = GptModel::chunks(t, config, &stages);
    for model in &models {
        model.narrow(t);
    }
    let parameters: Vec<_> = models.iter().map(GptModel::parameters).collect();
    let elements = parameters.iter().flat_map(|chunk| chunk.iter());
    counts.trainable = elements.map(|(tensor, _)| tensor.numel()).sum();
    counts.parameters = config.num_parameters();
    let wrapped = MegatronDataParallel::new(t, spec, &parameters);
    let optimizer = MegatronOptimizer::new(t, spec, &wrapped);
    let mut inner = Optimizer::new(t, spec);
    t.empty_cache();
    let rank = Rank {
        spec,
        stages,
        models,
        wrapped,
        optimizer,
        batches: RefCell::default(),
        inputs: RefCell::default(),
        losses: RefCell::default(),
        balance: RefCell::default(),
        is_mixture: config.is_mixture(),
        marks: RefCell::new((marks, 0)),
        step: RefCell::new(0),
    };
    let mut gradients = Vec::new();
    for step in 0..STEPS {
        rank.step.replace(step);
        rank.mark(t, Phase::ZeroGrad);
        gradients.clear();
        rank.mark(t, Phase::Data);
        let begun = t.work();
        schedule.step(t, &rank);
        counts.batches = t.work().since(begun);
        rank.passes_ended(t);
        rank.losses.take();
        rank.batches.take();
        rank.mark(t, Phase::OptimizerStep);
        gradients = rank.optimizer.step(t, &mut |t| inner.step(t));
    }
    t.close();
    drop((gradients, held));
}

/// A rank's chunks, with what its loop holds.
struct Rank<'a> {
    spec: &'a ResolvedSpec,
    stages: Vec<StageLayers>,
    models: Vec<GptModel>,
    wrapped: MegatronDataParallel,
    optimizer: MegatronOptimizer,
    /// The last batch of each chunk's iterator.
    batches: RefCell<Vec<Vec<Tensor>>>,
    /// The last input of each chunk (`decoder.input_tensor`).
    inputs: RefCell<Vec<Option<Tensor>>>,
    /// The scale of losses that balance experts (`MoEAuxLossAutoScaler`), where there are some.
    balance: RefCell<Option<Tensor>>,
    is_mixture: bool,
    /// The losses of a step (`forward_data_store`).
    losses: RefCell<Vec<Tensor>>,
    /// The marks, and where storages begin that were made since the last of them.
    marks: RefCell<(&'a mut Vec<Mark>, usize)>,
    step: RefCell<u32>,
}

/// A place in a list that is made long enough.
fn place<T: Default>(list: &mut Vec<T>, at: usize) -> &mut T {
    if list.len() <= at {
        list.resize_with(at + 1, T::default);
    }
    &mut list[at]
}

impl Rank<'_> {
    fn mark(&self, t: &Tape, phase: Phase) {
        let (marks, _) = &mut *self.marks.borrow_mut();
        t.mark(u32::try_from(marks.len()).unwrap_or(u32::MAX));
        marks.push(Mark {
            step: *self.step.borrow(),
            micro_batch: 0,
            phase,
        });
    }

    /// The last pass has ended.
    fn passes_ended(&self, t: &Tape) {
        self.mark(t, Phase::Data);
    }

    /// Token ids, labels, mask of losses and positions of a micro-batch, which take the place of those before:
    /// what the rank reads, whichever of its chunks runs.
    fn fetch(&self, t: &Tape, chunk: usize) -> [Option<Tensor>; 4] {
        let shape = Shape::from([self.spec.micro_batch_size, self.spec.seq_len]);
        let make = |dtype| t.allocate("zeros", shape, dtype, Category::Inputs);
        let is_first = self.stages.iter().any(|stage| stage.is_first);
        let is_last = self.stages.iter().any(|stage| stage.is_last);
        let batch = [
            is_first.then(|| make(DType::Int64)),
            is_last.then(|| make(DType::Int64)),
            is_last.then(|| make(DType::Float32)),
            Some(make(DType::Int64)),
        ];
        let held = batch.iter().flatten().cloned().collect();
        *place(&mut self.batches.borrow_mut(), chunk) = held;
        batch
    }

    /// `loss_func`, and the division by the number of micro-batches (`forward_step_calc_loss`).
    fn mean(&self, t: &Tape, losses: &Tensor, mask: &Tensor) -> Tensor {
        let loss = {
            let count = losses.numel();
            let product = t.mul(&t.view(losses, [count]), &t.view(mask, [count]));
            let sum = t.sum_all(&product);
            drop(product);
            let count = t.sum_all(mask);
            t.div_by(&sum, &count)
        };
        let reduced = t.allocate("clone", Shape::new(&[]), DType::Float32, Category::Logits);
        self.losses.borrow_mut().push(reduced);
        t.scale_in_place(t.scale_in_place(loss))
    }
}

impl Rank<'_> {
    /// `set_loss_scale` of what balances experts, whether something does or not (`forward_step_calc_loss`).
    fn scale_balance(&self, t: &Tape) {
        if !self.is_mixture {
            return;
        }
        let number = |op| t.empty(op, Shape::from([1]), DType::Float32);
        let scaled = {
            let _ones = number("ones");
            number("mul")
        };
        let divided = {
            let _times = number("mul");
            number("div")
        };
        self.balance.borrow_mut().get_or_insert(divided);
        drop(scaled);
    }
}

impl MegatronChunks for Rank<'_> {
    fn begins(&self, t: &Tape, pass: ChunkPass) {
        let (marks, since) = &mut *self.marks.borrow_mut();
        let mark = Mark {
            step: *self.step.borrow(),
            micro_batch: u32::try_from(pass.micro_batch).unwrap_or(u32::MAX),
            phase: if pass.is_forward {
                Phase::Forward
            } else {
                Phase::Backward
            },
        };
        *since = begins(t, marks, *since, mark);
    }

    fn forward(&self, t: &Tape, chunk: usize, input: Option<&Tensor>) -> Option<Tensor> {
        let (stage, model) = (self.stages.get(chunk)?, self.models.get(chunk)?);
        *place(&mut self.inputs.borrow_mut(), chunk) = input.cloned();
        let [ids, labels, mask, _positions] = self.fetch(t, chunk);
        let ids = ids.filter(|_| stage.is_first);
        let hidden = model.forward(t, ids.as_ref().or(input)?);
        let (Some(labels), Some(mask), true) = (labels, mask, stage.is_last) else {
            self.scale_balance(t);
            return Some(hidden);
        };
        let losses = model.loss(t, hidden, &labels)?;
        let loss = self.mean(t, &losses, &mask);
        self.scale_balance(t);
        drop(losses);
        Some(loss)
    }

    fn scaled(&self, t: &Tape, loss: &Tensor) -> Tensor {
        self.optimizer.scaled(t, loss)
    }

    fn finalize(&self, t: &Tape) {
        self.wrapped.finalize(t);
    }
}
