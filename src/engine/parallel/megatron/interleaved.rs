//! The interleaved schedule (`forward_backward_pipelining_with_interleaving`): chunks of a rank take turns, a
//! group of as many micro-batches as ranks each.

use super::step::{Call, Received, Sent};
use crate::tape::Tensor;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The output of a chunk, which the schedule's variable holds beside the list of those under way.
type Output = Rc<RefCell<Sent>>;

/// A step of the schedule that is going on, everything by chunk.
struct Interleaved<'a> {
    call: &'a Call<'a>,
    /// The micro-batch and the chunk of each turn (`get_schedule_table`).
    table: Vec<(u64, usize)>,
    warmup: usize,
    chunks: usize,
    inputs: Vec<VecDeque<Option<Received>>>,
    outputs: Vec<VecDeque<Output>>,
    gradients: Vec<VecDeque<Option<Tensor>>>,
}

/// Variables of the schedule.
#[derive(Default)]
struct Variables {
    output: Option<Output>,
    input: Option<Received>,
    of_output: Option<Tensor>,
    of_input: Option<Tensor>,
    /// The gradient of an input whose send is not waited for.
    sending: Option<Tensor>,
}

pub(super) fn run(call: &Call) {
    let mut step = Interleaved::new(call);
    let variables = step.passes();
    call.chunks.finalize(call.tape);
    drop(variables);
}

impl<'a> Interleaved<'a> {
    fn new(call: &'a Call<'a>) -> Self {
        let schedule = &call.schedule;
        let chunks = usize::try_from(schedule.chunks).unwrap_or(1);
        let (group, all) = (schedule.ranks, schedule.micro_batches);
        let mut table = Vec::new();
        for first in (0..all).step_by(usize::try_from(group).unwrap_or(1).max(1)) {
            for chunk in 0..chunks {
                table.extend((first..(first + group).min(all)).map(|micro| (micro, chunk)));
            }
        }
        let after = schedule.ranks - schedule.rank - 1;
        let warmup = after * 2 + (schedule.chunks - 1) * group;
        Self {
            call,
            warmup: usize::try_from(warmup)
                .unwrap_or(usize::MAX)
                .min(table.len()),
            table,
            chunks,
            inputs: vec![VecDeque::new(); chunks],
            outputs: vec![VecDeque::new(); chunks],
            gradients: vec![VecDeque::new(); chunks],
        }
    }

    /// `get_model_chunk_id`.
    fn chunk(&self, turn: usize, forward: bool) -> usize {
        let (_, chunk) = self.table[turn % self.table.len()];
        if forward {
            chunk
        } else {
            self.chunks - chunk - 1
        }
    }

    /// `recv_tensor_from_previous_stage`: whether something comes after a turn, and for which chunk.
    fn comes(&self, turn: usize, forward: bool) -> Option<usize> {
        let schedule = &self.call.schedule;
        let leads = if forward {
            schedule.is_first()
        } else {
            schedule.is_last()
        };
        if !leads {
            return Some(self.chunk(turn + 1, forward));
        }
        let ranks = usize::try_from(schedule.ranks).unwrap_or(1);
        let sent = turn.checked_sub(ranks - 1)?;
        let sent = self.chunk(sent, forward);
        let last = if forward { self.chunks - 1 } else { 0 };
        match (sent == last, forward) {
            (true, _) => None,
            (false, true) => Some(sent + 1),
            (false, false) => sent.checked_sub(1),
        }
    }

    /// `forward_step_helper`.
    fn forward(&mut self, turn: usize) -> Output {
        let (micro_batch, chunk) = self.table[turn];
        if self.call.reads_ids(chunk) && self.inputs[chunk].len() == self.outputs[chunk].len() {
            self.inputs[chunk].push_back(None);
        }
        // Micro-batches whose backward has run are gone (`num_released_microbatches`).
        let backward = turn.saturating_sub(self.warmup);
        let of_chunk = |&&(_, of): &&(u64, usize)| of == self.chunks - chunk - 1;
        let released = self.table[..backward].iter().filter(of_chunk).count();
        let place = usize::try_from(micro_batch).unwrap_or(usize::MAX) - released;
        let input = self.inputs[chunk].get(place).cloned().flatten();
        let output = self.call.forward((chunk, micro_batch), input.as_ref());
        let output = Rc::new(RefCell::new(output));
        self.outputs[chunk].push_back(Rc::clone(&output));
        output
    }

    /// `backward_step_helper`: the gradient of the chunk's input.
    fn backward(&mut self, turn: usize) -> Option<Tensor> {
        let chunk = self.chunk(turn, false);
        let (micro_batch, _) = self.table[turn];
        if self.call.gives_loss(chunk) && self.gradients[chunk].is_empty() {
            self.gradients[chunk].push_back(None);
        }
        let input = self.inputs[chunk].pop_front().flatten();
        let output = self.outputs[chunk].pop_front()?;
        let gradient = self.gradients[chunk].pop_front().flatten();
        let held = output.borrow().held();
        let scaled = self.call.backward(
            (chunk, micro_batch),
            &mut output.borrow_mut(),
            gradient.as_ref(),
        );
        drop((scaled, held));
        let gradient = input.as_ref().and_then(Received::gradient);
        gradient.filter(|_| !self.call.reads_ids(chunk))
    }

