//! Pipeline parallelism: the layers divided among ranks that see the same data.

use super::settings::settings;
use crate::units::names;

names! {
    /// In which order a stage works on micro-batches (`torch.distributed.pipelining.schedules`, and
    /// `megatron/core/pipeline_parallel/schedules.py`).
    PipelineSchedule {
        /// There is no pipeline.
        None = "none",
        /// `ScheduleGPipe`: all forwards, then all backwards.
        GPipe = "gpipe",
        /// `Schedule1F1B`: as soon as it can, one backward after each forward.
        OneForwardOneBackward = "1f1b",
        /// `ScheduleInterleaved1F1B`: the same with several stages a rank.
        Interleaved = "interleaved",
        /// `ScheduleLoopedBFS`: all forwards of each of several stages a rank.
        LoopedBfs = "looped_bfs",
        /// `ScheduleInterleavedZeroBubble`: gradients of weights apart from those of inputs.
        InterleavedZeroBubble = "izb",
        /// `ScheduleZBVZeroBubble`: the same with two stages a rank, in a V.
        ZeroBubbleV = "zbv",
        /// `ScheduleDualPipeV`: the same with forwards and backwards overlapped.
        DualPipeV = "dualpipev",
    }
}

settings! {
    /// Pipeline parallelism (torch 2.15, megatron-core 0.16.1). `micro_batch_size` is that of one micro-batch.
    #[derive(Clone, Copy, Debug, PartialEq)]
    PipelineParallel {
        /// Ranks among which the layers are divided (`pipeline_model_parallel_size`); 1 means none.
        size: u64 = 1,
        /// The rank that is looked at; the one that takes most when absent.
        rank: Option<u64> = None,
        /// The schedule.
        schedule: PipelineSchedule = PipelineSchedule::OneForwardOneBackward,
        /// Micro-batches of one step of the schedule (`n_microbatches`, `num_microbatches`); as many as ranks
        /// when absent.
        microbatches: Option<u64> = None,
        /// Stages of a rank (Megatron-Core's virtual stages); when absent, as few as the schedule works with.
        stages_per_rank: Option<u64> = None,
        /// Whether the last stage keeps the outputs of all micro-batches and joins them: PyTorch's
        /// `schedule.step(return_outputs=True)`, its default.
        return_outputs: bool = true,
        /// Megatron-Core's `overlap_p2p_comm`: sends and receives beside the computation.
        overlap_p2p: bool = false,
    }
}

impl PipelineSchedule {
    /// Whether the stages of a rank make a V: the first rank has the first and the last one.
    pub const fn is_v_shaped(self) -> bool {
        matches!(self, Self::ZeroBubbleV | Self::DualPipeV)
    }

    /// Whether gradients of weights come apart from those of inputs.
    pub const fn splits_backward(self) -> bool {
        matches!(
            self,
            Self::InterleavedZeroBubble | Self::ZeroBubbleV | Self::DualPipeV
        )
    }

    /// The rank, of `ranks`, that a stage is on (`generate_stage_to_rank_mapping`,
    /// `torch/distributed/pipelining/_utils.py`).
    pub const fn rank_of(self, stage: u64, ranks: u64) -> u64 {
        let place = stage % ranks;
        if self.is_v_shaped() && (stage / ranks) % 2 == 1 {
            ranks - 1 - place
        } else {
            place
        }
    }
}

impl PipelineParallel {
    /// Stages of one rank.
    pub fn stages(&self) -> u64 {
        let fewest = match self.schedule {
            PipelineSchedule::None
            | PipelineSchedule::GPipe
            | PipelineSchedule::OneForwardOneBackward => 1,
            PipelineSchedule::Interleaved
            | PipelineSchedule::LoopedBfs
            | PipelineSchedule::InterleavedZeroBubble
            | PipelineSchedule::ZeroBubbleV
            | PipelineSchedule::DualPipeV => 2,
        };
        self.stages_per_rank.unwrap_or(fewest).max(1)
    }

    /// Micro-batches of one step of the schedule.
    pub fn in_a_step(&self) -> u64 {
        self.microbatches.unwrap_or(self.size).max(1)
    }
}
