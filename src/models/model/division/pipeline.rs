//! The layers of each stage of a pipeline, and the stages of a rank.

use crate::ask::DataParallelKind;
use crate::model::{Architecture, ResolvedSpec};
use std::ops::Range;

/// A stage of the rank that is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalStage {
    /// Its place in the pipeline, from 0.
    pub index: u64,
    /// Its layers.
    pub layers: Range<u64>,
    /// Whether it has the embedding.
    pub is_first: bool,
    /// Whether it has the last norm and the head.
    pub is_last: bool,
}

impl ResolvedSpec {
    /// Whether stages of the model are on different ranks, as `torch.distributed.pipelining` divides them.
    pub fn is_pipelined(&self) -> bool {
        self.mesh.pp > 1 && self.parallelism.dp.kind != DataParallelKind::Megatron
    }

    /// The stages of the rank that is looked at, in the order of the pipeline; none where there is no
    /// pipeline. Layers are dealt out evenly, the first stages have one more
    /// (`generate_llm_fqn_per_model_part`, torchtitan 0.2).
    pub fn local_stages(&self) -> Vec<LocalStage> {
        let Architecture::Decoder(config) = &self.architecture else {
            return Vec::new();
        };
        if !self.is_pipelined() {
            return Vec::new();
        }
        let pp = &self.parallelism.pp;
        let ranks = self.mesh.pp;
        let stages = ranks * pp.stages();
        let layers = config.num_hidden_layers;
        let (each, more) = (layers / stages, layers % stages);
        let first = |stage: u64| stage * each + stage.min(more);
        (0..stages)
            .filter(|&stage| pp.schedule.rank_of(stage, ranks) == self.mesh.rank.pp)
            .map(|index| LocalStage {
                index,
                layers: first(index)..first(index + 1),
                is_first: index == 0,
                is_last: index + 1 == stages,
            })
            .collect()
    }
}
