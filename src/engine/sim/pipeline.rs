//! A step of a rank that has some stages of the model: what the training loop around the schedule does.

use super::gradients::classify_gradients;
use super::precision::autocast;
use super::{Mark, Phase};
use crate::families::{Batch, DividedBatch, Model};
use crate::model::{Architecture, LocalStage, ResolvedSpec};
use crate::parallel::{Action, Computation, Follower, Pipeline, StageModel, Wrapper};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Variables of the loop that live until the optimizer has stepped.
pub(super) enum Held {
    /// The batch of the whole model.
    Whole { _batch: Batch },
    /// Token ids and labels of stages, the losses of micro-batches and their mean.
    Stages { _tensors: Vec<Tensor> },
}

/// The stages of this rank.
pub(super) struct StagesOfRank {
    stages: Vec<LocalStage>,
    pipeline: Pipeline,
    /// Outputs that the caller holds, replaced when the next are there.
    outputs: Option<Tensor>,
}

impl StagesOfRank {
    /// The pipeline of a model that is built.
    pub(super) fn new(t: &Tape, spec: &ResolvedSpec) -> Self {
        let columns = match &spec.architecture {
            Architecture::Decoder(config) => config.hidden_size,
            _ => 0,
        };
        Self {
            stages: spec.local_stages(),
            pipeline: Pipeline::new(t, spec, columns),
            outputs: None,
        }
    }
}

/// A model, in stages.
struct Staged<'a> {
    model: &'a Model,
    stages: &'a [LocalStage],
    /// Positions of this rank's part of the sequences `[1, S]`, if ranks divide those.
    positions: Option<Tensor>,
}

impl StageModel for Staged<'_> {
    fn forward(&self, t: &Tape, stage: u64, input: &Tensor) -> Tensor {
        let Some(stage) = self.stages.iter().find(|local| local.index == stage) else {
            return input.clone();
        };
        let output = (self.model).run_stage(t, stage, input, self.positions.as_ref());
        if stage.is_last {
            output.set_category(Category::Logits);
        }
        output
    }

    fn loss(&self, t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
        t.scoped("loss", None, || {
            let vocab = logits.dim(-1);
            let flat = t.view(logits, [logits.numel() / vocab, vocab]);
            let wide = t.to(&flat, DType::Float32);
            t.cross_entropy(&wide, &t.view(labels, [labels.numel()]))
        })
    }
}

impl StagesOfRank {
    /// Token ids and labels, forward and backward passes of all micro-batches.
    pub(super) fn step(
        &mut self,
        (t, spec): (&Tape, &ResolvedSpec),
        model: &Model,
        wrapper: Option<&dyn Wrapper>,
        marks: &mut Vec<Mark>,
        step: u32,
    ) -> Held {
        let stages = &self.stages;
        let has = |wanted: fn(&LocalStage) -> bool| stages.iter().any(wanted);
        let samples = spec.micro_batch_size * spec.parallelism.pp.in_a_step();
        let shape = Shape::from([samples, spec.seq_len]);
        let read = [has(|stage| stage.is_first), has(|stage| stage.is_last)];
        let input = |op, shape| t.allocate(op, shape, DType::Int64, Category::Inputs);
        let batch = read.map(|read| read.then(|| input("zeros", shape)));
        let pieces = spec.mesh.cp;
        let positions = (pieces > 1).then(|| input("arange", Shape::from([1, spec.seq_len])));
        let whole: Vec<_> = batch.iter().chain([&positions]).flatten().collect();
        let shapes: Vec<Shape> = whole.iter().map(|x| *x.shape()).collect();
        let divided = (pieces > 1).then(|| DividedBatch::of(t, &shapes, pieces));
        let own = |x: &Tensor| x.part(Shape::from([x.dim(0), x.dim(1) / pieces]));
        let model = Staged {
            model,
            stages,
            positions: positions.as_ref().map(own),
        };
        let own = batch.each_ref().map(|x| x.as_ref().map(own));
        let since = t.with_storages(|storages| storages.count());
        let follower = Marks {
            tape: t,
            step,
            set: RefCell::new(marks),
            since: Cell::new(since),
            further: Cell::new(0),
        };
        // The region is around `schedule.step`, whose backward passes are within.
        if let Some(dtype) = autocast(spec) {
            t.enter_autocast(dtype);
        }
        let given = self.pipeline.step(
            t,
            &model,
            (
                own.each_ref().map(Option::as_ref),
                wrapper.and_then(Wrapper::of_stages),
            ),
            &follower,
        );
        t.exit_autocast();
        drop((own, divided));
        self.outputs = given.outputs;
        classify_gradients(t);
        let mut tensors = given.losses;
        tensors.extend((!tensors.is_empty()).then(|| mean(t, tensors.len() as u64)));
        tensors.extend(batch.into_iter().chain([positions]).flatten());
        Held::Stages { _tensors: tensors }
    }
}

