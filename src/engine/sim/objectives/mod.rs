//! Steps as TRL's trainers make them: the forward passes of the trained model and of its reference model, and the loss.
//!
//! Metrics are left out where they are numbers that are gone before the next one is computed. Source: trl 1.16.0,
//! `trainer/*_trainer.py`; transformers 5.23, `trainer.py`; accelerate 1.15, `accelerator.py`.

mod all_logits;
mod completions;
mod distillation;
mod dpo;
mod evaluation;
mod grpo;
mod kto;
mod kto_all_logits;
mod orpo;
mod pairs;
mod recipe_dpo;
mod reward;
mod sft;
mod vllm;

use super::Phase;
use super::precision::{autocast, copied};
use crate::ask::{DataParallelKind, LogProbs, ObjectiveKind};
use crate::families::{Batch, Model};
use crate::model::{Architecture, Experts, ResolvedSpec};
use crate::nn::{Output, Request, Scored};
use crate::parallel::{Wrapper, keeps_references_whole, wrapped_reference};
use crate::tape::{Category, OwnHooks, Tape, Tensor, TokenOutputs, Work};
use crate::units::{DType, Shape};
use std::rc::Rc;
use vllm::Vllm;

/// The scope of a teacher: its layers are none of the model's.
const TEACHER: &str = "teacher";

/// The batches that a trainer makes.
#[derive(Clone, Copy)]
struct Batches {
    /// Samples of one batch.
    size: u64,
    /// The number of batches that completions are generated for at once.
    count: u64,
    /// Whether it trains on them; it evaluates them where not.
    train: bool,
    /// Whether their predictions are kept, for metrics.
    predict: bool,
}

impl Batches {
    /// The batches of a training step.
    const fn of_training(spec: &ResolvedSpec) -> Self {
        Self {
            size: spec.micro_batch_size,
            count: spec.gradient_accumulation_steps,
            train: true,
            predict: false,
        }
    }

    /// Samples that completions are generated for at once.
    const fn samples(self) -> u64 {
        self.size * self.count
    }
}

/// The results of a trainer for a batch.
struct Computed {
    loss: Tensor,
    /// Logits of all tokens, where they are kept: computed by another forward pass, since the head that scores tokens
    /// makes none.
    logits: Option<Tensor>,
}

impl From<Tensor> for Computed {
    fn from(loss: Tensor) -> Self {
        Self { loss, logits: None }
    }
}

/// A trainer of TRL.
pub(super) struct Trainer<'a> {
    tape: &'a Tape,
    spec: &'a ResolvedSpec,
    batches: Batches,
    /// The model that the trained one is compared with, where that is not the same without adapters: a reference, or a
    /// teacher.
    reference: Option<(Model, OwnHooks)>,
    /// The wrapper of this rank, unless it trains alone.
    wrapper: Option<Rc<dyn Wrapper>>,
    /// The vLLM that generates.
    vllm: Option<Vllm<'a>>,
    /// Completions of the micro-batches of a step.
    generated: Option<grpo::Generated>,
    /// Completions of distillation.
    completed: Option<distillation::Completed>,
    /// Logits of a reference that nobody reads, which a recipe of torchtune holds.
    unread: Option<Tensor>,
    /// Work of the reference for some samples, and the number of samples that are not run.
    left_out: Option<(Work, u64)>,
}

impl<'a> Trainer<'a> {
    /// The trainer of a run whose model is wrapped, where that leaves references whole: it loads its own before it trains,
    /// and wraps the model when it does.
    pub(super) fn before_wrapping(
        t: &'a Tape,
        spec: &'a ResolvedSpec,
        model: &Model,
    ) -> Option<Self> {
        let first = keeps_references_whole(spec) && !spec.around.loads();
        let adapters = spec.lora.as_ref().map_or(0, |_| t.trained_elements());
        first.then(|| Self::of(t, spec, model.num_parameters() - adapters))?
    }

