//! Modules of a model that are groups of their own.

use crate::ask::{DataParallel, Plan};
use crate::model::ResolvedSpec;
use crate::parallel::units::Layers;
use crate::tape::{Placement, Registered, Tape};
use std::collections::BTreeMap;

/// The name of a language model's head.
const HEAD: &str = "lm_head";

/// Names of the embedding and the last norm in transformers' plan: it leaves others to the model around them
/// (`base_model_fsdp_plan`, `configuration_utils.py`, transformers 5.23).
const PLANNED: [&str; 2] = ["embed_tokens", "norm"];

/// The groups of a model, the model itself first, in the order of its modules.
pub(super) struct Modules {
    /// The layers, by their scopes.
    in_layers: Layers,
    /// The group of each layer.
    layers: Vec<usize>,
    /// Modules that are groups, or parts of one, beside the layers, each with its group.
    others: Vec<(u32, usize)>,
    /// Experts of which ranks have some each, by their scopes, each with its group.
    experts: BTreeMap<u32, usize>,
    /// The group of the head, where there is one.
    tail: Option<usize>,
    /// How many groups there are.
    pub(super) groups: usize,
    /// Whether the root module reshards after forward as a layer does.
    root_as_layer: bool,
}

impl Modules {
    /// Groups of a model whose parameters and buffers were registered: its layers, and within them experts that
    /// ranks divide among them; where embeddings and head are wrapped, the embedding, and the last norm with the
    /// head, all three together where they are tied; where transformers says which (`base_model_fsdp_plan`, `distributed/fsdp.py`, transformers 5.23) and
    /// embedding and head are tied, the last norm with the embedding.
    pub(super) fn of(t: &Tape, spec: &ResolvedSpec, registered: &[Registered]) -> Self {
        let in_layers = Layers::of(t, registered);
        let dp = &spec.parallelism.dp;
        let family = spec.architecture.family().filter(|_| wraps_embeddings(dp));
        let names = family.map(|family| &family.names);
        let scopes = names.map_or([None; 2], |names| {
            let model = t.child_scope(0, names.model, None);
            let own = [names.embedding, names.last_norm].into_iter().zip(PLANNED);
            let mut scopes = own.map(|(name, planned)| {
                let is_wrapped = dp.fsdp.wrap_embeddings || name == planned;
                is_wrapped.then(|| t.child_scope(model, name, None))
            });
            [(); 2].map(|()| scopes.next().flatten())
        });
        let [embedding, norm] = scopes;
        let whole = dp.fsdp.wrap_embeddings && spec.scenario.implementation.is_none();
        // `_find_final_norm` (`utils/fsdp_utils.py`, accelerate 1.15) finds none within peft's model.
        let norm = norm.filter(|_| !(whole && spec.scenario.lora.is_some()));
        let named = names.map(|_| t.child_scope(0, HEAD, None));
        let head = named.filter(|&head| registered.iter().any(|entry| entry.scope == head));
        let plans_head = dp.fsdp.wrap_embeddings || family.is_some_and(|family| family.groups_head);
        // A tied head is in the embedding's group.
        let first = embedding.filter(|_| head.is_some());
        let first_layer = 1 + usize::from(first.is_some());
        let (layers, experts) = of_layers(t, &in_layers, registered, first_layer);
        let last = first_layer + layers.len() + experts.len();
        // The head that is tied runs last of its group.
        let tied = named.filter(|_| whole && head.is_none());
        let tail = [norm, head.or(embedding).filter(|_| plans_head), tied]
            .into_iter()
            .flatten();
        let others: Vec<(u32, usize)> = (first.map(|module| (module, 1)).into_iter())
            .chain(tail.map(|module| (module, last)))
            .collect();
        Self {
            in_layers,
            layers,
            groups: last + usize::from(others.iter().any(|(_, group)| *group == last)),
            tail: names.map(|_| last),
            others,
            experts,
            root_as_layer: false,
        }
    }

    /// One group of all of a model, as `prepare_fsdp` makes it of a reference (`models/utils.py`, trl 1.16).
    pub(super) fn whole(t: &Tape) -> Self {
        Self {
            in_layers: Layers::of(t, &[]),
            layers: Vec::new(),
            others: Vec::new(),
            experts: BTreeMap::new(),
            tail: None,
            groups: 1,
            root_as_layer: true,
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
        let layer = || Some(self.layers[self.in_layers.of_module(module)?]);
        let experts = || self.experts.get(&module).copied();
        let other = others.find(|(other, _)| *other == module);
        other
            .map(|(_, group)| *group)
            .or_else(layer)
            .or_else(experts)
    }

    /// The group that has the parameters of the module of this scope.
    pub(super) fn around(&self, t: &Tape, scope: u32) -> usize {
        let layer = || Some(self.layers[self.in_layers.around(t, scope)?]);
        self.group_of(scope).or_else(layer).unwrap_or(0)
    }

    /// The groups that are layers.
    pub(super) fn layers(&self) -> &[usize] {
        &self.layers
    }

    /// The layer that a group is, or is within, counted from 1; 0 for others.
    pub(super) fn layer(&self, group: usize) -> u32 {
        let layer = self.layers.iter().rposition(|&layer| layer <= group);
        let layer = layer.filter(|&at| self.layers[at] == group || self.are_experts(group));
        layer.map_or(0, |at| u32::try_from(at + 1).unwrap_or(u32::MAX))
    }

    /// Whether a group is experts that ranks divide among them.
    pub(super) fn are_experts(&self, group: usize) -> bool {
        self.experts.values().any(|&own| own == group)
    }

    /// Whether a group's gathered parameters are given back after forward.
    pub(super) fn reshards(&self, dp: &DataParallel, group: usize) -> bool {
        if group == 0 && !self.root_as_layer {
            dp.fsdp.reshard_root_after_forward.unwrap_or(false)
        } else if self.tail == Some(group) {
            dp.fsdp.wrap_embeddings && dp.fsdp.reshard_root_after_forward.unwrap_or(false)
        } else {
            dp.fsdp.reshard_after_forward
        }
    }
}

/// The groups of layers from the first one's, each with that of the experts within it, which comes next.
fn of_layers(
    t: &Tape,
    in_layers: &Layers,
    registered: &[Registered],
    first: usize,
) -> (Vec<usize>, BTreeMap<u32, usize>) {
    let are_experts = |entry: &&Registered| entry.tensor.placement() == Placement::OfExperts;
    let mut of: Vec<Option<u32>> = vec![None; in_layers.count()];
    for entry in registered.iter().filter(are_experts) {
        if let Some(layer) = in_layers.around(t, entry.scope) {
            of[layer] = Some(entry.scope);
        }
    }
    let (mut next, mut layers, mut experts) = (first, Vec::new(), BTreeMap::new());
    for within in of {
        layers.push(next);
        next += 1;
        if let Some(scope) = within {
            experts.insert(scope, next);
            next += 1;
        }
    }
    (layers, experts)
}

/// Whether embeddings and head are groups of their own.
fn wraps_embeddings(dp: &DataParallel) -> bool {
    dp.fsdp.wrap_embeddings || dp.fsdp.plan == Plan::Transformers
}
