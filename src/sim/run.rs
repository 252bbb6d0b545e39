//! The training program.

use super::backend::backend;
use super::evaluate::{Evaluator, evaluation};
use super::fold::{Batches, Counts, Recorded, keeps_masks};
use super::precision::{autocast, converts_outputs, in_float32};
use super::sharded::{self, Gradients};
use super::{Mark, Phase, Trace, offload};
use crate::nn::{Batch, Model, Output};
use crate::optim::{GradScaler, Optimizer, clip_grad_norm};
use crate::spec::{
    Architecture, EvaluationKind, Loss, MasterWeights, OptimizerName, Precision, Program,
    ResolvedSpec,
};
use crate::tape::{Backend, Built, Category, KeyValueCache, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Steps until the allocator's pools stop growing: in the second the optimizer states are there
/// from the start, the third repeats it with everything cached.
const STEPS: u32 = 3;

/// Micro-batches of a step that are simulated: from the third on each finds and leaves memory as
/// the one before did, so that more of them change no peak (tested below).
const MICRO_BATCHES: u64 = 4;

/// Runs a spec: every allocation and free in program order. Of a step with more than
/// [`MICRO_BATCHES`] micro-batches only so many are run.
pub fn simulate(spec: &ResolvedSpec) -> Trace {
    run(spec, accumulation(spec), Tape::new)
}

/// The same with the operation, the shape and the type of each tensor, which takes a little longer.
pub fn simulate_in_detail(spec: &ResolvedSpec) -> Trace {
    run(spec, accumulation(spec), Tape::with_details)
}

fn accumulation(spec: &ResolvedSpec) -> u32 {
    let accumulation = spec.gradient_accumulation_steps.min(MICRO_BATCHES);
    u32::try_from(accumulation).unwrap_or(u32::MAX)
}

/// How a record begins.
type NewTape = fn(Backend) -> Tape;

fn run(spec: &ResolvedSpec, accumulation: u32, tape: NewTape) -> Trace {
    if spec.program == Program::Evaluation {
        return evaluation(spec, tape(backend(spec)));
    }
    repeated(spec)
        .then(|| {
            let folded = |built| folded(spec, accumulation, tape, Layers::Folded(built));
            [Built::FEW, Built::MORE].into_iter().find_map(folded)
        })
        .flatten()
        .or_else(|| folded(spec, accumulation, tape, Layers::All))
        .unwrap_or_else(|| unfolded(spec, accumulation, tape))
}

/// Which layers of a model are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layers {
    All,
    /// Those that a long list of them is made of (Note [Layers that repeat], `tape/folds.rs`).
    Folded(Built),
}

/// Whether the layers of a model do the same, and are all gone when the optimizer steps.
fn repeated(spec: &ResolvedSpec) -> bool {
    let alike = match &spec.architecture {
        Architecture::Decoder(config) => config.windowed.windows(2).all(|w| w[0] == w[1]),
        _ => true,
    };
    // The keys and values of all layers are converted after the last.
    let converts_keys = spec.use_cache && converts_outputs(spec);
    alike
        && !converts_keys
        && spec.checkpoint_every == 1
        && spec.optimizer.name != OptimizerName::Adagrad
        && !spec.offload.activations
        && !spec.offload.optimizer_states
}

/// Runs every step.
pub(super) fn unfolded(spec: &ResolvedSpec, accumulation: u32, tape: NewTape) -> Trace {
    let tape = tape(backend(spec));
    let mut run = Run::new(&tape, spec, accumulation);
    for step in 0..STEPS {
        let batch = run.micro_batches(step);
        run.update(step);
        run.zero_gradients();
        run.evaluate(step);
        drop(batch);
    }
    tape.close();
    (run.kept, run.last_loss) = (None, None);
    let Run { marks, counts, .. } = run;
    Recorded::of(tape, marks).trace(counts)
}