    /// The trainer of a run, with the reference that it keeps; nothing where the run has none.
    ///
    /// The trained model has `parameters` parameters without adapters.
    pub(super) fn of(t: &'a Tape, spec: &'a ResolvedSpec, parameters: u64) -> Option<Self> {
        let built = |spec| {
            let build = || wrapped_reference(t, spec, || Model::new(t, spec));
            t.with_own_parameters(build)
        };
        let teacher = spec.teacher.as_deref();
        spec.objective.is_on().then(|| Self {
            tape: t,
            spec,
            batches: Batches::of_training(spec),
            reference: match teacher {
                Some(teacher) => Some(t.scoped(TEACHER, None, || built(teacher))),
                None => spec.has_own_reference().then(|| built(spec)),
            },
            wrapper: None,
            vllm: Vllm::start(t, spec, parameters),
            generated: None,
            completed: None,
            unread: None,
            left_out: None,
        })
    }

    /// The model is trained within a wrapper, where several ranks train it.
    pub(super) fn within(self, wrapper: Option<Rc<dyn Wrapper>>) -> Self {
        Self { wrapper, ..self }
    }

    /// Copies a micro-batch to the device, as the trainer's collator makes it; nothing where it is generated there.
    pub(super) fn fetch(&self) -> Option<Batch> {
        let spec = self.spec;
        if spec.objective.trains_on_generated() {
            return None;
        }
        let pairs = if spec.objective.has_pairs() { 2 } else { 1 };
        let tokens = Shape::from([self.batches.size * pairs, spec.seq_len]);
        let numbers = |shape, dtype| self.tape.allocate("zeros", shape, dtype, Category::Inputs);
        let of_tokens = || numbers(tokens, DType::Int64);
        let ids = of_tokens();
        if spec.objective.has_all_logits() {
            return Some(self.of_pairs_apart(ids));
        }
        let scores = spec.objective.kind != ObjectiveKind::Reward;
        // Labels, or which tokens are of a completion.
        let labels = scores.then(of_tokens);
        let mut beside = Vec::new();
        if spec.objective.is_of_recipe() {
            return Some(Batch {
                labels,
                ..Batch::of(ids)
            });
        }
        if spec.packing.is_on() {
            return Some(self.packed(Batch {
                labels,
                ..Batch::of(ids)
            }));
        }
        let mask = of_tokens();
        if spec.objective.kind == ObjectiveKind::Sft && self.batches.train {
            // How many tokens all micro-batches of the step score.
            beside.push(numbers(Shape::new(&[]), DType::Int64));
        }
        if spec.objective.has_divergence() {
            // Completions of other prompts, their mask, which of their tokens are of a completion, and which of the
            // samples are wanted.
            beside.extend([(); 3].map(|()| of_tokens()));
        }
        let samples = Shape::from([self.batches.size]);
        if spec.objective.kind == ObjectiveKind::Kto {
            beside.push(numbers(samples, DType::Bool));
        }
        if spec.objective.precompute_ref_log_probs {
            let of_others =
                spec.objective.kind != ObjectiveKind::Kto || spec.objective.has_divergence();
            let count = if of_others { 2 } else { 1 };
            beside.extend((0..count).map(|_| numbers(samples, DType::Float32)));
        }
        Some(Batch {
            padding_mask: Some(mask),
            labels,
            beside,
            ..Batch::of(ids)
        })
    }

    /// A row of packed sequences `[1, S]` with its labels, as `padding_free` of `SFTTrainer` completes it: positions, where
    /// sequences begin, of queries and of keys, and which sequence each token is of.
    fn packed(&self, row: Batch) -> Batch {
        let numbers = |shape, dtype| self.tape.allocate("zeros", shape, dtype, Category::Inputs);
        let tokens = *row.ids().shape();
        let ends = Shape::from([self.spec.packing.sequences + 1]);
        let positions = numbers(tokens, DType::Int64);
        let boundaries = [(); 2].map(|()| numbers(ends, DType::Int32));
        let sequences = numbers(tokens, DType::Int32);
        // How many tokens all micro-batches of the step score.
        let items = (self.batches.train).then(|| numbers(Shape::new(&[]), DType::Int64));
        let [of_queries, of_keys] = boundaries;
        Batch {
            positions: Some(positions),
            boundaries: Some(of_queries),
            beside: [of_keys, sequences].into_iter().chain(items).collect(),
            ..row
        }
    }

