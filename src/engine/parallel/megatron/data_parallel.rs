//! `DistributedDataParallel` (`core/distributed/distributed_data_parallel.py`): gradients are added to a buffer as
//! soon as they are there, and go.

use super::buffer::{Buffer, BufferOptions};
use crate::model::{ParameterMarks, ResolvedSpec};
use crate::tape::{Collective, Tape, Tensor};
use crate::units::{DType, Shape};

/// Elements of a bucket at least, and for each rank.
const BUCKET_SIZE: (u64, u64) = (40_000_000, 1_000_000);

/// The wrappers around the chunks of a model.
pub struct MegatronDataParallel {
    /// The buffers of each chunk: for parameters that all ranks train together, and for experts that ranks divide.
    pub(super) chunks: Vec<[Option<Buffer>; 2]>,
    /// Ranks that divide each kind of buffer.
    pub(super) ranks: [u64; 2],
    /// Whether ranks that divide the sequence sum gradients of some parameters.
    sums_sequence: bool,
}

impl MegatronDataParallel {
    /// Wraps the chunks of a model, with the parameters of each in the order in which they were made.
    pub fn new(t: &Tape, spec: &ResolvedSpec, chunks: &[&[(Tensor, ParameterMarks)]]) -> Self {
        let asked = &spec.parallelism.dp.megatron;
        let mesh = &spec.mesh;
        let ranks = [mesh.dp, mesh.dp / mesh.ep.max(1)];
        let (least, each) = BUCKET_SIZE;
        let size = asked.bucket_size.unwrap_or(least.max(each * mesh.dp));
        let buffers = |(chunk, parameters): (usize, &&[(Tensor, ParameterMarks)])| {
            // Reductions while the first stage runs backward are in the way of nothing.
            let in_buckets = asked.overlap_grad_reduce && chunk == 0 && mesh.rank.pp == 0;
            [false, true].map(|experts| {
                let own: Vec<_> = (parameters.iter())
                    .filter(|(_, marks)| marks.is_expert == experts)
                    .cloned()
                    .collect();
                let dtype = own.first().map(|(tensor, _)| tensor.dtype())?;
                let options = BufferOptions {
                    ranks: ranks[usize::from(experts)],
                    bucket_size: in_buckets.then_some(size),
                    is_sharded: asked.distributed_optimizer,
                    gradients: if asked.grad_reduce_in_fp32 {
                        DType::Float32
                    } else {
                        dtype
                    },
                };
                Some(Buffer::new(t, &own, options))
            })
        };
        let chunks = chunks.iter().enumerate().map(buffers).collect();
        // `_make_backward_post_hook`.
        t.on_gradient(Tape::drop_gradients);
        Self {
            chunks,
            ranks,
            sums_sequence: spec.parallelism.tp.sequence_parallel && mesh.tp > 1,
        }
    }

    /// Gradients are reduced, or scattered where ranks step over shards, whose parameters are then gathered.
    fn communicate(&self, t: &Tape) {
        for (kind, buffer) in (self.chunks.iter()).flat_map(|chunk| chunk.iter().enumerate()) {
            let (Some(buffer), ranks) = (buffer, self.ranks[kind]) else {
                continue;
            };
            let gradients = buffer.gradients.nbytes();
            match &buffer.data {
                Some(data) => {
                    t.communicates(Collective::ReduceScatter, gradients, ranks);
                    t.communicates(Collective::AllGather, data.nbytes(), ranks);
                }
                None => t.communicates(Collective::AllReduce, gradients, ranks),
            }
        }
    }

    /// `finalize_model_grads`: gradients that ranks of sequence parallelism sum are joined for the sum.
    pub fn finalize(&self, t: &Tape) {
        self.communicate(t);
        if !self.sums_sequence {
            return;
        }
        let placed = (self.chunks.iter().flatten().flatten()).flat_map(|buffer| {
            let dtype = buffer.gradients.dtype();
            buffer.parameters.iter().map(move |placed| (placed, dtype))
        });
        let summed: Vec<_> = placed
            .filter(|(placed, _)| placed.marks.sums_sequence)
            .collect();
        let elements = summed.iter().map(|(placed, _)| placed.tensor.numel()).sum();
        if let Some(&(_, dtype)) = summed.first() {
            t.sums_on_ranks(&t.empty("cat", Shape::from([elements]), dtype));
        }
    }
}
