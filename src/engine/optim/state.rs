//! An optimizer and its state.

use super::master_weights::{self, MasterWeights};
use super::megatron::Megatron;
use crate::ask::{OptimizerImpl, OptimizerName};
use crate::model::{Architecture, ResolvedSpec};
use crate::tape::{Category, Storage, Tape, Tensor};
use crate::units::{DType, Shape};

/// The state of one parameter, in the order in which it was made.
pub(super) type State = Vec<Storage>;

/// An optimizer with its state.
pub struct Optimizer {
    pub(super) options: crate::ask::Optimizer,
    pub(super) states: Vec<State>,
    /// Storages that a step puts into the state anew, one a parameter.
    pub(super) kept: Vec<Option<Storage>>,
    /// The state that all parameters share.
    pub(super) shared: State,
    /// Elements of a head of queries, where those have a state in common.
    pub(super) head: u64,
    /// The weights that it steps over instead of the parameters.
    engine: Engine,
}

/// The engine that keeps weights for the optimizer to step over.
enum Engine {
    None,
    DeepSpeed(MasterWeights),
    Megatron(Megatron),
}

impl Optimizer {
    /// A new optimizer over the tape's parameters.
    pub fn new(t: &Tape, spec: &ResolvedSpec) -> Self {
        let options = spec.optimizer;
        let engine = match options.master_weights {
            crate::ask::MasterWeights::None => Engine::None,
            crate::ask::MasterWeights::DeepSpeed => {
                Engine::DeepSpeed(MasterWeights::new(t, options))
            }
            crate::ask::MasterWeights::Megatron => Engine::Megatron(Megatron::new(t, spec)),
        };
        Self {
            options,
            states: Vec::new(),
            kept: Vec::new(),
            shared: State::new(),
            head: head_elements(spec),
            engine,
        }
    }

    /// Makes the states that exist before the first step: only Adagrad and `AdaLOMO` make their states at once.
    pub fn begin(&mut self, t: &Tape) {
        match self.options.name {
            // Of parameters of all meshes at once.
            OptimizerName::Adagrad if self.states.is_empty() => self.adagrad_state(t),
            OptimizerName::AdaLomo => self.adalomo_state(t),
            _ => {}
        }
    }

    /// Whether clipping is part of its step.
    pub fn clips(&self) -> bool {
        !matches!(self.engine, Engine::None)
    }

    /// Whether [`Optimizer::scaled`] divides the loss by the number of micro-batches.
    pub fn divides_loss(&self) -> bool {
        matches!(self.engine, Engine::DeepSpeed(_))
    }

    /// Whether it takes every gradient as soon as it is there.
    pub fn takes_gradients(&self) -> bool {
        matches!(self.engine, Engine::Megatron(_))
    }

    /// The loss that backward begins with, where that is not the model's.
    pub fn scaled(&self, t: &Tape, loss: &Tensor) -> Option<Tensor> {
        match &self.engine {
            Engine::None => {
                (self.options.name == OptimizerName::AdaLomo).then(|| t.mul_scalar(loss))
            }
            Engine::DeepSpeed(_) => Some(t.div_scalar(loss)),
            Engine::Megatron(megatron) => Some(megatron.scale(t, loss)),
        }
    }

    /// Work at the end of the backward pass of a step's last micro-batch.
    pub fn backward_ended(&self, t: &Tape) {
        if matches!(self.engine, Engine::DeepSpeed(_)) {
            master_weights::reduce_gradients(t);
        }
    }

    /// One step over all parameters that have a gradient.
    pub fn step(&mut self, t: &Tape) {
        match std::mem::replace(&mut self.engine, Engine::None) {
            Engine::None => self.own_step(t),
            Engine::DeepSpeed(master_weights) => {
                master_weights.step(t);
                self.engine = Engine::DeepSpeed(master_weights);
            }
            Engine::Megatron(megatron) => {
                megatron.step(t, |t| self.own_step(t));
                self.engine = Engine::Megatron(megatron);
            }
        }
    }

    /// A step over the tape's parameters themselves.
    fn own_step(&mut self, t: &Tape) {
        let grad_mode = t.set_grad_enabled(false);
        if self.options.by_trainer {
            t.with_gradients_of(is_matrix, |t| self.group_step(t));
            t.with_gradients_of(|parameter| !is_matrix(parameter), |t| self.group_step(t));
        } else {
            self.group_step(t);
        }
        t.set_grad_enabled(grad_mode);
    }

