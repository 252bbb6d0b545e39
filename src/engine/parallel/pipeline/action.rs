//! Actions of a rank that a schedule orders, one after another (`_Action`).

/// The kind of an action (`_ComputationType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computation {
    /// The forward pass of a stage.
    Forward,
    /// Its whole backward pass.
    FullBackward,
    /// The part of it that gives the gradient of the stage's input.
    BackwardInput,
    /// The part of it that gives the gradients of the stage's weights.
    BackwardWeight,
    /// The forward pass's output is sent to the next stage.
    SendForward,
    /// The stage's input is received from the stage before.
    ReceiveForward,
    /// The gradient of the stage's input is sent to the stage before.
    SendBackward,
    /// The gradient of the stage's output is received from the next stage.
    ReceiveBackward,
    /// The send of the forward pass is waited for.
    WaitSendForward,
    /// The send of the backward pass is waited for.
    WaitSendBackward,
    /// FSDP gathers the parameters of the stage.
    Unshard,
    /// FSDP gives them back.
    Reshard,
    /// Gradients of the stage are reduced, and divided by the number of micro-batches.
    ReduceGradients,
    /// The reduction is waited for.
    WaitReduceGradients,
}

impl Computation {
    /// Whether it gives the gradient of the stage's input.
    pub(super) const fn gives_input_gradient(self) -> bool {
        matches!(self, Self::FullBackward | Self::BackwardInput)
    }

    /// Whether it gives the gradients of the stage's weights.
    pub(super) const fn gives_weight_gradients(self) -> bool {
        matches!(self, Self::FullBackward | Self::BackwardWeight)
    }
}

/// A computation of a rank for one micro-batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The stage, among all of the pipeline.
    pub stage: u64,
    /// The kind.
    pub computation: Computation,
    /// The micro-batch; 0 where it is for none of them.
    pub micro_batch: u64,
}

impl Action {
    /// Something done for a micro-batch.
    pub(super) const fn new(stage: u64, computation: Computation, micro_batch: u64) -> Self {
        Self {
            stage,
            computation,
            micro_batch,
        }
    }

    /// Something done for all.
    pub(super) const fn of_stage(stage: u64, computation: Computation) -> Self {
        Self::new(stage, computation, 0)
    }
}

/// Actions that nothing comes between: one, or a forward with a backward pass (`OVERLAP_F_B`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) first: Action,
    pub(super) second: Option<Action>,
}

impl Step {
    /// Its actions in order.
    pub(super) fn actions(self) -> impl Iterator<Item = Action> {
        [Some(self.first), self.second].into_iter().flatten()
    }
}

impl From<Action> for Step {
    fn from(first: Action) -> Self {
        Self {
            first,
            second: None,
        }
    }
}
