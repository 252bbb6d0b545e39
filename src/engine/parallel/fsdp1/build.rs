//! How a model that was built on the device becomes flat parameters.

use super::handle::{self, Common, Handle, Original, UNSHARD};
use super::layout::Layout;
use super::{Fsdp1, Place};
use crate::ask::{ActivationCheckpointing, AdapterDtype, ComputeDtype, ShardingStrategy};
use crate::model::ResolvedSpec;
use crate::parallel::units::Layers;
use crate::parallel::wrapper::ModelParameter;
use crate::tape::{Category, ModuleHooks, Registered, Role, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

impl Fsdp1 {
    /// Shards the model whose parameters and buffers were registered when it was built, and wraps its modules.
    pub(in crate::parallel) fn new(
        t: &Tape,
        spec: &ResolvedSpec,
        registered: Vec<Registered>,
    ) -> Rc<Self> {
        let fsdp = Self::sharding(t, spec, registered);
        t.wrap_modules(Rc::clone(&fsdp) as Rc<dyn ModuleHooks>);
        fsdp
    }

    /// Shards such a model.
    pub(in crate::parallel) fn sharding(
        t: &Tape,
        spec: &ResolvedSpec,
        registered: Vec<Registered>,
    ) -> Rc<Self> {
        let settings = spec.parallelism.dp.fsdp;
        let layers = Layers::of(t, &registered);
        let layer_of =
            |entry: &Registered| layers.around(t, entry.scope).map_or(0, |layer| layer + 1);
        let casts = spec.parallelism.dp.compute_dtype().is_some();
        let (buffers, parameters): (Vec<_>, Vec<_>) =
            (registered.into_iter()).partition(|entry| entry.role == Role::Buffer);
        let mut moved: Vec<Vec<Registered>> = Vec::new();
        moved.resize_with(layers.count() + 1, Vec::new);
        if settings.built_on_cpu && !spec.quantization.is_on() {
            for entry in &buffers {
                moved[layer_of(entry)].push(entry.clone());
            }
        }
        let buffers = buffers.into_iter().map(|entry| entry.tensor);
        let buffers = buffers.filter(|buffer| casts && buffer.dtype() == spec.weights);
        let buffers: Vec<Tensor> = buffers.collect();
        let common = common(spec);
        let all = parameters.iter().map(|entry| {
            let parameter = ModelParameter {
                elements: entry.tensor.numel(),
                bytes: entry.tensor.numel() * stored(spec, entry).size(),
                layer: u32::try_from(layer_of(entry)).unwrap_or(u32::MAX),
                trained: entry.role == Role::Trained,
                ranks: common.ranks,
            };
            (entry.scope, parameter)
        });
        let all: Vec<(u32, ModelParameter)> = all.collect();
        // Of the root and of each layer its own parameters, and those of each module within that is a unit.
        let mut units: Vec<Vec<Vec<Registered>>> = Vec::new();
        units.resize_with(layers.count() + 1, || vec![Vec::new()]);
        for entry in in_order(parameters) {
            let at = layer_of(&entry);
            if settings.wrap_trainable_leaves && entry.role == Role::Trained {
                units[at].push(vec![entry]);
            } else {
                units[at][0].push(entry);
            }
        }
        let fsdp = Rc::new_cyclic(|own: &Weak<Self>| {
            let Flat {
                handles,
                of_layer,
                leaves,
            } = (Flattening {
                t,
                spec,
                common,
                own,
            })
            .all(&units, &moved);
            Self {
                own: Weak::clone(own),
                settings,
                replicates: common.shards && settings.sharding_strategy.is_hybrid(),
                replicas: if common.shards {
                    spec.mesh.replicate
                } else {
                    spec.mesh.dp * spec.mesh.cp
                },
                trained: trained(t, &handles),
                handles,
                layers,
                of_layer,
                leaves,
                all,
                buffers: RefCell::new(buffers),
                initialized: Cell::new(false),
                pre_forward: RefCell::default(),
                post_forward: RefCell::default(),
                first_pass: Cell::new(true),
                syncs: Cell::new(true),
                ends: Cell::new(false),
                zero: RefCell::default(),
                handed_over: Cell::new(false),
            }
        });
        if !settings.built_on_cpu {
            // Measurements begin with an empty cache.
            t.empty_cache();
        }
        fsdp
    }
}

/// Whether parameters are divided at all. A group of one rank divides nothing.
pub(in crate::parallel) fn shards(spec: &ResolvedSpec) -> bool {
    let strategy = spec.parallelism.dp.fsdp.sharding_strategy;
    spec.mesh.shard > 1 && strategy != ShardingStrategy::NoShard
}

/// The options of all handles.
fn common(spec: &ResolvedSpec) -> Common {
    let (settings, mesh) = (&spec.parallelism.dp.fsdp, &spec.mesh);
    let strategy = settings.sharding_strategy;
    let shards = shards(spec);
    Common {
        shards,
        reshards_after_forward: matches!(
            strategy,
            ShardingStrategy::FullShard | ShardingStrategy::HybridShard
        ),
        use_orig_params: settings.use_orig_params,
        offloads: settings.cpu_offload,
        limits: settings.limit_all_gathers,
        saves: [
            // A head that is not trained is saved as autocast's copy.
            spec.lora.is_none() || !spec.precision.autocasts(),
            spec.activation_checkpointing == ActivationCheckpointing::None,
        ],
        ranks: if shards { mesh.shard } else { 1 },
    }
}

/// The dtype in which a parameter is kept.
fn stored(spec: &ResolvedSpec, entry: &Registered) -> DType {
    if spec.parallelism.dp.compute_dtype().is_none() {
        return entry.tensor.dtype();
    }
    match &spec.lora {
        Some(lora) if entry.role == Role::Trained && lora.adapter_dtype == AdapterDtype::Fp32 => {
            DType::Float32
        }
        _ => spec.stored_weights(),
    }
}

/// A model as flat parameters.
struct Flat {
    handles: Vec<Handle>,
    /// The handle of each layer.
    of_layer: Vec<usize>,
    /// Modules within layers that are units, by their weights.
    leaves: Vec<(Tensor, usize)>,
}

/// Makes flat parameters.
struct Flattening<'a> {
    t: &'a Tape,
    spec: &'a ResolvedSpec,
    common: Common,
    own: &'a Weak<Fsdp1>,
}

