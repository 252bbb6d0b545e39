//! A graph with all that its runs read.

use super::casts::Casts;
use super::gaps::Gap;
use super::layers::LayerCall;
use super::lifetimes::Lifetimes;
use super::module_scopes::ModuleScopes;
use crate::ask::ActivationCheckpointing;
use crate::exported::ValueId;
use crate::model::ExportedConfig;
use crate::nn::adapters::Slot;
use crate::nn::build::Linear;
use crate::tape::Tensor;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A graph that can be run.
pub(super) struct Program {
    pub(super) config: ExportedConfig,
    pub(super) lifetimes: Lifetimes,
    pub(super) casts: Casts,
    pub(super) scopes: ModuleScopes,
    /// Calls of layers, in the order of their nodes.
    pub(super) layers: Vec<LayerCall>,
    /// Parameters, buffers and constants, by their ids.
    pub(super) held: Vec<Option<Tensor>>,
    /// Quantized linear layers, with their adapters, by the ids of their weights.
    pub(super) quantized: BTreeMap<ValueId, Linear>,
    /// Adapters, by the ids of their layers' weights.
    pub(super) adapters: BTreeMap<ValueId, Slot>,
    /// Layers that backward runs again.
    pub(super) checkpointing: ActivationCheckpointing,
    /// Whether float32 weights of the graph are in half precision.
    pub(super) is_narrowed: bool,
    /// Operations that were not known.
    pub(super) gaps: RefCell<Vec<Gap>>,
}

impl Program {
    /// The scope around the layer of a call.
    pub(super) fn layer_scope(&self, call: &LayerCall) -> Option<u32> {
        let module = self.config.graph.modules.get(call.module as usize)?;
        self.scopes.of_layer(&module.path)
    }
}
