//! Any model, and what goes in and out of it.

use super::bert::Bert;
use super::builder::{Builder, Plan};
use super::decoders::{self, CausalLm};
use super::facts::Facts;
use super::linear::LinearNet;
use super::t5::T5;
use crate::spec::{Architecture, Loss, Precision, ResolvedSpec, Task};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// The tensors of one micro-batch on the device.
pub struct Batch {
    /// Token ids `[B, S]`, or features `[B, in]` of the toy.
    input: Tensor,
    /// Padding mask `[B, S]`, when one is passed.
    _padding_mask: Option<Tensor>,
    /// Labels `[B, S]`, when the model computes the loss.
    labels: Option<Tensor>,
    /// The decoder's token ids `[B, T]`, when they do not come from labels.
    decoder_ids: Option<Tensor>,
}

/// What a forward pass returns.
pub struct Output {
    /// The logits.
    pub logits: Tensor,
    /// The loss.
    pub loss: Option<Tensor>,
    /// The encoder's result, which an encoder-decoder returns, too.
    pub encoded: Option<Tensor>,
}

/// A model on the tape.
pub struct Model {
    net: Net,
    loss: Loss,
    num_parameters: u64,
}

enum Net {
    Linear(LinearNet),
    T5(Box<T5>),
    Decoder(Box<dyn CausalLm>),
    Bert(Box<Bert>),
}

/// The dtype of the weights.
pub(super) fn weight_dtype(precision: Precision) -> DType {
    match precision {
        Precision::Bf16 => DType::BFloat16,
        Precision::Fp16 => DType::Float16,
        Precision::Fp32 | Precision::AmpBf16 | Precision::AmpFp16 => DType::Float32,
    }
}

impl Model {
    /// Builds the model: its parameters and buffers are allocated.
    pub fn new(t: &Tape, spec: &ResolvedSpec) -> Self {
        let plan = Plan::new(t, spec);
        let dtype = if spec.quantization.is_on() {
            spec.quantization.unquantized_dtype()
        } else {
            weight_dtype(spec.precision)
        };
        let b = Builder::new(&plan, dtype);
        let facts = Facts::of(spec);
        let net = match &spec.architecture {
            Architecture::Linear(config) => Net::Linear(LinearNet::new(&b, config)),
            Architecture::Bert(config) => Net::Bert(Box::new(Bert::new(&b, config, spec, facts))),
            Architecture::T5(config) => Net::T5(Box::new(T5::new(&b, config, spec, facts))),
            Architecture::Decoder(config) => Net::Decoder(decoders::build(&b, config, spec, facts)),
        };
        Self {
            net,
            loss: spec.loss,
            num_parameters: plan.finish(),
        }
    }

    /// Elements of all parameters, trained or not.
    pub fn num_parameters(&self) -> u64 {
        self.num_parameters
    }

    /// Copies one micro-batch to the device.
    pub fn fetch(&self, t: &Tape, spec: &ResolvedSpec) -> Batch {
        let input = |shape: Shape, dtype| t.allocate("zeros", shape, dtype, Category::Inputs);
        if let Architecture::Linear(config) = &spec.architecture {
            let shape = Shape::from([spec.micro_batch_size, config.in_features]);
            return Batch {
                input: input(shape, weight_dtype(spec.precision)),
                _padding_mask: None,
                labels: None,
                decoder_ids: None,
            };
        }
        let tokens = Shape::from([spec.micro_batch_size, spec.seq_len]);
        let ids = input(tokens, DType::Int64);
        let mask = spec.padding_mask.then(|| input(tokens, DType::Int64));
        let given = match spec.task {
            Task::Seq2SeqLm => Shape::from([spec.micro_batch_size, spec.target_seq_len]),
            Task::SequenceClassification | Task::ImageClassification => {
                Shape::from([spec.micro_batch_size])
            }
            Task::CausalLm | Task::MaskedLm => tokens,
        };
        let labels = (self.loss == Loss::Labels).then(|| input(given, DType::Int64));
        let decoder_ids =
            (labels.is_none() && spec.task == Task::Seq2SeqLm).then(|| input(given, DType::Int64));
        Batch {
            input: ids,
            _padding_mask: mask,
            labels,
            decoder_ids,
        }
    }

    /// Runs the model forward, loss included.
    pub fn forward(&self, t: &Tape, batch: &Batch) -> Output {
        let labels = batch.labels.as_ref();
        let mut output = match &self.net {
            Net::Linear(net) => Output {
                logits: net.forward(t, &batch.input),
                loss: None,
                encoded: None,
            },
            Net::Bert(net) => net.forward(t, &batch.input, labels),
            Net::T5(net) => net.forward(t, &batch.input, labels, batch.decoder_ids.as_ref()),
            Net::Decoder(net) => net.forward(t, &batch.input, labels),
        };
        if output.loss.is_none() && self.loss != Loss::None {
            output.loss = Some(t.mean_all(&output.logits));
        }
        output
    }
}