    /// Chosen and rejected sequences each with their mask and labels, and prompts with theirs
    /// (`DPODataCollatorWithPadding`).
    fn of_pairs_apart(&self, ids: Tensor) -> Batch {
        let spec = self.spec;
        let prompt = spec.seq_len - spec.objective.completion_tokens.unwrap_or(1);
        let shapes = [spec.seq_len, prompt].map(|n| Shape::from([self.batches.size, n]));
        let numbers = |shape| {
            self.tape
                .allocate("zeros", shape, DType::Int64, Category::Inputs)
        };
        let of_sequences = (0..5).map(|_| numbers(shapes[0]));
        let beside = of_sequences.chain((0..2).map(|_| numbers(shapes[1])));
        Batch {
            beside: beside.collect(),
            ..Batch::of(ids)
        }
    }

    /// The loss of a micro-batch from which `training_step` goes backward; `first` says that it is the first of a
    /// generation; `mark` is told of phases.
    pub(super) fn loss(
        &mut self,
        model: &Model,
        (batch, first): (Option<&Batch>, bool),
        mark: &mut dyn FnMut(Phase),
    ) -> Option<Tensor> {
        let loss = self.computed(model, (batch, first), mark)?.loss;
        let objective = &self.spec.objective;
        // Those trainers know how many tokens all micro-batches have.
        let counts = objective.trains_on_generated() || objective.kind == ObjectiveKind::Sft;
        Some(if counts { loss } else { self.divided(loss) })
    }

    /// The results of the trainer's `compute_loss` for a batch.
    fn computed(
        &mut self,
        model: &Model,
        (batch, first): (Option<&Batch>, bool),
        mark: &mut dyn FnMut(Phase),
    ) -> Option<Computed> {
        match self.spec.objective.kind {
            ObjectiveKind::Sft => sft::loss(self, model, batch?),
            ObjectiveKind::Dpo if self.spec.objective.is_of_recipe() => {
                recipe_dpo::loss(self, model, batch?, mark)
            }
            ObjectiveKind::Dpo => dpo::loss(self, model, batch?, mark),
            ObjectiveKind::Kto
                if self.spec.objective.log_probs() == LogProbs::LogSoftmax
                    && self.spec.objective.has_divergence()
                    && self.spec.objective.has_reference() =>
            {
                kto_all_logits::loss(self, model, batch?, mark)
            }
            ObjectiveKind::Kto => kto::loss(self, model, batch?, mark),
            ObjectiveKind::Orpo => orpo::loss(self, model, batch?, true).map(Computed::from),
            ObjectiveKind::Cpo => orpo::loss(self, model, batch?, false).map(Computed::from),
            ObjectiveKind::Reward => reward::loss(self, model, batch?),
            ObjectiveKind::Grpo => {
                if first {
                    self.generate(model, mark);
                }
                self.group_loss(model).map(Computed::from)
            }
            ObjectiveKind::Distillation => self.distilled(model, first, mark).map(Computed::from),
            ObjectiveKind::None => None,
        }
    }

    /// Processes whose metrics are gathered.
    const fn processes(&self) -> u64 {
        self.spec.mesh.dp
    }

    /// Tokens of a row that are scored.
    fn scored(&self) -> u64 {
        self.spec.objective.completion_tokens.unwrap_or(1)
    }

    /// The loss divided by the number of micro-batches, even if it is one (`loss_is_scaled_for_ga`).
    #[allow(clippy::needless_pass_by_value, reason = "the loss before is dropped")]
    fn divided(&self, loss: Tensor) -> Tensor {
        self.tape.div_scalar(&loss)
    }

