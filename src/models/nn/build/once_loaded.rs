//! Notes of modules about their weights and buffers where those are loaded.

use super::builder::{Builder, Plan};
use super::expert_weights::merge;
use super::loading::Weight;
use crate::tape::{Tape, Tensor};

impl Plan<'_> {
    /// Makes modules, whose weights and buffers get their memory later where they come straight to the device.
    pub(crate) fn modules<R>(&self, build: impl FnOnce() -> R) -> R {
        if self.spec.around.loading.fills_modules() {
            self.tape.without_memory(build)
        } else {
            build()
        }
    }
}

impl Builder<'_> {
    /// The memory of the module's weight `name` is made by `fill`: now, or when it is loaded.
    pub(crate) fn once_loaded(
        &self,
        name: &'static str,
        half_bytes: u64,
        fill: impl FnOnce(&Tape) + 'static,
    ) {
        let t = self.plan.tape;
        let Some(loading) = &self.plan.loading else {
            return t.in_scope(self.scope, || fill(t));
        };
        loading.weight(Weight {
            scope: self.scope,
            name,
            half_bytes,
            fill: Box::new(fill),
        });
    }

    /// The weight `name` of the module, where it is loaded: as it is.
    pub(super) fn comes(&self, name: &'static str, weight: &Tensor) {
        self.is_saved_apart(name, weight);
        if self.plan.loading.is_some() {
            let half_bytes = 2 * weight.numel() * weight.dtype().size();
            let (weight, apart) = (weight.clone(), self.apart);
            self.once_loaded(name, half_bytes, move |t| {
                if apart {
                    merge(t, name, &weight);
                } else {
                    t.give_storage("_to_copy", &weight);
                }
            });
        }
    }

    /// A buffer of the module, where the model is loaded.
    pub(super) fn buffer_comes(&self, buffer: &Tensor) {
        if let Some(loading) = &self.plan.loading {
            loading.buffer(self.scope, buffer);
        }
    }

    /// Whether weights are quantized as they come from a checkpoint.
    pub(super) fn quantizes_on_the_way(&self) -> bool {
        self.plan.loading.is_some()
    }
}
