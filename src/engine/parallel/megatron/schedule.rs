//! The settings of a rank's schedule, and its passes.

use crate::ask::PipelineSchedule;
use crate::model::ResolvedSpec;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// A pass of a chunk that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkPass {
    /// The rank's chunk.
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

    /// Runs the forward pass of a chunk; returns the input of the next stage, or the loss of the last one; `None` where
    /// there is no such chunk.
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
}
