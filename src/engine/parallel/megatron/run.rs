//! The schedules of a rank (`core/pipeline_parallel/schedules.py`): no pipeline, and 1F1B. A buffer is allocated for
//! each receive; a tensor that was sent is emptied at once.

use super::interleaved;
use super::schedule::{MegatronChunks, MegatronSchedule};
use super::step::{Call, Received, Sent};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::collections::VecDeque;

impl MegatronSchedule {
    /// Forward and backward passes of all micro-batches of a step.
    pub fn step(&self, t: &Tape, chunks: &dyn MegatronChunks) {
        // `total_num_tokens`.
        let number = Shape::new(&[]);
        let _tokens = t.allocate("zeros", number, DType::Int32, Category::Activations);
        let call = Call {
            tape: t,
            chunks,
            schedule: *self,
        };
        match (self.ranks, self.chunks) {
            (1, _) => no_pipelining(&call),
            (_, 1) => one_forward_one_backward(&call),
            _ => interleaved::run(&call),
        }
    }
}

/// `forward_backward_no_pipelining`.
fn no_pipelining(call: &Call) {
    let mut held = None;
    for micro_batch in 0..call.schedule.micro_batches {
        let mut output = call.forward((0, micro_batch), None);
        held = output.held();
        drop(call.backward((0, micro_batch), &mut output, None));
    }
    call.chunks.finalize(call.tape);
    drop(held);
}

/// `forward_backward_pipelining_without_interleaving`. Variables hold a tensor until they are assigned again.
fn one_forward_one_backward(call: &Call) {
    let schedule = &call.schedule;
    let (first, last) = (schedule.is_first(), schedule.is_last());
    let all = schedule.micro_batches;
    let warmup = (schedule.ranks - schedule.rank - 1).min(all);
    let receive_input = || (!first).then(|| call.receive());
    let mut inputs: VecDeque<Option<Received>> = VecDeque::new();
    let mut outputs: VecDeque<Sent> = VecDeque::new();
    for micro_batch in 0..warmup {
        let input = receive_input();
        let mut output = call.forward((0, micro_batch), input.as_ref());
        call.deallocate(&mut output);
        inputs.push_back(input);
        outputs.push_back(output);
    }
    let remaining = all - warmup;
    // The tensors that the loop's variables hold.
    let mut input = (remaining > 0).then(receive_input).flatten();
    let mut gradients: [Option<Tensor>; 2] = [None, None];
    let mut held: (Option<Sent>, Option<Tensor>) = (None, None);
    for micro_batch in 0..all {
        if micro_batch < remaining {
            let mut output = call.forward((0, warmup + micro_batch), input.as_ref());
            held = (None, None);
            gradients[0] = (!last).then(|| call.receive_gradient());
            call.deallocate(&mut output);
            inputs.push_back(input.take());
            outputs.push_back(output);
        }
        input = inputs.pop_front().flatten();
        held.0 = outputs.pop_front();
        if micro_batch >= remaining {
            gradients[0] = (!last).then(|| call.receive_gradient());
        }
        let Some(output) = &mut held.0 else { break };
        held.1 = call.backward((0, micro_batch), output, gradients[0].as_ref());
        gradients[1] = input.as_ref().and_then(Received::gradient);
        if micro_batch + 1 == remaining {
            input = None;
        } else if micro_batch + 1 < remaining {
            input = receive_input();
        }
    }
    call.chunks.finalize(call.tape);
    drop((input, gradients, held));
}
