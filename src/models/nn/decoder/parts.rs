//! The parts of a causal language model that a rank has, and the inputs of its layers.

use super::shared::Crossing;
use crate::model::{LocalStage, ResolvedSpec};
use crate::nn::build::Builder;
use crate::tape::Tensor;
use std::ops::Range;

/// Inputs of layers besides hidden states.
pub(super) struct Given<'a> {
    /// Positions `[S]`, or `[B, S]` in images.
    pub(super) positions: &'a Tensor,
    pub(super) in_images: bool,
    /// The masks of full layers and, if those have one of their own, of windowed layers.
    pub(super) masks: (Option<Tensor>, Option<Tensor>),
    pub(super) crossing: Option<Crossing>,
}

/// Modules of a model that this rank has.
pub(super) enum Parts {
    /// All of them.
    Whole,
    /// Modules of its stages.
    Stages(Vec<LocalStage>),
}

impl Parts {
    /// The parts of a run.
    pub(super) fn of(spec: &ResolvedSpec) -> Self {
        if spec.is_pipelined() {
            Self::Stages(spec.local_stages())
        } else {
            Self::Whole
        }
    }

    /// A module that only stages have for which `is_theirs` holds.
    fn module<M>(
        &self,
        b: &Builder,
        is_theirs: impl Fn(&LocalStage) -> bool,
        build: impl FnOnce() -> M,
    ) -> M {
        match self {
            Self::Stages(stages) if !stages.iter().any(is_theirs) => b.plan.tape.elsewhere(build),
            _ => build(),
        }
    }

    /// The embedding.
    pub(super) fn embedding<M>(&self, b: &Builder, build: impl FnOnce() -> M) -> M {
        self.module(b, |stage| stage.is_first, build)
    }

    /// The modules after the layers.
    pub(super) fn last<M>(&self, b: &Builder, build: impl FnOnce() -> M) -> M {
        self.module(b, |stage| stage.is_last, build)
    }

    /// Ranges of consecutive layers, `count` in all, and whether this rank has them: the layers of each of its stages,
    /// and the layers between.
    pub(super) fn of_layers(&self, count: u64) -> Vec<(Range<u64>, bool)> {
        let Self::Stages(stages) = self else {
            return vec![(0..count, true)];
        };
        let mut parts = Vec::new();
        let mut next = 0;
        for stage in stages {
            parts.push((next..stage.layers.start, false));
            parts.push((stage.layers.clone(), true));
            next = stage.layers.end;
        }
        parts.push((next..count, false));
        parts.retain(|(layers, _)| !layers.is_empty());
        parts
    }

    /// A layer.
    pub(super) fn layer<M>(&self, b: &Builder, build: impl FnOnce() -> M) -> M {
        let index = b.position();
        self.module(b, |stage| stage.layers.contains(&index), build)
    }
}