impl Flattening<'_> {
    /// All handles: of the units of the root, and of each layer. Modules within are wrapped first, the model
    /// last. Buffers move to the device with the parameters of each.
    fn all(&self, units: &[Vec<Vec<Registered>>], buffers: &[Vec<Registered>]) -> Flat {
        let (mut handles, mut of_layer, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
        for (layer, buffers) in units.iter().zip(buffers).skip(1) {
            let at = 1 + handles.len();
            of_layer.push(at);
            let within: Vec<Handle> = (layer.iter().enumerate().skip(1))
                .map(|(nth, leaf)| {
                    leaves.extend(leaf.iter().map(|entry| (entry.tensor.clone(), at + nth)));
                    self.handle(leaf, &[], at + nth)
                })
                .collect();
            handles.push(self.handle(&layer[0], buffers, at));
            handles.extend(within);
        }
        let mut root = self.handle(&units[0][0], &buffers[0], 0);
        root.is_root = true;
        handles.insert(0, root);
        Flat {
            handles,
            of_layer,
            leaves,
        }
    }

    /// The handle of a unit's parameters, which is to stand at a place among all. Buffers move with them.
    fn handle(&self, unit: &[Registered], buffers: &[Registered], at: usize) -> Handle {
        let (t, common, mesh) = (self.t, self.common, &self.spec.mesh);
        let sizes: Vec<u64> = unit.iter().map(|p| p.tensor.numel()).collect();
        let stored = unit
            .first()
            .map_or(self.spec.stored_weights(), |p| stored(self.spec, p));
        let precision = &self.spec.parallelism.dp.fsdp.mixed_precision;
        let [compute, reduce] = [precision.param, precision.reduce.or(precision.param)]
            .map(|asked| asked.map_or(stored, ComputeDtype::dtype));
        let aligned = common.use_orig_params.then(|| compute.size());
        let place = if common.shards {
            mesh.place_in_shard()
        } else {
            0
        };
        let layout = Layout::of(&sizes, aligned, mesh.shard, place, common.ranks);
        if self.spec.parallelism.dp.fsdp.built_on_cpu {
            // `_move_module_to_device`.
            let parameters = unit.iter().map(|p| (p, stored, Category::Parameters));
            let buffers = buffers
                .iter()
                .map(|b| (b, b.tensor.dtype(), Category::Buffers));
            for (entry, dtype, category) in parameters.chain(buffers) {
                t.in_scope(entry.scope, || {
                    let x = &entry.tensor;
                    x.free_storage();
                    x.take_storage(&t.hold("to", x.shape(), dtype, category));
                });
            }
        }
        let whole: Vec<&Tensor> = unit.iter().map(|p| &p.tensor).collect();
        let scope = unit.first().map_or(0, |p| p.scope);
        let local = t.in_scope(scope, || handle::shard(t, common, &layout, stored, &whole));
        let originals = unit.iter().zip(&layout.own).map(|(p, &own)| Original {
            tensor: p.tensor.clone(),
            trained: p.role == Role::Trained,
            shard: local.part(if own == p.tensor.numel() && !common.shards {
                *p.tensor.shape()
            } else {
                Shape::from([own])
            }),
        });
        let originals: Vec<Original> = originals.collect();
        let flat = t.without_storage(Shape::from([layout.numel]), compute);
        let flat = if originals.iter().any(|original| original.trained) {
            let own = Weak::clone(self.own);
            t.leaf(
                &flat,
                UNSHARD,
                Rc::new(move |t| {
                    if let Some(own) = own.upgrade() {
                        own.post_backward(t, at);
                    }
                }),
            )
        } else {
            flat
        };
        Handle::new((common, scope), layout, originals, [local, flat], reduce)
    }
}

/// Parameters in the order in which their modules have them: adapters, which are made after the whole model, come
/// behind the layers that they adapt.
fn in_order(mut parameters: Vec<Registered>) -> Vec<Registered> {
    let mut firsts = BTreeMap::new();
    for (at, entry) in parameters.iter().enumerate() {
        firsts.entry(entry.scope).or_insert(at);
    }
    parameters.sort_by_key(|entry| firsts.get(&entry.scope).copied());
    parameters
}

/// Each parameter that is trained, in the model's order.
fn trained(t: &Tape, handles: &[Handle]) -> Vec<Place> {
    let mut places = Vec::new();
    for (at, handle) in handles.iter().enumerate() {
        let originals = handle.originals.iter().enumerate();
        let place = |original| Place {
            handle: at,
            original,
        };
        places.extend(originals.map(|(nth, original)| (&original.tensor, place(nth))));
    }
    let mut trained = Vec::new();
    t.for_each_parameter(|_, parameter, _| {
        let found = places.iter().find(|(tensor, _)| tensor.is(parameter));
        trained.extend(found.map(|(_, place)| *place));
    });
    trained
}
