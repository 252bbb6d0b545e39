//! The schedules of a rank (`core/pipeline_parallel/schedules.py`): no pipeline, and 1F1B. What is received is
//! allocated for each receive; what was sent is emptied at once.

use super::interleaved;
use super::step::{Call, Received, Sent};
use crate::ask::PipelineSchedule;
use crate::model::ResolvedSpec;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::collections::VecDeque;

/// A pass of a chunk that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkPass {
    /// Which of the rank's chunks.
    pub chunk: usize,
    /// The micro-batch.
    pub micro_batch: u64,
    /// Whether it goes forward.
    pub is_forward: bool,
}

/// The chunks of a model on a rank, as a schedule runs them.
pub trait MegatronChunks {
    /// A pass begins.
    fn begins(&self, t: &Tape, pass: ChunkPass);

    /// The forward pass of a chunk: what the next stage reads, or the last one's loss; nothing where there is no
    /// such chunk.
    fn forward(&self, t: &Tape, chunk: usize, input: Option<&Tensor>) -> Option<Tensor>;

    /// The loss as backward begins with it (`grad_scale_func`).
    fn scaled(&self, t: &Tape, loss: &Tensor) -> Tensor;

    /// All backward passes have run (`finalize_model_grads_func`).
    fn finalize(&self, t: &Tape);
}

/// A rank's schedule.
#[derive(Clone, Copy, Debug)]
pub struct MegatronSchedule {
    pub(super) rank: u64,
    pub(super) ranks: u64,
    pub(super) chunks: u64,
    pub(super) micro_batches: u64,
    /// Whether sends and receives go on beside the computation (`overlap_p2p_comm`).
    pub(super) overlaps: bool,
    pub(super) boundary: (Shape, DType),
}

impl MegatronSchedule {
    /// The schedule of a run, whose stages send tensors of this shape and dtype.
    pub fn new(spec: &ResolvedSpec, boundary: (Shape, DType)) -> Self {
        let pp = &spec.parallelism.pp;
        let interleaves = spec.mesh.pp > 1 && pp.schedule == PipelineSchedule::Interleaved;
        Self {
            rank: spec.mesh.rank.pp,
            ranks: spec.mesh.pp,
            chunks: if interleaves { pp.stages() } else { 1 },
            micro_batches: pp.in_a_step(),
            overlaps: pp.overlap_p2p,
            boundary,
        }
    }

    /// How many chunks of layers the rank has.
    pub fn chunks(&self) -> u64 {
        self.chunks
    }

    pub(super) fn is_first(&self) -> bool {
        self.rank == 0
    }

    pub(super) fn is_last(&self) -> bool {
        self.rank + 1 == self.ranks
    }

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

/// `forward_backward_pipelining_without_interleaving`. Variables hold what they were given until they are given
/// something else.
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
    // What the loop's variables hold.
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
