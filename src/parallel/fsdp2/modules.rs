//! Which modules of a model are groups of their own.

use crate::ask::{DataParallel, Plan};
use crate::model::ResolvedSpec;
use crate::parallel::units::Layers;
use crate::tape::{Registered, Tape};

/// What the head of a language model is called.
const HEAD: &str = "lm_head";

/// The groups of a model, the model itself first, in the order of its modules.
pub(super) struct Modules {
    layers: Layers,
    /// The group of the first layer.
    first_layer: usize,
    /// Modules that are groups, or parts of one, beside the layers, each with its group.
    others: Vec<(u32, usize)>,
    /// How many groups there are.
    pub(super) groups: usize,
}

impl Modules {
    /// Those of a model whose parameters and buffers were registered: its layers; where embeddings and head
    /// are wrapped, the embedding, and the last norm with the head; where transformers says which
    /// (`base_model_fsdp_plan`, `distributed/fsdp.py`, transformers 5.23) and embedding and head are tied, the
    /// last norm with the embedding.
    pub(super) fn of(t: &Tape, spec: &ResolvedSpec, registered: &[Registered]) -> Self {
        let layers = Layers::of(t, registered);
        let dp = &spec.parallelism.dp;
        let family = spec.architecture.family().filter(|_| wraps_embeddings(dp));
        let Some(names) = family.map(|family| &family.names) else {
            return Self {
                first_layer: 1,
                others: Vec::new(),
                groups: 1 + layers.count(),
                layers,
            };
        };
        let model = t.child_scope(0, names.model, None);
        let [embedding, norm] =
            [names.embedding, names.last_norm].map(|name| t.child_scope(model, name, None));
        let head = t.child_scope(0, HEAD, None);
        let is_tied = registered.iter().all(|entry| entry.scope != head);
        let first_layer = if is_tied { 1 } else { 2 };
        let last = first_layer + layers.count();
        let others = if is_tied {
            vec![(embedding, last), (norm, last)]
        } else {
            vec![(embedding, 1), (norm, last), (head, last)]
        };
        Self {
            layers,
            first_layer,
            others,
            groups: last + 1,
        }
    }

    /// The modules of a group, where it is not a layer or the model.
    pub(super) fn of_group(&self, group: usize) -> Vec<u32> {
        let own = self.others.iter().filter(|(_, of)| *of == group);
        own.map(|(module, _)| *module).collect()
    }

    /// The group that a module is, or is a part of.
    pub(super) fn group_of(&self, module: u32) -> Option<usize> {
        if module == 0 {
            return Some(0);
        }
        let mut others = self.others.iter();
        let layer = || Some(self.layers.of_module(module)? + self.first_layer);
        let other = others.find(|(other, _)| *other == module);
        other.map(|(_, group)| *group).or_else(layer)
    }

    /// The group that has the parameters of the module of this scope.
    pub(super) fn around(&self, t: &Tape, scope: u32) -> usize {
        let layer = || Some(self.layers.around(t, scope)? + self.first_layer);
        self.group_of(scope).or_else(layer).unwrap_or(0)
    }

    /// The groups that are layers.
    pub(super) fn layers(&self) -> std::ops::Range<usize> {
        self.first_layer..self.first_layer + self.layers.count()
    }

    /// Which layer a group is, counted from 1; 0 for others.
    pub(super) fn layer(&self, group: usize) -> u32 {
        let layer = self.layers().contains(&group);
        let number = if layer {
            group + 1 - self.first_layer
        } else {
            0
        };
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Whether a group's gathered parameters are given back after forward.
    pub(super) fn reshards(&self, dp: &DataParallel, group: usize) -> bool {
        if group == 0 {
            dp.fsdp.reshard_root_after_forward.unwrap_or(false)
        } else if self.of_group(group).len() > 1 {
            false
        } else {
            dp.fsdp.reshard_after_forward
        }
    }
}

/// Whether embeddings and head are groups of their own.
fn wraps_embeddings(dp: &DataParallel) -> bool {
    dp.fsdp.wrap_embeddings || dp.fsdp.plan == Plan::Transformers
}
