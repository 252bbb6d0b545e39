//! Schedules of one stage a rank. Variables are those of the Python functions: what they still name lives.

use super::runtime::Step;
use super::stage::Stage;
use crate::tape::Tensor;

/// `ScheduleGPipe._step_microbatches`.
pub(super) fn gpipe(step: &mut Step, stage: &mut Stage) {
    let mut sends = Vec::new();
    for i in 0..step.micro_batches {
        stage.receive(step.tape, i);
        let output = stage.forward(step, i);
        sends.push((i, stage.send(i)));
        step.compute_loss(stage, output.as_ref(), i);
    }
    for (i, sending) in sends {
        drop(sending);
        stage.sent(i);
    }
    let mut sends = Vec::new();
    for i in 0..step.micro_batches {
        let receiving = stage.receive_gradient(step.tape, i);
        step.backward(stage, i, true);
        sends.push(stage.gradient(i));
        drop(receiving);
    }
    drop(sends);
    step.reduce(stage);
}

/// `Schedule1F1B._step_microbatches`.
pub(super) fn one_forward_one_backward(step: &mut Step, stage: &mut Stage, stages: u64) {
    let warmup = step.micro_batches.min(stages - stage.index);
    let (mut forwards, mut backwards) = (0, 0);
    // What the lists of operations name.
    let mut forward_send: Option<Tensor> = None;
    let mut forward_receive: Option<Tensor> = None;
    let mut backward_send: Option<Tensor> = None;
    for _ in 0..warmup {
        keep(&mut forward_receive, stage.receive(step.tape, forwards));
        let output = stage.forward(step, forwards);
        if forwards > 0 {
            forward_send = None;
            stage.sent(forwards - 1);
        }
        keep(&mut forward_send, stage.send(forwards));
        step.compute_loss(stage, output.as_ref(), forwards);
        forwards += 1;
    }
    loop {
        let receiving = stage.receive_gradient(step.tape, backwards);
        forward_send = None;
        stage.sent(forwards - 1);
        drop(receiving);
        step.backward(stage, backwards, true);
        keep(&mut backward_send, stage.gradient(backwards));
        backwards += 1;
        if forwards == step.micro_batches {
            break;
        }
        keep(&mut forward_receive, stage.receive(step.tape, forwards));
        let output = stage.forward(step, forwards);
        step.compute_loss(stage, output.as_ref(), forwards);
        drop(output);
        keep(&mut forward_send, stage.send(forwards));
        forwards += 1;
    }
    let mut backward_receive: Option<Tensor> = None;
    while backwards < step.micro_batches {
        let receiving = stage.receive_gradient(step.tape, backwards);
        keep(&mut backward_receive, receiving);
        step.backward(stage, backwards, true);
        keep(&mut backward_send, stage.gradient(backwards));
        backwards += 1;
    }
    step.reduce(stage);
    drop((
        forward_send,
        forward_receive,
        backward_send,
        backward_receive,
    ));
}

/// Names something else: what was named before goes then.
fn keep(variable: &mut Option<Tensor>, value: Option<Tensor>) {
    drop(std::mem::replace(variable, value));
}