    /// The loss that balances experts, where the trainer adds it to its own.
    fn balance<'o>(&self, output: &'o Output) -> Option<&'o Tensor> {
        let kind = self.spec.objective.kind;
        let balanced = |experts: &&Experts| experts.balanced && kind.balances_experts();
        self.experts().filter(balanced)?;
        output.beside.last()
    }

    fn experts(&self) -> Option<&Experts> {
        match &self.spec.architecture {
            Architecture::Decoder(config) => config.experts.as_ref(),
            _ => None,
        }
    }

    /// Scores the tokens that labels name.
    fn scores(&self, model: &Model, batch: &Batch, outputs: TokenOutputs) -> Output {
        let output = self.asks(model, batch, self.scoring(outputs));
        self.scored_tokens(output, batch)
    }

    /// The output of a model, with log-probabilities of tokens where its head has not scored them.
    fn scored_tokens(&self, output: Output, batch: &Batch) -> Output {
        if self.has_all_logits() {
            self.with_log_probs(output, batch.ids())
        } else {
            output
        }
    }

    /// Scores the tokens that labels name, without a loss that balances experts unless the config asks for routers'
    /// logits.
    fn scores_alone(&self, model: &Model, batch: &Batch, outputs: TokenOutputs) -> Output {
        let output = self.asks(model, batch, self.scoring_alone(outputs));
        self.scored_tokens(output, batch)
    }

    fn scoring_alone(&self, outputs: TokenOutputs) -> Request {
        Request {
            without_balance: self.experts().is_some_and(|experts| !experts.asked),
            ..self.scoring(outputs)
        }
    }

    fn scoring(&self, outputs: TokenOutputs) -> Request {
        let scored = Scored {
            tokens: self.spec.objective.completion_tokens.unwrap_or(u64::MAX),
            outputs,
        };
        Request {
            scored: (!self.has_all_logits()).then_some(scored),
            ..Request::default()
        }
    }

    /// The log-probabilities `[B, S - 1]` that the reference gives, and what lives as long: the trained model without
    /// its adapters gives what its head was told to.
    fn refers(&self, model: &Model, batch: &Batch, outputs: TokenOutputs) -> Output {
        let t = self.tape;
        let grad_mode = t.set_grad_enabled(false);
        let outputs = match &self.reference {
            Some(_) => TokenOutputs::default(),
            None => outputs,
        };
        let request = Request {
            without_adapters: self.reference.is_none(),
            ..self.scoring_alone(outputs)
        };
        // `from_pretrained` has set a reference to evaluation.
        let trains = t.is_training();
        t.train(trains && self.reference.is_none());
        let output = match &self.reference {
            Some((reference, hooks)) => t.with_hooks(hooks, || {
                self.asks_under(self.autocasts_reference(), reference, batch, request)
            }),
            None => self.asks_within(model, batch, request),
        };
        let output = self.scored_tokens(output, batch);
        t.train(trains);
        t.set_grad_enabled(grad_mode);
        output
    }

    /// Calls the model that is trained, through what wraps it on a rank.
    fn asks(&self, model: &Model, batch: &Batch, request: Request) -> Output {
        let output = self.asks_within(model, batch, request);
        if self.copies_outputs() {
            return copied(self.tape, output);
        }
        output
    }

    /// Whether what comes out of what wraps the trained model passes through copies: it is evaluated without.
    fn copies_outputs(&self) -> bool {
        let copies = |wrapper: &Rc<dyn Wrapper>| wrapper.copies_outputs();
        self.batches.train && self.wrapper.as_ref().is_some_and(copies)
    }

    /// Calls a model within the region of autocast that accelerate has put around its forward.
    fn asks_within(&self, model: &Model, batch: &Batch, request: Request) -> Output {
        self.asks_under(autocast(self.spec), model, batch, request)
    }

    /// The autocast of a reference: what prepares one for FSDP puts none around it.
    fn autocasts_reference(&self) -> Option<DType> {
        let kind = self.spec.parallelism.dp.kind;
        let sharded = matches!(kind, DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2);
        autocast(self.spec).filter(|_| !sharded)
    }

    fn asks_under(
        &self,
        autocast: Option<DType>,
        model: &Model,
        batch: &Batch,
        request: Request,
    ) -> Output {
        let t = self.tape;
        if let Some(dtype) = autocast {
            t.enter_autocast(dtype);
        }
        let request = Request {
            masked: batch.mask().is_some() && !self.spec.padding_mask,
            ..request
        };
        let mixed = autocast.is_some();
        model.evaluate(t, batch, request, |mut output| {
            t.classify_autocast_copies();
            t.exit_autocast();
            // Scores are in float32 anyway.
            if let Some(logits) = output.logits.take_if(|_| mixed) {
                output.logits = Some(t.to(&logits, DType::Float32));
            }
            output
        })
    }
}