    /// Receives tensors, for the chunks that they are for.
    fn receive(&mut self, v: &mut Variables, [input, gradient]: [Option<usize>; 2]) {
        let received = input.map(|_| self.call.receive());
        let of_output = gradient.map(|_| self.call.receive_gradient());
        v.input = received;
        v.of_output = of_output;
        if let Some(chunk) = input {
            self.inputs[chunk].push_back(v.input.clone());
        }
        if let Some(chunk) = gradient {
            self.gradients[chunk].push_back(v.of_output.clone());
        }
    }

    /// `deallocate_output_tensor` of the tensor that the variable holds.
    fn deallocate(&self, v: &Variables) {
        if let Some(output) = &v.output {
            self.call.deallocate(&mut output.borrow_mut());
        }
    }

    /// Runs all passes; returns the variables with the tensors that they hold then.
    fn passes(&mut self) -> Variables {
        let mut v = Variables::default();
        let schedule = self.call.schedule;
        let (total, last) = (self.table.len(), self.chunks - 1);
        let remaining = total - self.warmup;
        let first = (!schedule.is_first()).then(|| self.call.receive());
        self.inputs[0].push_back(first);
        for turn in 0..self.warmup {
            let input = self.comes(turn, true).filter(|_| turn + 1 < total);
            v.output = Some(self.forward(turn));
            self.forget_loss(&mut v, turn);
            let is_end = turn + 1 == self.warmup && remaining > 0;
            let gradient = (is_end && !schedule.is_last()).then_some(last);
            if is_end && !schedule.overlaps {
                self.receive(&mut v, [input, gradient]);
                self.deallocate(&v);
                continue;
            }
            let received = input.map(|_| self.call.receive());
            v.input = received;
            if let Some(chunk) = input {
                self.inputs[chunk].push_back(v.input.clone());
            }
            self.deallocate(&v);
            if let Some(chunk) = gradient {
                v.of_output = Some(self.call.receive_gradient());
                self.gradients[chunk].push_back(v.of_output.clone());
            }
        }
        for turn in 0..remaining {
            if schedule.overlaps {
                self.overlapped(&mut v, turn, turn + 1 == remaining);
            } else {
                self.one_after_the_other(&mut v, turn, turn + 1 == remaining);
            }
        }
        self.deallocate(&v);
        if remaining == 0 {
            let gradient = (!schedule.is_last()).then(|| self.call.receive_gradient());
            self.gradients[last].push_back(gradient);
        }
        for turn in remaining..total {
            let gradient = self.comes(turn, false).filter(|_| turn + 1 < total);
            v.of_input = self.backward(turn);
            let received = gradient.map(|_| self.call.receive_gradient());
            v.of_output = received;
            if let Some(chunk) = gradient {
                self.gradients[chunk].push_back(v.of_output.clone());
            }
        }
        v.sending = None;
        v
    }

    /// Drops the output of the last chunk, which is not sent.
    fn forget_loss(&self, v: &mut Variables, turn: usize) {
        if self.call.gives_loss(self.chunk(turn, true)) {
            v.output = None;
        }
    }

    /// A forward and a backward pass, after which sends and receives are waited for.
    fn one_after_the_other(&mut self, v: &mut Variables, turn: usize, is_end: bool) {
        let forward = turn + self.warmup;
        let output = self.forward(forward);
        let of_input = self.backward(turn);
        v.output = Some(output);
        v.of_input = of_input;
        self.forget_loss(v, forward);
        let input = self.comes(forward, true).filter(|_| !is_end);
        let gradient = self.comes(turn, false);
        self.receive(v, [input, gradient]);
        self.deallocate(v);
    }

    /// Both passes with exchanges beside them: a tensor sent forward stays until the next pass, one sent back
    /// until the next is sent.
    fn overlapped(&mut self, v: &mut Variables, turn: usize, is_end: bool) {
        let forward = turn + self.warmup;
        self.deallocate(v);
        let output = self.forward(forward);
        if let Some(chunk) = self.comes(forward, true).filter(|_| !is_end) {
            let received = self.call.receive();
            self.inputs[chunk].push_back(Some(received));
        }
        let of_input = self.backward(turn);
        let gradient = self.comes(turn, false);
        let received = gradient.map(|_| self.call.receive_gradient());
        // The receive buffer holds the first gradient until then.
        v.of_output = None;
        v.sending.clone_from(&of_input);
        if let Some(chunk) = gradient {
            self.gradients[chunk].push_back(received);
        }
        v.output = Some(output);
        self.forget_loss(v, forward);
        v.of_input = of_input;
    }
}