/// Sets a mark where a pass of a schedule begins.
struct Marks<'a> {
    tape: &'a Tape,
    step: u32,
    set: RefCell<&'a mut Vec<Mark>>,
    /// Storages that were written when the last pass began.
    since: Cell<usize>,
    /// The distance from the micro-batch that is run to the micro-batch that it represents.
    further: Cell<u32>,
}

impl Follower for Marks<'_> {
    fn begins(&self, action: Action) {
        let mut mark = mark_of(self.step, action);
        mark.micro_batch = mark.micro_batch.saturating_add(self.further.get());
        let mut marks = self.set.borrow_mut();
        let since = begins(self.tape, &mut marks, self.since.get(), mark);
        self.since.set(since);
    }

    fn marks(&self) -> usize {
        self.set.borrow().len()
    }

    fn again(&self, marks: Range<usize>, times: u32) {
        let mut set = self.set.borrow_mut();
        let turn = set.get(marks).unwrap_or_default().to_vec();
        for further in 1..=times {
            set.extend(turn.iter().map(|mark| Mark {
                micro_batch: mark.micro_batch.saturating_add(further),
                ..*mark
            }));
        }
        self.further.set(self.further.get() + times);
    }
}

/// `torch.mean(torch.stack(losses))` of `losses` losses.
fn mean(t: &Tape, losses: u64) -> Tensor {
    let stacked = t.empty("stack", Shape::from([losses]), DType::Float32);
    let mean = t.mean_all(&stacked);
    mean.set_category(Category::Logits);
    mean
}

/// The mark with which an action begins.
fn mark_of(step: u32, action: Action) -> Mark {
    let phase = if action.computation == Computation::Forward {
        Phase::Forward
    } else {
        Phase::Backward
    };
    Mark {
        step,
        micro_batch: u32::try_from(action.micro_batch).unwrap_or(u32::MAX),
        phase,
    }
}

/// Sets `mark` between two passes of a schedule, and classifies what the first of them, which made the storages from
/// index `since` on, left alive. Returns the number of storages.
pub(super) fn begins(t: &Tape, marks: &mut Vec<Mark>, since: usize, mark: Mark) -> usize {
    // Storages that a forward pass leaves alive are kept for backward; storages that a backward pass leaves are
    // gradients.
    if let Some(before) = marks.last() {
        match before.phase {
            Phase::Forward => {
                t.classify_autocast_copies();
                t.with_storages(|storages| {
                    storages.classify_living_since(since, |category| match category {
                        Category::Temporaries => Category::Activations,
                        kept => kept,
                    });
                });
            }
            Phase::Backward => classify_gradients(t),
            _ => {}
        }
    }
    t.mark(u32::try_from(marks.len()).unwrap_or(u32::MAX));
    marks.push(mark);
    t.with_storages(|storages| storages.count())
}

#[cfg(test)]
mod tests;
