//! What a rank runs in a step (`_PipelineScheduleRuntime`).

use super::action::{Action, Computation};
use super::lowering::program;
use super::orders::Plan;
use super::places::StagePlaces;
use super::single;
use super::stage::Stage;
use crate::ask::PipelineSchedule;
use crate::model::ResolvedSpec;
use crate::parallel::wrapper::StageWrapper;
use crate::tape::{Tape, Tensor};
use std::collections::BTreeMap;

/// The model of a rank's stages.
pub trait StageModel {
    /// What a stage makes of token ids `[B, S]`, if it is the first, or hidden states `[B, S, H]`: the same, or
    /// logits `[B, S, V]` if it is the last.
    fn forward(&self, t: &Tape, stage: u64, input: &Tensor) -> Tensor;

    /// The loss of logits `[B, S, V]` and labels `[B, S]`.
    fn loss(&self, t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor;
}

/// What a step of a schedule is given and holds.
pub(super) struct Step<'a> {
    pub(super) tape: &'a Tape,
    pub(super) model: &'a dyn StageModel,
    pub(super) micro_batches: u64,
    pub(super) returns_outputs: bool,
    /// Token ids and labels `[B * M, S]`, where the rank has the stage that reads them.
    batch: [Option<&'a Tensor>; 2],
    /// What wraps the stages.
    pub(super) wrapper: Option<&'a dyn StageWrapper>,
    /// What is told of each forward or backward pass before it begins.
    begins: &'a dyn Fn(Action),
    /// Losses of the micro-batches so far (`_internal_losses`).
    losses: Vec<Tensor>,
}

impl Step<'_> {
    /// A forward or backward pass begins.
    pub(super) fn begin(&self, action: Action) {
        (self.begins)(action);
        if let Some(wrapper) = self.wrapper {
            if action.computation == Computation::Forward {
                wrapper.forward_begins(action.stage);
            } else {
                wrapper.backward_begins(action.stage);
            }
        }
    }

    /// The gradients of all micro-batches are there (`perform_reduce_grad`).
    pub(super) fn reduce(&self, stage: &Stage) {
        if let Some(wrapper) = self.wrapper {
            wrapper.reduce(self.tape, stage.index);
        }
    }

    /// The part of one micro-batch.
    fn part(&self, of: Option<&Tensor>, micro_batch: u64) -> Option<Tensor> {
        let all = of?;
        let samples = all.dim(0) / self.micro_batches.max(1);
        let start = micro_batch * samples;
        Some(self.tape.slice(all, 0, start, start + samples))
    }

    /// Token ids `[B, S]` of a micro-batch.
    pub(super) fn ids(&self, micro_batch: u64) -> Option<Tensor> {
        self.part(self.batch[0], micro_batch)
    }

    /// `_maybe_compute_loss`.
    pub(super) fn compute_loss(&mut self, stage: &Stage, output: Option<&Tensor>, i: u64) {
        let labels = self.part(self.batch[1], i).filter(|_| stage.is_last);
        if let (Some(labels), Some(output)) = (labels, output) {
            let loss = self.model.loss(self.tape, output, &labels);
            self.losses.push(loss);
        }
    }

    /// A backward pass of a stage, from its loss if it is the last.
    pub(super) fn backward(&mut self, stage: &mut Stage, i: u64, full: bool) {
        let place = usize::try_from(i).unwrap_or(usize::MAX);
        let mut losses = std::mem::take(&mut self.losses);
        let own = losses.get_mut(place).filter(|_| stage.is_last);
        stage.backward(self, i, own, full);
        self.losses = losses;
    }
}

/// The stages of a rank and what it does with them in a step.
pub struct Pipeline {
    plan: Plan,
    stages: Vec<Stage>,
    /// Nothing where schedules of one stage a rank say themselves what they do.
    program: Vec<Action>,
    returns_outputs: bool,
}

/// What a step gives its caller.
pub struct Given {
    /// The logits `[B * M, S, V]`, where the caller wants them.
    pub outputs: Option<Tensor>,
    /// The loss of each micro-batch.
    pub losses: Vec<Tensor>,
}

impl Pipeline {
    /// The stages of the rank that is looked at, whose parameters are on the tape. Stages send what the
    /// model of this many columns gives.
    pub fn new(t: &Tape, spec: &ResolvedSpec, columns: u64) -> Self {
        let pp = &spec.parallelism.pp;
        let plan = Plan {
            schedule: pp.schedule,
            ranks: spec.mesh.pp,
            stages_of_rank: pp.stages(),
            micro_batches: pp.in_a_step(),
        };
        let shape = [spec.micro_batch_size, spec.seq_len, columns];
        let boundary = (shape.into(), spec.weights);
        let mut parameters = if pp.schedule.splits_backward() {
            parameters_of_stages(t, spec)
        } else {
            BTreeMap::new()
        };
        let own = spec.local_stages().into_iter().map(|stage| {
            let parameters = parameters.remove(&stage.index).unwrap_or_default();
            Stage::new((stage.index, plan.stages()), parameters, boundary)
        });
        let stages = own.collect();
        let program = match plan.schedule {
            PipelineSchedule::None
            | PipelineSchedule::GPipe
            | PipelineSchedule::OneForwardOneBackward => Vec::new(),
            _ => program(plan, spec.mesh.rank.pp),
        };
        Self {
            plan,
            stages,
            program,
            returns_outputs: pp.return_outputs,
        }
    }

