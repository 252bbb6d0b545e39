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
    let mut output = None;
    for micro_batch in 0..call.schedule.micro_batches {
        output = Some(call.forward((0, micro_batch), None));
        if let Some(output) = &output {
            let scaled = call.backward((0, micro_batch), None, output, None);
            drop(scaled);
        }
    }
    call.chunks.finalize(call.tape);
    drop(output);
}

/// `forward_backward_pipelining_without_interleaving`. Variables hold what they were given until they are given
/// something else.
fn one_forward_one_backward(call: &Call) {
    let schedule = &call.schedule;
    let (first, last) = (schedule.is_first(), schedule.is_last());
    let all = schedule.micro_batches;
    let warmup = (schedule.ranks - schedule.rank - 1).min(all);
    let mut inputs: VecDeque<Option<Received>> = VecDeque::new();
    let mut outputs: VecDeque<Sent> = VecDeque::new();
    let receive = |wanted: bool| wanted.then(|| call.receive());
    let mut forwards = 0;
    let mut backwards = 0;
    let mut forward = |input: Option<&Received>| {
        let output = call.forward((0, forwards), input);
        forwards += 1;
        output
    };
    let mut backward = |input: Option<&Received>, output: &Sent, gradient: Option<&Tensor>| {
        let scaled = call.backward((0, backwards), input, output, gradient);
        backwards += 1;
        scaled
    };
    for _ in 0..warmup {
        let input = receive(!first).map(Received::new);
        let mut output = forward(input.as_ref());
        inputs.push_back(input);
        call.deallocate(&mut output);
        outputs.push_back(output);
    }
    let remaining = all - warmup;
    let mut input = if remaining > 0 {
        receive(!first).map(Received::new)
    } else {
        None
    };
    // What the loop's variables hold: the gradients of the output and of the input, and the scaled loss.
    let mut of_output = None;
    let mut of_input: Option<Tensor> = None;
    let mut held_output: Option<Sent> = None;
    let mut scaled: Option<Tensor> = None;
    for i in 0..remaining {
        let mut output = forward(input.as_ref());
        drop((scaled.take(), held_output.take()));
        of_output = {
            let received = receive(!last);
            drop(of_output);
            received
        };
        inputs.push_back(input.take());
        call.deallocate(&mut output);
        outputs.push_back(output);
        input = inputs.pop_front().flatten();
        let Some(output) = outputs.pop_front() else {
            return;
        };
        scaled = backward(input.as_ref(), &output, of_output.as_ref());
        of_input = input.as_ref().and_then(Received::gradient);
        held_output = Some(output).filter(|_| scaled.is_none());
        if i + 1 == remaining {
            input = None;
        } else {
            input = receive(!first).map(Received::new);
        }
    }
    for _ in 0..warmup {
        input = inputs.pop_front().flatten();
        held_output = outputs.pop_front();
        of_output = {
            let received = receive(!last);
            drop(of_output);
            received
        };
        if let Some(output) = &held_output {
            backward(input.as_ref(), output, of_output.as_ref());
        }
        of_input = input.as_ref().and_then(Received::gradient);
    }
    call.chunks.finalize(call.tape);
    drop((input, of_output, of_input, held_output, scaled));
}
