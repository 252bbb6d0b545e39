//! How a model that was built on the device becomes flat parameters.

use super::Fsdp1;
use super::handle::{self, Common, Handle, Original, UNSHARD};
use super::layout::Layout;
use crate::ask::{AdapterDtype, ShardingStrategy};
use crate::model::ResolvedSpec;
use crate::parallel::units::Layers;
use crate::parallel::wrapper::ModelParameter;
use crate::tape::{ModuleHooks, Registered, Role, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

/// A parameter with the dtype in which it is kept.
struct Given {
    entry: Registered,
    stored: DType,
}

impl Fsdp1 {
    /// Shards the model whose parameters and buffers were registered when it was built on the device.
    pub(in crate::parallel) fn new(
        t: &Tape,
        spec: &ResolvedSpec,
        registered: Vec<Registered>,
    ) -> Rc<Self> {
        let (settings, mesh) = (spec.parallelism.dp.fsdp, &spec.mesh);
        // A group of one rank divides nothing.
        let strategy = if mesh.shard == 1 {
            ShardingStrategy::NoShard
        } else {
            settings.sharding_strategy
        };
        let shards = strategy != ShardingStrategy::NoShard;
        let common = Common {
            shards,
            reshards_after_forward: matches!(
                strategy,
                ShardingStrategy::FullShard | ShardingStrategy::HybridShard
            ),
            use_orig_params: settings.use_orig_params,
            offloads: settings.cpu_offload,
            ranks: if shards { mesh.shard } else { 1 },
        };
        let gathers_in_another = spec.parallelism.dp.compute_dtype().is_some();
        let stored_of = |entry: &Registered| match &spec.lora {
            _ if !gathers_in_another => entry.tensor.dtype(),
            Some(lora)
                if entry.role == Role::Trained && lora.adapter_dtype == AdapterDtype::Fp32 =>
            {
                DType::Float32
            }
            _ => spec.stored_weights(),
        };
        let layers = Layers::of(t, &registered);
        let buffers = registered.iter().filter(|entry| {
            entry.role == Role::Buffer && entry.tensor.dtype() == spec.weights && gathers_in_another
        });
        let buffers: Vec<Tensor> = buffers.map(|entry| entry.tensor.clone()).collect();
        let parameters = in_order(registered.clone());
        let all = registered.iter().filter(|entry| entry.role != Role::Buffer);
        let all = all.map(|entry| {
            let elements = entry.tensor.numel();
            let layer = layers.around(t, entry.scope).map_or(0, |layer| layer + 1);
            ModelParameter {
                elements,
                bytes: elements * stored_of(entry).size(),
                layer: u32::try_from(layer).unwrap_or(u32::MAX),
                trained: entry.role == Role::Trained,
            }
        });
        let all: Vec<ModelParameter> = all.collect();
        // Of the root and of each layer its own parameters, and those of each module within that is a unit.
        let mut units: Vec<Vec<Vec<Given>>> = Vec::new();
        units.resize_with(layers.count() + 1, || vec![Vec::new()]);
        for entry in parameters {
            let stored = stored_of(&entry);
            let at = layers.around(t, entry.scope).map_or(0, |layer| layer + 1);
            let is_leaf = settings.wrap_trainable_leaves && entry.role == Role::Trained;
            let given = Given { entry, stored };
            if is_leaf {
                units[at].push(vec![given]);
            } else {
                units[at][0].push(given);
            }
        }
        // Modules within are wrapped first, the model last.
        let fsdp = Rc::new_cyclic(|own: &Weak<Self>| {
            let flat = Flattening {
                t,
                spec,
                common,
                own,
            };
            let mut handles: Vec<Handle> = Vec::new();
            let mut leaves = Vec::new();
            let mut of_layer = Vec::new();
            let root = units.remove(0);
            for layer in &units {
                let at = 1 + handles.len();
                of_layer.push(at);
                let within: Vec<Handle> = (layer.iter().enumerate().skip(1))
                    .map(|(nth, leaf)| {
                        leaves.push((leaf[0].entry.tensor.clone(), at + nth));
                        flat.handle(leaf, at + nth)
                    })
                    .collect();
                handles.push(flat.handle(&layer[0], at));
                handles.extend(within);
            }
            let mut root = flat.handle(&root[0], 0);
            root.is_root = true;
            handles.insert(0, root);
            Self {
                own: Weak::clone(own),
                settings,
                replicates: strategy.is_hybrid(),
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
            }
        });
        t.empty_cache();
        t.wrap_modules(Rc::clone(&fsdp) as Rc<dyn ModuleHooks>);
        fsdp
    }
}

/// Makes flat parameters.
struct Flattening<'a> {
    t: &'a Tape,
    spec: &'a ResolvedSpec,
    common: Common,
    own: &'a Weak<Fsdp1>,
}

impl Flattening<'_> {
    /// The handle of a unit's parameters, which is to stand at a place among all.
    fn handle(&self, unit: &[Given], at: usize) -> Handle {
        let (t, common, mesh) = (self.t, self.common, &self.spec.mesh);
        let sizes: Vec<u64> = unit.iter().map(|p| p.entry.tensor.numel()).collect();
        let stored = unit
            .first()
            .map_or(self.spec.stored_weights(), |p| p.stored);
        let precision = &self.spec.parallelism.dp.fsdp.mixed_precision;
        let [compute, reduce] = [precision.param, precision.reduce.or(precision.param)]
            .map(|asked| asked.map_or(stored, |dtype| dtype.dtype()));
        let aligned = common.use_orig_params.then(|| compute.size());
        let place = if common.shards {
            mesh.place_in_shard()
        } else {
            0
        };
        let layout = Layout::of(&sizes, aligned, mesh.shard, (place, common.ranks));
        let whole: Vec<&Tensor> = unit.iter().map(|p| &p.entry.tensor).collect();
        let local = t.in_scope(unit.first().map_or(0, |p| p.entry.scope), || {
            handle::shard(t, common, &layout, stored, &whole)
        });
        let originals = unit.iter().zip(&layout.own).map(|(p, &own)| Original {
            tensor: p.entry.tensor.clone(),
            trained: p.entry.role == Role::Trained,
            shard: local.part(if own == p.entry.tensor.numel() && !common.shards {
                *p.entry.tensor.shape()
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
        Handle::new(common, layout, originals, [local, flat], reduce)
    }
}

/// Parameters in the order in which their modules have them: adapters, which are made when all of the model
/// is there, stand behind what they adapt.
fn in_order(registered: Vec<Registered>) -> Vec<Registered> {
    let mut firsts = BTreeMap::new();
    for (at, entry) in registered.iter().enumerate() {
        firsts.entry(entry.scope).or_insert(at);
    }
    let parameters = registered
        .into_iter()
        .filter(|entry| entry.role != Role::Buffer);
    let mut parameters: Vec<Registered> = parameters.collect();
    parameters.sort_by_key(|entry| firsts.get(&entry.scope).copied());
    parameters
}

/// Handle and place in it of each parameter that is trained, in the model's order.
fn trained(t: &Tape, handles: &[Handle]) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (at, handle) in handles.iter().enumerate() {
        let originals = handle.originals.iter().enumerate();
        places.extend(originals.map(|(place, original)| (&original.tensor, (at, place))));
    }
    let mut trained = Vec::new();
    t.for_each_parameter(|_, parameter, _| {
        let found = places.iter().find(|(tensor, _)| tensor.is(parameter));
        trained.extend(found.map(|(_, place)| *place));
    });
    trained
}