    /// `schedule.step`: forward and backward of all micro-batches, whose token ids and labels `[B * M, S]` are
    /// given to the stages that read them.
    pub fn step(
        &mut self,
        t: &Tape,
        model: &dyn StageModel,
        (batch, wrapper): ([Option<&Tensor>; 2], Option<&dyn StageWrapper>),
        begins: &dyn Fn(Action),
    ) -> Given {
        let mut step = Step {
            tape: t,
            model,
            micro_batches: self.plan.micro_batches,
            returns_outputs: self.returns_outputs,
            batch,
            wrapper,
            begins,
            losses: Vec::new(),
        };
        self.stages.iter_mut().for_each(Stage::clear);
        match (self.plan.schedule, self.stages.first_mut()) {
            (PipelineSchedule::GPipe, Some(stage)) => single::gpipe(&mut step, stage),
            (PipelineSchedule::None | PipelineSchedule::OneForwardOneBackward, Some(stage)) => {
                single::one_forward_one_backward(&mut step, stage, self.plan.ranks);
            }
            _ => {
                let mut sending = BTreeMap::new();
                for action in &self.program {
                    perform(&mut self.stages, &mut step, *action, &mut sending);
                }
            }
        }
        let mut last = self.stages.iter().filter(|stage| stage.is_last);
        Given {
            losses: std::mem::take(&mut step.losses),
            outputs: last.next().and_then(|stage| stage.merged(t)),
        }
    }
}

/// What is being sent (`_PendingSendTracker`): a forward's output or a backward's gradient, by stage and
/// micro-batch.
type Sending = BTreeMap<(bool, u64, u64), Option<Tensor>>;

/// `_perform_action`.
fn perform(stages: &mut [Stage], step: &mut Step, action: Action, sending: &mut Sending) {
    let i = action.micro_batch;
    let place = |index: u64| stages.iter().position(|stage| stage.index == index);
    let Some(at) = place(action.stage) else {
        return;
    };
    let next = place(action.stage + 1);
    let before = action.stage.checked_sub(1).and_then(place);
    let stage = &mut stages[at];
    let computes = matches!(
        action.computation,
        Computation::Forward
            | Computation::FullBackward
            | Computation::BackwardInput
            | Computation::BackwardWeight
    );
    if let (true, Some(wrapper)) = (computes, step.wrapper) {
        wrapper.gathered(step.tape, action.stage);
    }
    match action.computation {
        Computation::SendForward => {
            sending.insert((true, action.stage, i), stage.send(i));
        }
        Computation::SendBackward => {
            sending.insert((false, action.stage, i), stage.gradient(i));
        }
        Computation::WaitSendForward => {
            sending.remove(&(true, action.stage, i));
            stage.sent(i);
        }
        Computation::WaitSendBackward => {
            sending.remove(&(false, action.stage, i));
        }
        Computation::ReceiveForward => {
            stage.receive(step.tape, i);
        }
        Computation::ReceiveBackward => {
            stage.receive_gradient(step.tape, i);
        }
        Computation::Forward => {
            let output = stage.forward(step, i);
            step.compute_loss(stage, output.as_ref(), i);
            if let (Some(next), Some(output)) = (next, &output) {
                stages[next].take_input(output, i);
            }
        }
        Computation::FullBackward | Computation::BackwardInput => {
            step.backward(stage, i, action.computation == Computation::FullBackward);
            if let Some(before) = before {
                let gradient = stage.gradient(i);
                stages[before].take_gradient(gradient, i);
            }
        }
        Computation::BackwardWeight => stage.backward_of_weights(step, i),
        Computation::ReduceGradients => step.reduce(stage),
        Computation::Unshard => {
            if let Some(wrapper) = step.wrapper {
                wrapper.gather(step.tape, action.stage);
            }
        }
        Computation::Reshard => {
            if let Some(wrapper) = step.wrapper {
                wrapper.give_back(action.stage);
            }
        }
        Computation::WaitReduceGradients => {}
    }
}

/// The trained parameters of each local stage, in the order in which they were made.
fn parameters_of_stages(t: &Tape, spec: &ResolvedSpec) -> BTreeMap<u64, Vec<Tensor>> {
    let mut places = StagePlaces::of(spec);
    let mut found: BTreeMap<u64, Vec<Tensor>> = BTreeMap::new();
    t.for_each_parameter(|_, parameter, _| {
        if let Some(stage) = places.stage_of(t, t.scope_of(parameter)) {
            found.entry(stage).or_default().push(parameter.clone());
        }
    });
    found
}