/// Runs the micro-batches of one step only and lets them stand for those of all steps
/// (Note [One forward pass for all steps], `fold.rs`).
pub(super) fn folded(
    spec: &ResolvedSpec,
    accumulation: u32,
    tape: NewTape,
    layers: Layers,
) -> Option<Trace> {
    let in_backward = spec.optimizer.in_backward
        || spec.offload.gradients
        || spec.parallelism.dp.offloads()
        || spec.optimizer.master_weights != MasterWeights::None;
    if spec.usual_lengths.is_some()
        || spec.program == Program::Forward
        || spec.keep_outputs
        || in_backward
        || keeps_masks(spec)
    {
        return None;
    }
    let tape = tape(backend(spec));
    if let Layers::Folded(built) = layers {
        tape.allow_folds(built);
    }
    let mut run = Run::new(&tape, spec, accumulation);
    let built = tape.storage_count();
    let mut batch = run.micro_batches(0);
    let second = (!spec.zero_grad_set_to_none && run.trains()).then_some(run.marks.len());
    if second.is_some() {
        drop(batch);
        batch = run.micro_batches(1);
    }
    let evaluates = layers != Layers::All && spec.evaluation.kind != EvaluationKind::None;
    if (evaluates && run.leaves_more_than_gradients(built)) || !tape.unfold() {
        return None;
    }
    let end = tape.event_count();
    if evaluates {
        run.build_whole();
    }
    let mut updates: Vec<Range<usize>> = Vec::new();
    for step in 0..STEPS {
        let start = tape.event_count();
        if let [_, .., last] = &updates[..]
            && tape.leaves_nothing(last.start)
        {
            updates.push(last.clone());
            continue;
        }
        run.update(step);
        updates.push(start..tape.event_count());
        run.keep_what_lives();
    }
    run.zero_gradients();
    run.evaluate(0);
    let before = tape.event_count();
    drop(batch);
    let batches = Batches {
        second,
        end,
        dropped: tape.event_count() - before,
    };
    tape.close();
    let Run { marks, counts, .. } = run;
    Recorded::of(tape, marks)
        .fold(&batches, &updates)
        .map(|record| record.trace(counts))
}

/// Outputs that the caller holds: logits, loss and encoder's states, others, and the cache.
type Kept = ([Option<Tensor>; 3], Vec<Tensor>, Option<KeyValueCache>);

/// A run that is going on.
struct Run<'a> {
    tape: &'a Tape,
    spec: &'a ResolvedSpec,
    accumulation: u32,
    /// What the process holds beside the model.
    _held: Tensor,
    model: Rc<Model>,
    /// The model with the layers that were left out, where it is evaluated.
    whole: Option<Rc<Model>>,
    optimizer: Rc<RefCell<Optimizer>>,
    /// How gradients leave the device, if they do.
    leaving: Option<Rc<Gradients>>,
    scaler: Option<GradScaler>,
    /// What the caller holds of the last outputs: replaced when the next are there.
    kept: Option<Kept>,
    /// The loss of the last forward pass, where no backward pass takes it.
    last_loss: Option<Tensor>,
    marks: Vec<Mark>,
    counts: Counts,
}

impl<'a> Run<'a> {
    fn new(t: &'a Tape, spec: &'a ResolvedSpec, accumulation: u32) -> Self {
        let bytes = Shape::from([spec.other_device_memory.get()]);
        let held = t.allocate("held", bytes, DType::UInt8, Category::Buffers);
        let model = Rc::new(Model::new(t, spec));
        let mut counts = Counts {
            parameters: model.num_parameters(),
            ..Counts::default()
        };
        t.for_each_parameter(|_, parameter, _| {
            counts.trainable += parameter.numel() * t.multiplicity(t.scope_of(parameter));
        });
        t.checkpoint_every(spec.checkpoint_every);
        let optimizer = Rc::new(RefCell::new(Optimizer::new(t, spec)));
        if spec.parallelism.dp.offloads() {
            counts.sharded = sharded::parameters(t, spec.weights);
        } else if spec.offload.optimizer_states {
            counts.host_copies = offload::host_copies(t);
        }
        let leaving = Gradients::new(t, spec).map(Rc::new);
        if let Some(leaving) = leaving.clone().filter(|leaving| leaving.leave_at_once) {
            t.on_gradient(move |t| {
                classify_gradients(t);
                drop(leaving.take(t));
            });
        }
        if spec.offload.gradients {
            t.on_gradient(|t| {
                classify_gradients(t);
                offload::drop_offloaded(t);
            });
        }
        if optimizer.borrow().takes_gradients() {
            t.on_gradient(Tape::drop_gradients);
        }
        if spec.optimizer.in_backward {
            let optimizer = Rc::clone(&optimizer);
            t.on_gradient(move |t| {
                classify_gradients(t);
                optimizer.borrow_mut().step(t);
                t.drop_gradients();
            });
        }
        Self {
            tape: t,
            spec,
            accumulation,
            model,
            whole: None,
            optimizer,
            leaving,
            scaler: (spec.precision == Precision::AmpFp16).then(GradScaler::default),
            _held: held,
            kept: None,
            last_loss: None,
            marks: Vec::new(),
            counts,
        }
    }

