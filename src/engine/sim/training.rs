//! The training program: what a loop around the model does, part by part.

mod evaluated;
mod objective;
mod saved;

use super::fold::Counts;
use super::gradients::{apply_before_next, classify_gradients};
use super::objectives::Trainer;
use super::pipeline::{Held, StagesOfRank};
use super::precision::{autocast, converts_outputs, copied, in_float32};
use super::sharded;
use super::{Mark, ModelParameter, Phase, activations, offload};
use crate::ask::{ContextParallelKind, Loss, Precision, Program};
use crate::families::{Batch, DividedBatch, Model};
use crate::model::ResolvedSpec;
use crate::nn::Output;
use crate::optim::{GradScaler, Optimizer, clip_grad_norm};
use crate::parallel::{Wrapper, is_wrapped, wrapped};
use crate::tape::{Category, KeyValueCache, Tape, Tensor, Work};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::rc::Rc;

/// Steps until the allocator's pools stop growing: in the second the optimizer states are there
/// from the start, the third repeats it with everything cached.
pub(super) const STEPS: u32 = 3;

/// Without a loss the forward pass of training runs alone, its graph kept.
pub(super) fn trains(spec: &ResolvedSpec) -> bool {
    spec.program == Program::Training && spec.loss != Loss::None
}

/// Outputs that the caller holds: logits, loss and encoder's states, others, and the cache.
type Kept = ([Option<Tensor>; 3], Vec<Tensor>, Option<KeyValueCache>);

/// A run that is going on.
pub(super) struct Run<'a> {
    tape: &'a Tape,
    spec: &'a ResolvedSpec,
    accumulation: u32,
    /// Memory that the process holds beside the model.
    _held: Tensor,
    model: Rc<Model>,
    /// The model that is evaluated, where that is another one than the trained one, of which layers were
    /// left out.
    evaluated: Option<Rc<Model>>,
    optimizer: Rc<RefCell<Optimizer>>,
    /// The wrapper of this rank, unless it trains alone.
    wrapper: Option<Rc<dyn Wrapper>>,
    scaler: Option<GradScaler>,
    /// The trainer of TRL that makes the steps.
    trainer: Option<Trainer<'a>>,
    /// The stages of this rank, where the model is divided into some.
    pipeline: Option<StagesOfRank>,
    /// The last outputs that the caller holds: replaced when the next are there.
    pub(super) kept: Option<Kept>,
    /// The loss of the last forward pass, where no backward pass takes it.
    pub(super) last_loss: Option<Tensor>,
    pub(super) marks: Vec<Mark>,
    pub(super) counts: Counts,
    /// The model's parameters, where libraries shard them, each with its module.
    sharded: Vec<(u32, ModelParameter)>,
}