    /// A step over one group of parameters.
    fn group_step(&mut self, t: &Tape) {
        match self.options.name {
            OptimizerName::AdamW | OptimizerName::Adam => self.adam(t),
            OptimizerName::Sgd => self.sgd(t),
            OptimizerName::Adafactor => self.adafactor(t),
            OptimizerName::AdafactorTransformers => self.adafactor_transformers(t),
            OptimizerName::RmsProp => self.rmsprop(t),
            OptimizerName::Adagrad => self.adagrad(t),
            OptimizerName::Adadelta => self.adadelta(t),
            OptimizerName::Adamax => self.adamax(t),
            OptimizerName::NAdam => self.nadam(t),
            OptimizerName::Lion => self.lion(t),
            OptimizerName::Muon => self.muon(t),
            OptimizerName::AdamW8bit
            | OptimizerName::PagedAdamW8bit
            | OptimizerName::PagedAdamW32bit
            | OptimizerName::AdamW32bitBitsAndBytes
            | OptimizerName::Lion8bit
            | OptimizerName::Sgd8bit => self.bitsandbytes(t),
            OptimizerName::TorchAo8bit | OptimizerName::TorchAo4bit | OptimizerName::TorchAoFp8 => {
                self.torchao(t);
            }
            OptimizerName::AdamMini => self.adam_mini(t),
            OptimizerName::Apollo | OptimizerName::ApolloMini => self.apollo(t),
            OptimizerName::ScheduleFreeAdamW => self.schedule_free_adamw(t),
            OptimizerName::ScheduleFreeSgd => self.schedule_free_sgd(t),
            OptimizerName::Lomo | OptimizerName::AdaLomo | OptimizerName::None => {}
        }
    }

    /// Whether its step unscales gradients itself (`_step_supports_amp_scaling`): fused ones do.
    pub fn unscales_gradients(&self) -> bool {
        let name = self.options.name;
        self.options.implementation == OptimizerImpl::Fused
            && matches!(
                name,
                OptimizerName::AdamW
                    | OptimizerName::Adam
                    | OptimizerName::Sgd
                    | OptimizerName::Adagrad
            )
    }

    /// Makes the state of every parameter with a gradient that has none yet.
    pub(super) fn init(&mut self, t: &Tape, mut make: impl FnMut(&Tensor) -> State) {
        let states = &mut self.states;
        t.for_each_parameter(|i, parameter, grad| {
            let state = state_at(states, i);
            if grad.is_some() && state.is_empty() {
                *state = make(parameter);
            }
        });
    }
}

/// Whether weight decay is for it in `Trainer`: norms and biases have none (`get_decay_parameter_names`, `trainer.py`,
/// transformers 5.23, which goes by names; biases of experts, a matrix, are taken for weights here).
fn is_matrix(parameter: &Tensor) -> bool {
    parameter.shape().rank() > 1
}

/// Elements of a head of queries (`dim * dim // n_heads`), which queries and keys are divided into.
fn head_elements(spec: &ResolvedSpec) -> u64 {
    match &spec.architecture {
        Architecture::Decoder(config) => {
            config.hidden_size * config.hidden_size / config.num_attention_heads.max(1)
        }
        _ => 0,
    }
}

/// The state of the parameter with this number: a step can come to any of them first.
pub(super) fn state_at<S: Default>(states: &mut Vec<S>, parameter: usize) -> &mut S {
    if states.len() <= parameter {
        states.resize_with(parameter + 1, S::default);
    }
    &mut states[parameter]
}

/// Calls `f` for every parameter that has a gradient, with both.
pub(super) fn for_each_gradient(t: &Tape, mut f: impl FnMut(usize, &Tensor, &Tensor)) {
    t.for_each_parameter(|i, parameter, grad| {
        if let Some(grad) = grad {
            f(i, parameter, grad);
        }
    });
}

/// A state tensor placed and typed like the parameter.
pub(super) fn state_like(t: &Tape, op: &'static str, parameter: &Tensor) -> Storage {
    state_of(t, op, parameter.shape().dims(), parameter.dtype())
}

/// A state tensor of a shape of its own.
pub(super) fn state_of(t: &Tape, op: &'static str, shape: &[u64], dtype: DType) -> Storage {
    t.hold(op, &Shape::new(shape), dtype, Category::OptimizerStates)
}

/// A temporary placed and typed like `x`.
pub(super) fn temporary(t: &Tape, op: &'static str, x: &Tensor) -> Tensor {
    t.empty(op, *x.shape(), x.dtype())
}

/// Temporaries of a multi-tensor operation, which are freed from the last to the first.
pub(super) fn foreach(t: &Tape, op: &'static str) -> Vec<Storage> {
    let mut all = Vec::new();
    t.for_each_parameter(|_, parameter, grad| {
        if grad.is_some() {
            all.push(t.scratch_like(op, parameter));
        }
    });
    all.reverse();
    all
}
