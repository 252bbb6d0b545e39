//! A model's way from a checkpoint to the device.
//!
//! Source: transformers 5.23, `core_model_loading.py` (`convert_and_load_state_dict_in_model`) and `modeling_utils.py`
//! (`caching_allocator_warmup`, `_move_missing_keys_from_meta_to_device`); torch 2.15, `nn/modules/module.py`
//! (`Module._apply`). Modules are made on the meta device, so that nothing of `__init__` is on the device.
//!
//! Weights that go straight to the device come one after the other in the order of their names, each cast on the host
//! beforehand. (Threads read ahead unless weights are quantized: the order then decides addresses, and how many of the
//! weights that follow the last layer's experts are already on the device when those are merged.)

use crate::ask::ModelLoading;
use crate::model::{BESIDE, ResolvedSpec, SPARSE, StoredExperts};
use crate::tape::{Category, Tape, Tensor, by_module};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// A function that makes the memory of a weight.
pub(super) type Fill = Box<dyn FnOnce(&Tape)>;

/// A weight that is to come.
pub(super) struct Weight {
    pub(super) scope: u32,
    pub(super) name: &'static str,
    /// Its share of the memory that is reserved for all, in half bytes.
    pub(super) half_bytes: u64,
    pub(super) fill: Fill,
}

/// Weights and buffers that come straight to the device once all modules are there.
#[derive(Default)]
pub(super) struct Loading {
    /// How the checkpoint has experts, if there are any.
    experts: Option<StoredExperts>,
    /// Whether the memory that the weights will take is reserved at first.
    reserves: bool,
    weights: RefCell<Vec<Weight>>,
    buffers: RefCell<Vec<(u32, Tensor)>>,
}

impl Loading {
    /// The loading of a spec's model, if it is simulated.
    pub(super) fn of(spec: &ResolvedSpec) -> Option<Self> {
        (spec.around.loading == ModelLoading::DeviceMap).then(|| Self {
            experts: spec.architecture.experts().map(|experts| experts.stored),
            reserves: !spec.quantization.experts,
            ..Self::default()
        })
    }

    /// Adds a weight.
    pub(super) fn weight(&self, weight: Weight) {
        self.weights.borrow_mut().push(weight);
    }

    /// Adds a buffer of the module with this scope.
    pub(super) fn buffer(&self, scope: u32, buffer: &Tensor) {
        self.buffers.borrow_mut().push((scope, buffer.clone()));
    }

    /// Loads all: memory for all weights is reserved at once and stays in the cache (`caching_allocator_warmup`,
    /// which axolotl leaves out where it quantizes experts), then come the weights, then the buffers, which no
    /// checkpoint has.
    pub(super) fn run(self, t: &Tape) {
        let mut weights = self.weights.take();
        if self.reserves {
            let half_bytes: u64 = weights.iter().map(|weight| weight.half_bytes).sum();
            let halves = half_bytes / 2 / DType::Float16.size();
            drop(t.empty("empty", Shape::from([halves]), DType::Float16));
        }
        weights.sort_by_cached_key(|weight| {
            let name = format!("{}.{}", t.scope_path(weight.scope), weight.name);
            match self.experts {
                Some(experts) => natural_key(&stored_name(experts, &name)),
                None => natural_key(&name),
            }
        });
        for Weight { scope, fill, .. } in weights {
            t.in_scope(scope, || fill(t));
        }
        for (scope, buffer) in self.buffers.take() {
            t.in_scope(scope, || {
                t.give_storage_for(Category::Buffers, "empty_like", &buffer);
            });
        }
    }
}

/// Part of a name, in the order of `dot_natural_key`: numbers come first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Text(String, Option<u64>),
}

/// The checkpoint's name of a parameter of a model whose experts it has so, as far as it decides when that comes.
fn stored_name(stored: StoredExperts, parameter: &str) -> String {
    match stored {
        StoredExperts::Apart | StoredExperts::Stacked => parameter.to_owned(),
        StoredExperts::Numbered => parameter
            .replace(".mlp.", &format!(".{SPARSE}."))
            .replace(".experts.gate_up_proj", ".experts.w1")
            .replace(".experts.down_proj", ".experts.w2"),
        StoredExperts::Linear => parameter
            .replace(".experts.gate_up_proj", &format!(".{}", BESIDE[0]))
            .replace(".experts.down_proj", &format!(".{}", BESIDE[1])),
    }
}

/// By what weights are sorted: the parts of their names, numbers as numbers.
fn natural_key(name: &str) -> Vec<Part> {
    let parts = name.split('.').filter(|part| !part.is_empty());
    let part = |part: &str| {
        let text = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = part[text.len()..].parse().ok();
        match (text, number) {
            ("", Some(number)) => Part::Number(number),
            _ => Part::Text(text.to_owned(), number),
        }
    };
    parts.map(part).collect()
}

/// Builds a model, with its adapters, on the host, and moves it to the device (`model.to`): module by module, the
/// adapters of a layer behind its own parameters.
pub(crate) fn moved<R>(t: &Tape, build: impl FnOnce() -> R) -> R {
    let wrapped = t.is_registering();
    t.register_parameters(false);
    let built = t.without_memory(build);
    let mut registered = t.take_registered();
    by_module(&mut registered);
    for entry in &registered {
        let category = entry.role.category();
        t.in_scope(entry.scope, || {
            t.give_storage_for(category, "_to_copy", &entry.tensor);
        });
    }
    if wrapped {
        t.register_again(registered);
    }
    built
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_in_the_natural_order_of_their_names() {
        let mut names = [
            "model.layers.10.mlp",
            "model.norm",
            "model.layers.2.self_attn",
            "lm_head",
            "model.layers.2.mlp",
        ];
        names.sort_by_key(|name| natural_key(name));
        let sorted = [
            "lm_head",
            "model.layers.2.mlp",
            "model.layers.2.self_attn",
            "model.layers.10.mlp",
            "model.norm",
        ];
        assert_eq!(names, sorted);
    }

    #[test]
    fn checkpoints_name_weights_of_experts_as_their_families_did_first() {
        let gates = "model.layers.0.mlp.experts.gate_up_proj";
        for (stored, name) in [
            (StoredExperts::Apart, gates),
            (StoredExperts::Stacked, gates),
            (
                StoredExperts::Numbered,
                "model.layers.0.block_sparse_moe.experts.w1",
            ),
            (StoredExperts::Linear, "model.layers.0.mlp.input_linear"),
        ] {
            assert_eq!(stored_name(stored, gates), name);
        }
    }
}