    fn forward_only(&self) -> bool {
        self.spec.program != Program::Training
    }

    /// Without a loss the forward pass of training runs alone, its graph kept.
    fn trains(&self) -> bool {
        !self.forward_only() && self.spec.loss != Loss::None
    }

    fn mark(&mut self, step: u32, micro_batch: u32, phase: Phase) {
        self.tape
            .mark(u32::try_from(self.marks.len()).unwrap_or(u32::MAX));
        self.marks.push(Mark {
            step,
            micro_batch,
            phase,
        });
    }

    /// Tokens of a sample and of a target in a step: the last one has the longest batches.
    fn lengths(&self, step: u32) -> [u64; 2] {
        let usual = self.spec.usual_lengths.filter(|_| step + 1 < STEPS);
        usual.unwrap_or([self.spec.seq_len, self.spec.target_seq_len])
    }

    /// Fetch, forward and backward of each micro-batch; the last batch lives on.
    fn micro_batches(&mut self, step: u32) -> Option<Batch> {
        let (t, spec) = (self.tape, self.spec);
        let mut batch = None;
        for micro_batch in 0..self.accumulation {
            self.mark(step, micro_batch, Phase::Data);
            batch.replace(self.model.fetch(t, spec, self.lengths(step)));
            let Some(batch) = &batch else { continue };
            self.mark(step, micro_batch, Phase::Forward);
            let grad_mode = t.set_grad_enabled(!self.forward_only());
            if let Some(dtype) = autocast(spec) {
                t.enter_autocast(dtype);
            }
            let mut output = self.forward(batch);
            let converts = converts_outputs(spec);
            if !converts {
                self.model.add_mean(t, &mut output);
            }
            t.classify_autocast_copies();
            t.exit_autocast();
            if converts {
                output = in_float32(t, output, self.model.calling().returns_tuples);
                self.model.add_mean(t, &mut output);
            }
            let Output {
                logits,
                mut loss,
                encoded,
                beside,
            } = output;
            t.set_grad_enabled(grad_mode);
            // The loop's variables are assigned when there is something new.
            self.last_loss = None;
            if spec.keep_outputs {
                if let Some(logits) = &logits {
                    logits.set_category(Category::Logits);
                }
                let returned = loss.clone().filter(|_| spec.loss != Loss::MeanLogits);
                self.kept = Some(([logits, returned, encoded], beside, t.take_cache()));
            } else {
                let storage = logits.as_ref().map(Tensor::storage_id);
                drop((logits, encoded, beside));
                t.close_cache();
                // What a fused loss has saved, to write the gradient over it, stays logits.
                if let Some(storage) = storage {
                    t.classify(storage, Category::Logits);
                }
            }
            if self.accumulation > 1 && !self.optimizer.borrow().divides_loss() {
                loss = loss.map(|loss| t.div_scalar(&loss));
            }
            self.forward_ended(loss.as_ref());
            if self.forward_only() || spec.keep_outputs {
                self.last_loss.clone_from(&loss);
            }
            if self.trains() {
                self.mark(step, micro_batch, Phase::Backward);
                self.backward(loss, micro_batch + 1 == self.accumulation);
            }
        }
        batch
    }

    /// The forward pass. Its outputs hold the cache that it fills.
    fn forward(&mut self, batch: &Batch) -> Output {
        let (t, spec) = (self.tape, self.spec);
        if spec.use_cache {
            self.model.open_cache_for(t, batch);
        }
        if spec.offload.activations && self.trains() {
            let (output, on_host) = t.save_on_cpu(|| self.model.forward(t, batch));
            self.counts.host_activations = on_host;
            output
        } else {
            self.model.forward(t, batch)
        }
    }