impl<'a> Run<'a> {
    pub(super) fn new(t: &'a Tape, spec: &'a ResolvedSpec, accumulation: u32) -> Self {
        let bytes = Shape::from([spec.other_device_memory.get()]);
        let mut marks = Vec::new();
        if spec.around.loads() {
            saved::begin_loading(t, &mut marks);
        }
        let held = t.allocate("held", bytes, DType::UInt8, Category::Buffers);
        t.divides_among(spec.mesh.tp);
        let (mut counts, mut sharded, mut trainer) = (Counts::default(), Vec::new(), None);
        let (model, wrapper) = wrapped(t, spec, || {
            let model = Rc::new(Model::new(t, spec));
            // Wrappers move parameters.
            if is_wrapped(spec) {
                if !spec.builds_on_meta() {
                    sharded = sharded::parameters(t, spec);
                }
                trainer = Trainer::before_wrapping(t, spec, &model);
            }
            model
        });
        counts.parameters = model.num_parameters();
        counts.trainable = t.trained_elements();
        if let Some(own) = wrapper.as_ref().and_then(|wrapper| wrapper.trainable(t)) {
            counts.trainable = own;
        }
        let alike = wrapper.as_ref().map(|w| w.alike_until(&spec.mesh));
        counts.alike_until = alike.unwrap_or(spec.mesh.shard);
        let adapters = spec.lora.as_ref().map_or(0, |_| counts.trainable);
        let trainer = trainer.or_else(|| Trainer::of(t, spec, counts.parameters - adapters));
        let trainer = trainer.map(|trainer| trainer.within(wrapper.clone()));
        // Measurements of a rank begin with an empty cache, but for a model that is loaded.
        if trainer.is_some() && is_wrapped(spec) && !spec.around.loads() {
            t.empty_cache();
        }
        t.checkpoint_every(spec.checkpoint_every, spec.is_of_torchtitan());
        activations::prepare(t, spec);
        let optimizer = Rc::new(RefCell::new(Optimizer::new(t, spec)));
        if let Some(known) = wrapper.as_ref().and_then(|wrapper| wrapper.parameters()) {
            sharded = known;
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
        if spec.optimizer.name.fuses_backward() {
            apply_before_next(t, &optimizer);
        }
        if spec.optimizer.in_backward {
            let optimizer = Rc::clone(&optimizer);
            t.on_gradient(move |t| {
                classify_gradients(t);
                optimizer.borrow_mut().step(t);
                t.drop_gradients();
            });
        }
        counts.sharded = sharded.iter().map(|(_, parameter)| *parameter).collect();
        let pipeline = spec.is_pipelined().then(|| StagesOfRank::new(t, spec));
        let sums = wrapper.as_ref().map_or(0, |wrapper| wrapper.flag_sums());
        let scaler = spec.precision == Precision::AmpFp16;
        Self {
            tape: t,
            spec,
            accumulation,
            pipeline,
            model,
            evaluated: None,
            optimizer,
            wrapper,
            scaler: scaler.then(|| GradScaler::with_sums(sums)),
            trainer,
            _held: held,
            kept: None,
            last_loss: None,
            marks,
            counts,
            sharded,
        }
    }

    fn forward_only(&self) -> bool {
        self.spec.program != Program::Training
    }

    fn trains(&self) -> bool {
        trains(self.spec)
    }

    pub(super) fn mark(&mut self, step: u32, micro_batch: u32, phase: Phase) {
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
    pub(super) fn micro_batches(&mut self, step: u32) -> Option<Held> {
        if self.pipeline.is_some() {
            self.mark(step, 0, Phase::Data);
        }
        if let Some(pipeline) = &mut self.pipeline {
            let (t, spec) = (self.tape, self.spec);
            let wrapper = self.wrapper.as_deref();
            let begun = t.work();
            let held = pipeline.step((t, spec), &self.model, wrapper, &mut self.marks, step);
            self.counts.batches = t.work().since(begun);
            return Some(held);
        }
        let batch = self.whole_micro_batches(step);
        batch.map(|batch| Held::Whole { _batch: batch })
    }

    /// The micro-batches where the whole model is on the rank.
    fn whole_micro_batches(&mut self, step: u32) -> Option<Batch> {
        let (t, spec) = (self.tape, self.spec);
        let mut batch = None;
        let begun = t.work();
        let mut before_last = Work::default();
        for micro_batch in 0..self.accumulation {
            let before = t.work();
            self.mark(step, micro_batch, Phase::Data);
            if let Some(mut trainer) = self.trainer.take() {
                self.objective(&mut trainer, &mut batch, step, micro_batch);
                self.trainer = Some(trainer);
                if micro_batch + 2 == self.accumulation {
                    before_last = t.work().since(before);
                }
                continue;
            }
            batch.replace(self.model.fetch(t, spec, self.lengths(step)));
            let Some(batch) = &mut batch else { continue };
            self.mark(step, micro_batch, Phase::Forward);
            self.begin_micro_batch(micro_batch + 1 == self.accumulation);
            let grad_mode = t.set_grad_enabled(!self.forward_only());
            if let Some(dtype) = autocast(spec) {
                t.enter_autocast(dtype);
            }
            let divided = self.divided(batch);
            let mut output = self.forward(divided.as_ref().map_or(batch, |(part, _)| part));
            if self.wrapper.as_ref().is_some_and(|w| w.copies_outputs()) {
                output = copied(t, output);
            }
            self.model.add_loss(t, batch, &mut output);
            t.classify_autocast_copies();
            t.exit_autocast();
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
                let returned = loss.clone().filter(|_| spec.loss.is_returned());
                self.kept = Some(([logits, returned, encoded], beside, t.take_cache()));
            } else {
                let storage = logits.as_ref().map(Tensor::storage_id);
                drop((logits, encoded, beside));
                t.close_cache();
                // The logits that a fused loss has saved, to write the gradient over them, stay logits.
                if let Some(storage) = storage {
                    t.classify(storage, Category::Logits);
                }
            }
            if self.accumulation > 1 && !self.optimizer.borrow().divides_loss() {
                loss = loss.map(|loss| t.div_scalar(&loss));
            }
            self.forward_ended(loss.as_ref());
            // A loop around a graph lets go of the loss after backward.
            if self.forward_only() || (spec.keep_outputs && !spec.loss.is_of_graph()) {
                self.last_loss.clone_from(&loss);
            }
            if self.trains() {
                self.mark(step, micro_batch, Phase::Backward);
                self.backward(loss, micro_batch + 1 == self.accumulation);
            }
            drop(divided);
            if micro_batch + 2 == self.accumulation {
                before_last = t.work().since(before);
            }
        }
        // Micro-batches that are not run repeat the last but one.
        let run = u64::from(self.accumulation);
        let others = spec.gradient_accumulation_steps.saturating_sub(run);
        self.counts.batches = t.work().since(begun).plus(before_last, others);
        if let Some((work, times)) = self.trainer.as_ref().map(Trainer::left_out) {
            self.counts.batches = self.counts.batches.plus(work, times);
        }
        batch
    }

    /// The wrapper's part where a micro-batch begins, the `last` of a step or not.
    fn begin_micro_batch(&self, last: bool) {
        if let Some(wrapper) = &self.wrapper {
            wrapper.at_boundary(last);
            wrapper.begin_micro_batch(self.tape, last || !self.spec.parallelism.dp.no_sync);
        }
    }

    /// The batch in a context that divides its sequences among ranks, if there is one.
    fn divided(&self, batch: &Batch) -> Option<(Batch, DividedBatch)> {
        let ranks = self.spec.mesh.cp;
        let ring = self.spec.parallelism.cp.kind == ContextParallelKind::Ring;
        (ranks > 1 && ring).then(|| batch.divided(self.tape, ranks))
    }

    /// The forward pass. Its outputs hold the cache that it fills.
    fn forward(&mut self, batch: &Batch) -> Output {
        let (t, spec) = (self.tape, self.spec);
        if spec.use_cache && self.model.calling().keeps {
            self.model.open_cache_for(t, batch);
        }
        let Some(what) = activations::host_copies(spec).filter(|_| self.trains()) else {
            return self.call(batch);
        };
        let (output, on_host) = t.save_on_host(what, || self.call(batch));
        self.counts.host_activations = on_host;
        output
    }

    /// Calls the model. Accelerate's region of autocast ends, and converts what it gives, within what wraps it.
    fn call(&self, batch: &Batch) -> Output {
        let (t, model) = (self.tape, &self.model);
        model.forward(t, batch, |output| {
            if !converts_outputs(self.spec) {
                return output;
            }
            t.classify_autocast_copies();
            t.exit_autocast();
            in_float32(t, output, model.calling().returns_tuples)
        })
    }

    fn backward(&mut self, loss: Option<Tensor>, last: bool) {
        let t = self.tape;
        let own = loss.as_ref();
        let mut scaled: Vec<Tensor> = (own
            .and_then(|loss| self.optimizer.borrow().scaled(t, loss)))
        .into_iter()
        .collect();
        if let (Some(wrapper), Some(loss)) = (&self.wrapper, own) {
            scaled.extend(wrapper.scaled(t, loss, !self.spec.objective.is_on()));
        }
        if let Some(loss) = scaled.last().or(own) {
            match &mut self.scaler {
                Some(scaler) => t.backward(&scaler.scale(t, loss)),
                None => t.backward(loss),
            }
        }
        classify_gradients(t);
        if self.spec.optimizer.name.fuses_backward() {
            self.optimizer.borrow().fused_update(t);
        }
        if last {
            self.optimizer.borrow().backward_ended(t);
        }
        if let Some(wrapper) = &self.wrapper {
            wrapper.backward_ended(t);
        }
        drop((scaled, loss));
    }

    /// Makes the states that the optimizer has before its first step.
    pub(super) fn begin_optimizer(&mut self) {
        self.on_rank(|t| self.optimizer.borrow_mut().begin(t));
        let spec = self.spec;
        if spec.offload.optimizer_states && !spec.parallelism.dp.offloads() {
            self.counts.host_copies = offload::host_copies(self.tape);
        }
    }

    /// Makes lists that were folded whole, for the optimizer; nothing when that cannot be done.
    pub(super) fn unfold(&mut self) -> Option<()> {
        if !self
            .wrapper
            .as_ref()
            .is_none_or(|wrapper| wrapper.hand_over(self.tape))
        {
            return None;
        }
        let whole = self.tape.unfold()?;
        self.counts.sharded = sharded::of_whole(&self.sharded, &whole)?;
        Some(())
    }

    /// Drops the batch of a step: with how many events.
    pub(super) fn dropped(&self, batch: Option<Held>) -> usize {
        let before = self.tape.event_count();
        drop(batch);
        self.tape.event_count() - before
    }

    /// Clipping and the optimizer's step, up to the mark of `zero_grad`.
    pub(super) fn update(&mut self, step: u32) {
        if !self.trains() {
            return;
        }
        let t = self.tape;
        let begun = t.work();
        let last = self.accumulation - 1;
        // Clipping is part of a step with weights of its own.
        let clips = self.wrapper.as_ref().is_some_and(|wrapper| wrapper.clips());
        if self.spec.clip_grad_norm && !clips && !self.optimizer.borrow().clips() {
            self.mark(step, last, Phase::Clip);
            if let Some(scaler) = &mut self.scaler {
                scaler.unscale(t);
            }
            match &self.wrapper {
                Some(wrapper) => {
                    let summed = wrapper.sums_norms();
                    wrapper.clip(t, &mut |t| clip_grad_norm(t, summed));
                }
                None => clip_grad_norm(t, false),
            }
        }
        self.mark(step, last, Phase::OptimizerStep);
        let optimizer = &self.optimizer;
        let mut own = |t: &Tape| optimizer.borrow_mut().step(t);
        let mut run = |t: &Tape| match &self.wrapper {
            Some(wrapper) => wrapper.step(t, &mut own),
            None => own(t),
        };
        if let Some(scaler) = &mut self.scaler {
            let unscales = optimizer.borrow().unscales_gradients();
            scaler.step(t, unscales, run);
            scaler.update();
        } else if self.spec.offload.optimizer_states {
            offload::step(t, &mut optimizer.borrow_mut());
        } else {
            run(t);
        }
        self.counts.update = t.work().since(begun);
        self.mark(step, last, Phase::ZeroGrad);
    }

    /// Calls `run` on this rank's parameters and gradients.
    fn on_rank(&self, mut run: impl FnMut(&Tape)) {
        match &self.wrapper {
            Some(wrapper) => wrapper.on_rank(self.tape, &mut run),
            None => run(self.tape),
        }
    }

    pub(super) fn zero_gradients(&self) {
        if self.trains() && self.spec.zero_grad_set_to_none {
            match &self.wrapper {
                Some(wrapper) => wrapper.drop_gradients(self.tape),
                None => self.tape.drop_gradients(),
            }
        }
        self.tape.synchronize_stream(); // whoever trains looks at the loss
    }

    /// Whether something that the model made since lives on beside gradients, workspaces,
    /// the optimizer's states and what the caller holds of its outputs: another one, built anew, would
    /// not have it.
    pub(super) fn leaves_more_than_gradients(&self, since: usize) -> bool {
        let outputs = self
            .kept
            .iter()
            .flat_map(|([logits, loss, encoded], beside, _)| {
                [logits, loss, encoded].into_iter().flatten().chain(beside)
            });
        let held: Vec<usize> = (outputs.chain(&self.last_loss))
            .map(|output| output.storage_id() as usize)
            .collect();
        self.tape.with_storages(|storages| {
            let living = storages.living();
            let mut left = living.filter(|(id, _)| *id >= since && !held.contains(id));
            left.any(|(_, storage)| {
                let category = storage.category;
                category != Category::Gradients
                    && category != Category::Workspaces
                    && category != Category::OptimizerStates
                    && category != Category::Inputs
            })
        })
    }

    /// Marks storages that are alive when the forward pass has ended as kept for backward.
    fn forward_ended(&mut self, loss: Option<&Tensor>) {
        if let Some(loss) = loss {
            loss.set_category(Category::Logits);
        }
        self.keep_what_lives();
        self.counts.saved_for_backward = self.saved_since(0);
    }

    /// Bytes that are kept for backward of the storages that are written from one on.
    fn saved_since(&self, since: usize) -> u64 {
        let is_saved =
            |category| matches!(category, Category::Activations | Category::AutocastWeights);
        self.tape.with_storages(|storages| {
            let saved = storages.living().filter(|(id, _)| *id >= since);
            let saved = saved.map(|(_, s)| s).filter(|s| is_saved(s.category));
            let bytes = saved.map(|s| s.bytes * self.tape.multiplicity(s.scope));
            bytes.sum()
        })
    }

    /// Counts storages that steps have left since number `since` to the forward pass of the last step.
    pub(super) fn steps_ended(&mut self, since: usize) {
        self.counts.saved_for_backward += self.saved_since(since);
    }

    /// Classifies temporaries that live when a forward pass has ended as activations. Between folded steps the next
    /// forward pass would find them so.
    pub(super) fn keep_what_lives(&self) {
        self.tape.with_storages(|storages| {
            storages.classify_living(|category| match category {
                Category::Temporaries | Category::KvCache => Category::Activations,
                kept => kept,
            });
        });
    }
}
