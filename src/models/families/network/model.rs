//! Any model, and what goes in and out of it.

use super::batch::{Batch, Given, batch};
use super::divided;
use super::generation::Calling;
use super::net::Net;
use super::seq2seq;
use crate::ask::{EvaluationKind, Framework, Loss, ModelLoading, Task};
use crate::families::registry;
use crate::model::{Architecture, DecoderConfig, LocalStage, Module, ResolvedSpec};
use crate::nn::build::{
    Builder, Call, Facts, Finished, Joined, Output, Plan, Request, moved, saved_scale_codes,
};
use crate::nn::heads::loss;
use crate::nn::vision::ImageFeatures;
use crate::tape::{Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// A model on the tape.
pub struct Model {
    net: Net,
    loss: Loss,
    facts: Facts,
    num_parameters: u64,
    /// Parameters that copies are trained in the place of.
    _copied: Vec<Tensor>,
    scale_codes: u64,
    /// Weights of experts that are copied apart when a checkpoint is written.
    joined: Vec<Joined>,
    pub(crate) call: Rc<Call>,
    /// Tokens that each layer sees; `None` for layers that see all.
    pub(crate) windows: Vec<Option<u64>>,
    pub(crate) calling: Calling,
    /// Whether logits stay divided among ranks: the training script computes their loss.
    divides_logits: bool,
    /// Whether the training loop takes labels out of a batch for the loss (`_loss_step`, `recipes`, torchtune 0.6.1).
    takes_labels: bool,
    /// Whether the training program computes the loss of logits, with labels that are shifted already.
    has_loss_outside: bool,
    /// The dtype of the weights.
    pub(crate) dtype: DType,
}

/// The modules of a model by name, in the order of `named_modules`: it is built dry, on a tape that records
/// nothing, with as many layers as repeat.
pub fn modules(architecture: &Architecture, task: Task, framework: Framework) -> Vec<Module> {
    let tape = Tape::silent();
    let spec = ResolvedSpec::plain(architecture.clone(), task, framework);
    let plan = Plan::dry(&tape, &spec, &Rc::default());
    let builder = Builder::new(&plan, spec.weights);
    drop(registry::build(&builder, &spec, Facts::of(&spec)));
    let outline = plan.outline.unwrap_or_default();
    outline.modules(&tape.finish().1)
}

/// Whether the layers of a model can be on several ranks, some on each: it is built dry.
pub fn has_stages(architecture: &Architecture, task: Task, framework: Framework) -> bool {
    let shares =
        |config: &DecoderConfig| config.gemma_layers.is_some_and(|layers| layers.readers > 0);
    if task != Task::CausalLm
        || matches!(architecture, Architecture::Decoder(config) if shares(config))
    {
        return false;
    }
    let tape = Tape::silent();
    let spec = ResolvedSpec::plain(architecture.clone(), task, framework);
    let plan = Plan::dry(&tape, &spec, &Rc::default());
    let net = registry::build(&Builder::new(&plan, spec.weights), &spec, Facts::of(&spec));
    matches!(net, Net::Decoder(net) if net.has_stages())
}

impl Model {
    /// Builds the model: its parameters and buffers are allocated.
    pub fn new(t: &Tape, spec: &ResolvedSpec) -> Self {
        let build = || Self::built(t, spec);
        let dp = &spec.parallelism.dp;
        match spec.around.loading {
            // FSDP brings each unit, or each parameter, to the device itself.
            ModelLoading::Cpu if !(dp.fsdp.built_on_cpu || spec.builds_on_meta()) => {
                moved(t, build)
            }
            _ => build(),
        }
    }

    fn built(t: &Tape, spec: &ResolvedSpec) -> Self {
        let call = Rc::new(Call::default());
        let plan = Plan::new(t, spec, &call);
        let b = Builder::new(&plan, spec.weights);
        let net = plan.modules(|| registry::build(&b, spec, Facts::of(spec)));
        let Finished {
            parameters: num_parameters,
            copied,
            scale_codes,
            joined,
        } = plan.finish();
        Self {
            net,
            loss: spec.loss,
            facts: Facts::of(spec),
            num_parameters,
            _copied: copied,
            scale_codes,
            joined,
            call,
            windows: spec.architecture.windows(),
            calling: Calling::of(spec),
            divides_logits: spec.divides_logits(),
            takes_labels: spec.is_of_torchtune(),
            has_loss_outside: spec.is_of_torchtitan(),
            dtype: spec.weights,
        }
    }

    /// Elements of all parameters, trained or not.
    pub fn num_parameters(&self) -> u64 {
        self.num_parameters
    }

    /// Makes its state dictionary, and drops it: parameters are in it as they are, but where the `whole` model is
    /// written, weights of experts that a checkpoint has apart.
    pub fn save(&self, t: &Tape, whole: bool) {
        let codes = saved_scale_codes(t, self.scale_codes);
        let joined = self.joined.iter().filter(|_| whole);
        let apart: Vec<Tensor> = joined.flat_map(|joined| joined.apart(t)).collect();
        drop((codes, apart));
    }

    /// How `generate` calls it.
    pub fn calling(&self) -> Calling {
        self.calling
    }

    /// Copies one micro-batch to the device, whose samples and targets have `lengths` tokens.
    pub fn fetch(&self, t: &Tape, spec: &ResolvedSpec, lengths: [u64; 2]) -> Batch {
        if let Net::Graph(net) = &self.net {
            return net.fetch(t);
        }
        let labels = self.loss.has_labels();
        let samples = spec.micro_batch_size;
        if spec.mesh.cp > 1 {
            return divided::batch(t, spec, [samples, lengths[0]]);
        }
        let given = Given {
            mask: spec.padding_mask,
            labels,
            decoder_ids: !labels,
        };
        batch(t, spec, (samples, lengths), given)
    }

    /// Copies one batch of an evaluation to the device: `samples` of them, with labels where a
    /// loss is asked for. A prompt for generation comes with its mask.
    pub fn fetch_for_evaluation(&self, t: &Tape, spec: &ResolvedSpec, samples: u64) -> Batch {
        if let Net::Graph(net) = &self.net {
            return net.fetch(t);
        }
        let kind = spec.evaluation.kind;
        let generates = kind == EvaluationKind::Generate;
        let labels = matches!(kind, EvaluationKind::Loss | EvaluationKind::Trainer);
        let given = Given {
            mask: spec.padding_mask || generates,
            labels,
            decoder_ids: !labels && !generates,
        };
        let lengths = [spec.seq_len, spec.target_seq_len];
        batch(t, spec, (samples, lengths), given)
    }

    /// [`Self::open_cache`] for a batch, whose labels may exclude it.
    pub fn open_cache_for(&self, t: &Tape, batch: &Batch) {
        if !(self.calling.labels_or_cache && batch.labels.is_some()) {
            self.open_cache(t, batch.input.dim(1));
        }
    }

    /// Runs the model forward as an evaluation does: the loss comes from labels or not at all. What is around its
    /// forward, within what wraps the model, `converts` what it gives.
    pub fn evaluate(
        &self,
        t: &Tape,
        batch: &Batch,
        request: Request,
        converts: impl FnOnce(Output) -> Output,
    ) -> Output {
        self.call.ask(request);
        let output = self.run(t, batch, converts);
        self.call.ask(Request::default());
        output
    }

    /// Runs the encoder of an encoder-decoder; nothing for other models.
    pub fn encode(&self, t: &Tape, batch: &Batch, request: Request) -> Option<Tensor> {
        let Net::Seq2Seq(net) = &self.net else {
            return None;
        };
        self.call.ask(request);
        let encoded = seq2seq::encode(t, net.as_ref(), &batch.input);
        self.call.ask(Request::default());
        Some(encoded)
    }

    /// Runs what sees the images of a prompt, unless they are seen together with its tokens.
    pub fn see(&self, t: &Tape, prompt: &Batch) -> Option<ImageFeatures> {
        let Net::Decoder(net) = &self.net else {
            return None;
        };
        net.see(t, prompt.images()?, prompt.input.dim(0))
    }

    /// Positions `[B, S]` of a prompt to what `generate` gives a decoder instead.
    pub fn places(&self, t: &Tape, positions: Tensor) -> Tensor {
        match &self.net {
            Net::Decoder(net) => net.places(t, positions),
            _ => positions,
        }
    }

    /// Runs a decoder forward over token ids `[B, S]` with a mask of all tokens, and images that it is to
    /// see with them.
    pub fn infer(
        &self,
        t: &Tape,
        ids: &Tensor,
        (mask, images): (Option<Tensor>, Option<Tensor>),
        request: Request,
    ) -> Output {
        let batch = Batch {
            padding_mask: mask,
            images: images.map(|images| (images, false)),
            ..Batch::of(ids.clone())
        };
        self.evaluate(t, &batch, request, |output| output)
    }

    fn run(&self, t: &Tape, batch: &Batch, converts: impl FnOnce(Output) -> Output) -> Output {
        t.begin_forward();
        let mut given = batch.clone();
        t.before_module(&mut given.inputs_mut());
        let mut output = converts(self.called(t, &given));
        t.after_module(&mut output.tensors_mut());
        drop(given);
        let outside = self.divides_logits || self.has_loss_outside;
        let labels = batch.labels.as_ref().filter(|_| outside);
        if let (Some(labels), Some(logits)) = (labels, &output.logits) {
            let loss = t.scoped("loss", None, || self.loss_outside(t, logits, labels));
            output.loss = Some(loss);
        }
        output
    }

    fn loss_outside(&self, t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
        if self.divides_logits {
            return loss::of_divided_logits(t, logits, labels);
        }
        let facts = Facts {
            labels_are_shifted: true,
            ..self.facts
        };
        loss::causal_lm(t, facts, logits, labels)
    }

    fn called(&self, t: &Tape, batch: &Batch) -> Output {
        let inside = !self.divides_logits && !self.has_loss_outside;
        let labels = batch.labels.as_ref().filter(|_| inside);
        let labels = labels.map(|labels| batch.targets.as_ref().unwrap_or(labels));
        self.call.pass_mask(batch.padding_mask.as_ref());
        self.call.pass_images(batch.images());
        self.call.pass_positions(batch.positions.as_ref());
        self.call.pass_boundaries(batch.boundaries.as_ref());
        let output = match &self.net {
            Net::Encoder(net) => net.forward(t, &batch.input, labels),
            Net::Pairs(net) => net.forward(t, &batch.input, batch.images.as_ref(), labels),
            Net::Seq2Seq(net) => {
                let decoder_ids = batch.decoder_ids.as_ref();
                let before = self.call.encoded();
                seq2seq::forward(t, net.as_ref(), &batch.input, labels, (decoder_ids, before))
            }
            Net::Decoder(net) => net.forward(t, &batch.input, labels),
            Net::Graph(net) => net.forward(t, batch),
        };
        self.call.pass_mask(None);
        self.call.pass_images(None);
        self.call.pass_positions(None);
        self.call.pass_boundaries(None);
        output
    }

    /// Runs the model forward, with the loss that it computes itself. What is around its forward, within what
    /// wraps the model, `converts` what it gives.
    pub fn forward(
        &self,
        t: &Tape,
        batch: &Batch,
        converts: impl FnOnce(Output) -> Output,
    ) -> Output {
        self.run(t, batch, converts)
    }

    /// Runs a stage of the model forward (of a pipeline): token ids `[B, S]`, if it is the first, or hidden
    /// states `[B, S, H]`, to hidden states or, if it is the last, logits `[B, S, V]`.
    pub fn run_stage(
        &self,
        t: &Tape,
        stage: &LocalStage,
        input: &Tensor,
        positions: Option<&Tensor>,
    ) -> Tensor {
        let Net::Decoder(net) = &self.net else {
            return input.clone();
        };
        t.begin_forward();
        let mut input = input.clone();
        t.before_module(&mut [&mut input]);
        let mut output = net.run_stage(t, stage, &input, positions);
        t.after_module(&mut [&mut output]);
        output
    }

    /// Values that the training loop computes itself: the loss of targets that the model is not given, or the mean
    /// of the logits.
    pub fn add_loss(&self, t: &Tape, batch: &mut Batch, output: &mut Output) {
        batch.labels.take_if(|_| self.takes_labels);
        if output.loss.is_some() || self.loss == Loss::None {
            return;
        }
        if let Net::Graph(net) = &self.net {
            output.loss = t.scoped("loss", None, || net.loss(t, batch, output));
            return;
        }
        output.loss = (output.logits.as_ref()).map(|logits| match &batch.targets {
            Some(targets) => t.scoped("loss", None, || {
                loss::causal_lm(t, self.facts, logits, targets)
            }),
            None => t.mean_all(logits),
        });
    }
}
