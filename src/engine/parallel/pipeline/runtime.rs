//! A rank's step of a schedule (`_PipelineScheduleRuntime`).

use super::action::{Action, Computation};
use super::call::{Call, Follower, StageModel};
use super::lowering::program;
use super::places::StagePlaces;
use super::plan::Plan;
use super::single;
use super::stage::Stage;
use crate::ask::PipelineSchedule;
use crate::model::ResolvedSpec;
use crate::parallel::wrapper::StageWrapper;
use crate::tape::{Tape, Tensor};
use std::collections::BTreeMap;

/// The stages of a rank and its actions in a step.
pub struct Pipeline {
    plan: Plan,
    stages: Vec<Stage>,
    /// The actions of a step; empty for schedules of one stage a rank, which run without a program.
    program: Vec<Action>,
    returns_outputs: bool,
}

/// The results that a step returns to its caller.
pub struct Given {
    /// The logits `[B * M, S, V]`, where the caller wants them.
    pub outputs: Option<Tensor>,
    /// The loss of each micro-batch.
    pub losses: Vec<Tensor>,
}

impl Pipeline {
    /// The stages of the estimated rank, whose parameters are on the tape. Stages send hidden states of `columns`
    /// columns.
    pub fn new(t: &Tape, spec: &ResolvedSpec, columns: u64) -> Self {
        let pp = &spec.parallelism.pp;
        let plan = Plan::of(spec);
        let divided = spec.divides_sequence();
        let tokens = spec.seq_len / spec.mesh.cp / if divided { spec.mesh.tp } else { 1 };
        let shape = [spec.micro_batch_size, tokens, columns];
        let boundary = (shape.into(), spec.weights);
        let mut parameters = if pp.schedule.splits_backward() {
            parameters_of_stages(t, spec)
        } else {
            BTreeMap::new()
        };
        let own = spec.local_stages().into_iter().map(|stage| {
            let parameters = parameters.remove(&stage.index).unwrap_or_default();
            let gives = (boundary, spec.divides_modules());
            Stage::new(stage.index, plan.stages(), parameters, gives)
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
        follower: &dyn Follower,
    ) -> Given {
        let mut call = Call {
            tape: t,
            model,
            micro_batches: self.plan.micro_batches,
            returns_outputs: self.returns_outputs,
            batch,
            wrapper,
            follower,
            losses: Vec::new(),
        };
        self.stages.iter_mut().for_each(Stage::clear);
        match (self.plan.schedule, self.stages.first_mut()) {
            (PipelineSchedule::GPipe, Some(stage)) => single::gpipe(&mut call, stage),
            (PipelineSchedule::None | PipelineSchedule::OneForwardOneBackward, Some(stage)) => {
                single::one_forward_one_backward(&mut call, stage, self.plan.ranks);
            }
            _ => {
                let mut sending = BTreeMap::new();
                for action in &self.program {
                    perform(&mut self.stages, &mut call, *action, &mut sending);
                }
            }
        }
        let mut last = self.stages.iter().filter(|stage| stage.is_last);
        Given {
            losses: std::mem::take(&mut call.losses),
            outputs: last.next().and_then(|stage| stage.merged(t)),
        }
    }
}

/// Tensors that are being sent (`_PendingSendTracker`): a forward's output or a backward's gradient, by stage and
/// micro-batch.
type Sending = BTreeMap<(bool, u64, u64), Option<Tensor>>;

/// `_perform_action`.
fn perform(stages: &mut [Stage], call: &mut Call, action: Action, sending: &mut Sending) {
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
    if let (true, Some(wrapper)) = (computes, call.wrapper) {
        wrapper.gathered(call.tape, action.stage);
    }
    match action.computation {
        Computation::SendForward => {
            sending.insert((true, action.stage, i), stage.send(call.tape, i));
        }
        Computation::SendBackward => {
            sending.insert((false, action.stage, i), stage.send_gradient(call.tape, i));
        }
        Computation::WaitSendForward => {
            sending.remove(&(true, action.stage, i));
            stage.sent(i);
        }
        Computation::WaitSendBackward => {
            sending.remove(&(false, action.stage, i));
        }
        Computation::ReceiveForward => {
            stage.receive(call.tape, i);
        }
        Computation::ReceiveBackward => {
            stage.receive_gradient(call.tape, i);
        }
        Computation::Forward => {
            let output = stage.forward(call, i);
            stage.compute_loss(call, output.as_ref(), i);
            if let (Some(next), Some(output)) = (next, &output) {
                stages[next].take_input(output, i);
            }
        }
        Computation::FullBackward | Computation::BackwardInput => {
            stage.backward(call, i, action.computation == Computation::FullBackward);
            if let Some(before) = before {
                let gradient = stage.gradient(i);
                stages[before].take_gradient(gradient, i);
            }
        }
        Computation::BackwardWeight => stage.backward_of_weights(call, i),
        Computation::ReduceGradients => call.reduce(stage.index),
        Computation::Unshard => {
            if let Some(wrapper) = call.wrapper {
                wrapper.gather(call.tape, action.stage);
            }
        }
        Computation::Reshard => {
            if let Some(wrapper) = call.wrapper {
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
