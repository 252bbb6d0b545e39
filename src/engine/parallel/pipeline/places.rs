//! The stage of a rank that a parameter belongs to.

use crate::model::{LocalStage, ResolvedSpec};
use crate::tape::Tape;

/// The stages of a rank, to which parameters are asked for in the order in which they were made.
pub(in crate::parallel) struct StagePlaces {
    stages: Vec<LocalStage>,
    /// Whether a layer has come.
    in_layers: bool,
}

impl StagePlaces {
    /// The places of the reported rank.
    pub(in crate::parallel) fn of(spec: &ResolvedSpec) -> Self {
        Self {
            stages: spec.local_stages(),
            in_layers: false,
        }
    }

    /// The stage that has the module of a scope: the stage of its layer; modules before the first layer are on the
    /// first stage, modules after the last one on the last stage.
    pub(in crate::parallel) fn stage_of(&mut self, t: &Tape, scope: u32) -> Option<u64> {
        let layer = t.layer_of(scope);
        self.in_layers |= layer.is_some();
        let stage = match layer {
            Some(layer) => self.stages.iter().find(|own| own.layers.contains(&layer)),
            None if self.in_layers => self.stages.last(),
            None => self.stages.first(),
        };
        stage.map(|stage| stage.index)
    }
}
