//! Schedules of one stage a rank. Variables are those of the Python functions: tensors that they still name stay alive.

use super::action::{Action, Computation};
use super::call::Call;
use super::stage::Stage;
use crate::tape::{Tensor, Turns};

/// Actions of both schedules on a stage, in order: `warmup` forward passes before the first backward pass,
/// all of them under `ScheduleGPipe`.
pub(super) fn order(micro_batches: u64, warmup: u64, stage: u64) -> Vec<Action> {
    let warmup = warmup.min(micro_batches);
    let forward = |i| Action::new(stage, Computation::Forward, i);
    let turns = (0..micro_batches).flat_map(|i| {
        let backward = Action::new(stage, Computation::FullBackward, i);
        let next = Some(warmup + i).filter(|&next| next < micro_batches);
        [Some(backward), next.map(forward)]
    });
    let first = (0..warmup).map(forward);
    first.chain(turns.flatten()).collect()
}

/// `ScheduleGPipe._step_microbatches`.
pub(super) fn gpipe(call: &mut Call, stage: &mut Stage) {
    let mut sends = Vec::new();
    for i in 0..call.micro_batches {
        stage.receive(call.tape, i);
        let output = stage.forward(call, i);
        sends.push((i, stage.send(call.tape, i)));
        stage.compute_loss(call, output.as_ref(), i);
    }
    for (i, sending) in sends {
        drop(sending);
        stage.sent(i);
    }
    let mut sends = Vec::new();
    for i in 0..call.micro_batches {
        let receiving = stage.receive_gradient(call.tape, i);
        stage.backward(call, i, true);
        sends.push(stage.send_gradient(call.tape, i));
        drop(receiving);
    }
    drop(sends);
    call.reduce(stage.index);
}

/// `Schedule1F1B._step_microbatches`.
pub(super) fn one_forward_one_backward(call: &mut Call, stage: &mut Stage, stages: u64) {
    let warmup = call.micro_batches.min(stages - stage.index);
    let (mut forwards, mut backwards) = (0, 0);
    // The tensors that the lists of operations name.
    let mut forward_send: Option<Tensor> = None;
    let mut forward_receive: Option<Tensor> = None;
    let mut backward_send: Option<Tensor> = None;
    // The micro-batches that are run: some of the turns that are alike represent all of them.
    let mut all = call.micro_batches;
    let mut turns = Turns::default();
    for _ in 0..warmup {
        keep(&mut forward_receive, stage.receive(call.tape, forwards));
        let output = stage.forward(call, forwards);
        if forwards > 0 {
            forward_send = None;
            stage.sent(forwards - 1);
        }
        keep(&mut forward_send, stage.send(call.tape, forwards));
        stage.compute_loss(call, output.as_ref(), forwards);
        forwards += 1;
    }
    loop {
        let receiving = stage.receive_gradient(call.tape, backwards);
        forward_send = None;
        stage.sent(forwards - 1);
        drop(receiving);
        stage.backward(call, backwards, true);
        if call.goes_on(&mut stage.outputs, &mut turns, warmup - 1, all - forwards) {
            all = forwards;
        }
        keep(
            &mut backward_send,
            stage.send_gradient(call.tape, backwards),
        );
        backwards += 1;
        if forwards == all {
            break;
        }
        keep(&mut forward_receive, stage.receive(call.tape, forwards));
        let output = stage.forward(call, forwards);
        stage.compute_loss(call, output.as_ref(), forwards);
        drop(output);
        keep(&mut forward_send, stage.send(call.tape, forwards));
        forwards += 1;
    }
    let mut backward_receive: Option<Tensor> = None;
    while backwards < all {
        let receiving = stage.receive_gradient(call.tape, backwards);
        keep(&mut backward_receive, receiving);
        stage.backward(call, backwards, true);
        keep(
            &mut backward_send,
            stage.send_gradient(call.tape, backwards),
        );
        backwards += 1;
    }
    call.reduce(stage.index);
    drop((
        forward_send,
        forward_receive,
        backward_send,
        backward_receive,
    ));
}

/// Assigns `value` to `variable`, which drops the tensor assigned before.
fn keep(variable: &mut Option<Tensor>, value: Option<Tensor>) {
    drop(std::mem::replace(variable, value));
}
