//! `deepspeed.zero.Init`: of each parameter every rank keeps a part. `deepspeed.initialize` goes over a whole model so;
//! around `from_pretrained` (transformers 5.23, once it knows of a configuration of `ZeRO` 3) each module's parameters
//! are divided when it is made, and gathered once more when their weights come.
//!
//! Source: `deepspeed/runtime/zero/partition_parameters.py` (`_zero_init_param`, `_post_init_method`,
//! `GatheredParameters`), DeepSpeed 0.19.8; transformers 5.23, `integrations/deepspeed.py`
//! (`_load_state_dict_into_zero3_model`).

use crate::ask::{ModelLoading, OffloadDevice, Zero};
use crate::model::ResolvedSpec;
use crate::tape::{Category, Registered, Role, Storage, Tape, Tensor};
use crate::units::Shape;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Memory on the device for `elements` elements of a parameter.
fn hold(t: &Tape, of: &Registered, elements: u64) -> Storage {
    let (shape, dtype) = (Shape::from([elements]), of.tensor.dtype());
    t.in_scope(of.scope, || {
        t.hold("empty", &shape, dtype, Category::Parameters)
    })
}

/// A rank's part of a parameter.
pub(super) struct Part {
    /// `ds_tensor`, `[elements / ranks]`, rounded up.
    pub(super) own: Tensor,
    /// `ds_secondary_tensor`, where few ranks have a second copy.
    pub(super) secondary: Option<Storage>,
}

/// How parameters are divided.
#[derive(Clone, Copy)]
pub(super) struct Division {
    settings: Zero,
    ranks: u64,
}

impl Division {
    pub(super) fn of(spec: &ResolvedSpec) -> Self {
        Self {
            settings: spec.parallelism.dp.zero,
            ranks: spec.mesh.shard,
        }
    }

    fn on_host(self) -> bool {
        self.settings.offload_param == OffloadDevice::Cpu
    }

    /// Elements of a rank's part.
    pub(super) fn part(self, parameter: &Tensor) -> u64 {
        parameter.numel().div_ceil(self.ranks)
    }

    /// A second copy among few ranks, where they are to have one on the device.
    fn secondary(self, t: &Tape, of: &Registered) -> Option<Storage> {
        let few = self.settings.zero_hpz_partition_size;
        let has = few > 1 && !self.on_host();
        has.then(|| hold(t, of, self.part(&of.tensor) * self.ranks / few))
    }

    /// `partition` for the first time of a parameter that is there.
    pub(super) fn divide(self, t: &Tape, of: &Registered) -> Part {
        let (shape, dtype) = (Shape::from([self.part(&of.tensor)]), of.tensor.dtype());
        let secondary = self.secondary(t, of);
        let own = if self.on_host() {
            t.without_storage(shape, dtype)
        } else {
            t.in_scope(of.scope, || {
                t.allocate("empty", shape, dtype, Category::Parameters)
            })
        };
        of.tensor.free_storage();
        Part { own, secondary }
    }

    /// `GatheredParameters`: all of them are there, and given back.
    fn gather(self, t: &Tape, parameters: &[&Registered]) {
        let whole = |of: &&Registered| hold(t, of, self.part(&of.tensor) * self.ranks);
        let brought = |of: &&Registered| self.on_host().then(|| hold(t, of, self.part(&of.tensor)));
        // One goes by way of `_allgather_params_sequential`.
        if let [one] = parameters {
            let _whole = whole(one);
            drop(brought(one));
            return;
        }
        let _brought: Vec<_> = parameters.iter().filter_map(brought).collect();
        let whole: Vec<Storage> = parameters.iter().map(whole).collect();
        whole.into_iter().for_each(drop);
    }

    /// The modules are made, one after the other.
    fn made(self, t: &Tape, modules: &[Registered]) -> BTreeMap<usize, Part> {
        let mut parts = BTreeMap::new();
        for module in modules.chunk_by(|one, next| one.scope == next.scope) {
            let mut draft: Option<&Registered> = None;
            for entry in module {
                t.in_scope(entry.scope, || {
                    t.give_storage_for(entry.role.category(), "empty", &entry.tensor);
                });
                if let Some(draft) = draft.take() {
                    draft.tensor.free_storage();
                }
                draft = Some(entry).filter(|entry| entry.role == Role::Draft);
            }
            for entry in parameters(module) {
                parts.insert(entry.tensor.identity(), self.divide(t, entry));
            }
        }
        parts
    }

    /// Weights come: first those of experts, each of which is put together on the host, then module by module.
    fn loaded(self, t: &Tape, modules: &[Registered], experts: bool) {
        let of_modules = || modules.chunk_by(|one, next| one.scope == next.scope);
        let stacked = |module: &&[Registered]| experts && are_stacked(module);
        for entry in of_modules().filter(stacked).flat_map(parameters) {
            self.gather(t, &[entry]);
        }
        for module in of_modules().filter(|module| !stacked(module)) {
            let own = parameters(module).filter(|entry| entry.role != Role::Untied);
            self.gather(t, &own.collect::<Vec<_>>());
        }
    }
}

/// Whether a module has nothing but weights of all experts, each of which a checkpoint has by itself.
fn are_stacked(module: &[Registered]) -> bool {
    module.iter().all(|entry| entry.tensor.shape().rank() == 3)
}

fn parameters(modules: &[Registered]) -> impl Iterator<Item = &Registered> {
    let is_parameter = |entry: &&Registered| entry.role.category() == Category::Parameters;
    modules.iter().filter(is_parameter)
}

/// Parts of parameters that were divided as their modules were made, by their identity.
#[derive(Clone, Default)]
pub(in crate::parallel) struct Parts(Rc<RefCell<BTreeMap<usize, Part>>>);

impl Parts {
    /// Parts of the model that is built next, if it is loaded within `deepspeed.zero.Init`.
    pub(in crate::parallel) fn of_built(t: &Tape, spec: &ResolvedSpec) -> Self {
        let parts = Self::default();
        if spec.around.loading == ModelLoading::ZeroInit {
            let (division, experts) = (Division::of(spec), spec.architecture.experts().is_some());
            let built = parts.clone();
            t.once_modules_are_made(move |t, modules| {
                let mut made = division.made(t, modules);
                division.loaded(t, modules, experts);
                for entry in modules.iter().filter(|entry| entry.role == Role::Untied) {
                    made.remove(&entry.tensor.identity());
                }
                built.0.replace(made);
            });
        }
        parts
    }

    /// The part of a parameter, which is divided now where it has not been.
    pub(super) fn take(&self, t: &Tape, division: Division, of: &Registered) -> Part {
        let built = self.0.borrow_mut().remove(&of.tensor.identity());
        built.unwrap_or_else(|| division.divide(t, of))
    }
}