    fn backward(&mut self, loss: Option<Tensor>, last: bool) {
        let t = self.tape;
        let scaled = loss.as_ref();
        let scaled = scaled.and_then(|loss| self.optimizer.borrow().scaled(t, loss));
        if let Some(loss) = scaled.as_ref().or(loss.as_ref()) {
            match &mut self.scaler {
                Some(scaler) => t.backward(&scaler.scale(t, loss)),
                None => t.backward(loss),
            }
        }
        classify_gradients(t);
        if last {
            self.optimizer.borrow().backward_ended(t);
        }
        drop((scaled, loss));
        if let Some(leaving) = &self.leaving {
            leaving.finish(t);
        }
    }

    /// Clipping and the optimizer's step, up to the mark of `zero_grad`.
    fn update(&mut self, step: u32) {
        if !self.trains() {
            return;
        }
        let t = self.tape;
        let last = self.accumulation - 1;
        // Clipping is part of a step with weights of its own.
        if self.spec.clip_grad_norm && !self.optimizer.borrow().clips() {
            self.mark(step, last, Phase::Clip);
            if let Some(scaler) = &mut self.scaler {
                scaler.unscale(t);
            }
            clip_grad_norm(t);
        }
        self.mark(step, last, Phase::OptimizerStep);
        if self.leaving.is_some() {
            // The step is the host's.
        } else if let Some(scaler) = &mut self.scaler {
            scaler.step(t, &mut self.optimizer.borrow_mut());
            scaler.update();
        } else if self.spec.offload.optimizer_states {
            offload::step(t, &mut self.optimizer.borrow_mut());
        } else {
            self.optimizer.borrow_mut().step(t);
        }
        self.mark(step, last, Phase::ZeroGrad);
    }

    fn zero_gradients(&self) {
        if self.trains() && self.spec.zero_grad_set_to_none {
            self.tape.drop_gradients();
        }
    }

    /// Builds the model with all its layers, which no step of the program does: the parameters and
    /// what is computed with them are the same.
    fn build_whole(&mut self) {
        let whole = || Model::new(self.tape, self.spec);
        self.whole = Some(Rc::new(self.tape.with_own_parameters(whole)));
    }

    /// Whether something that the model made since lives on beside gradients and workspaces: another
    /// one, built anew, would not have it.
    fn leaves_more_than_gradients(&self, since: usize) -> bool {
        self.tape.with_storages(|storages| {
            let mut living = storages[since..].iter().filter(|storage| storage.alive);
            living.any(|storage| {
                let category = storage.category;
                category != Category::Gradients
                    && category != Category::Workspaces
                    && category != Category::Inputs
            })
        })
    }

    /// An evaluation after the step, while the caller still holds the last batch.
    fn evaluate(&mut self, step: u32) {
        if self.spec.evaluation.kind == EvaluationKind::None {
            return;
        }
        self.mark(step, 0, Phase::Evaluation);
        let model = Rc::clone(self.whole.as_ref().unwrap_or(&self.model));
        self.counts.predicted = Evaluator::new(self.tape, self.spec, &model).run();
    }

    /// What is alive when the forward pass has ended is kept for backward.
    fn forward_ended(&mut self, loss: Option<&Tensor>) {
        if let Some(loss) = loss {
            loss.set_category(Category::Logits);
        }
        self.keep_what_lives();
        let is_saved =
            |category| matches!(category, Category::Activations | Category::AutocastWeights);
        self.counts.saved_for_backward = self.tape.with_storages(|storages| {
            let saved = storages.iter().filter(|s| s.alive && is_saved(s.category));
            let bytes = saved.map(|s| s.bytes * self.tape.multiplicity(s.scope));
            bytes.sum()
        });
    }

    /// What lives when a forward pass has ended is not temporary. Between folded steps the next
    /// forward pass would find it so.
    fn keep_what_lives(&self) {
        self.tape.with_storages(|storages| {
            for storage in storages.iter_mut().filter(|s| s.alive) {
                if matches!(storage.category, Category::Temporaries | Category::KvCache) {
                    storage.category = Category::Activations;
                }
            }
        });
    }
}

/// Says of every gradient that there is what it is.
fn classify_gradients(t: &Tape) {
    t.for_each_parameter(|_, _, grad| {
        if let Some(grad) = grad {
            grad.set_category(Category::Gradients);
        }
    });
}

#[cfg(test)]
mod tests;
