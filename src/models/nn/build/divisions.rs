//! How a run divides its model's modules among ranks that see the same data, by the plan of the family.

use crate::ask::{Plan as AskedPlan, TensorParallel};
use crate::model::{ResolvedSpec, TensorPlan, TensorStyle, style_of};

/// How a run divides its model's modules.
pub(crate) struct Divisions {
    pub(super) asked: TensorParallel,
    /// How the modules below the model without its head are divided.
    plan: TensorPlan,
    /// Its name.
    base: &'static str,
}

impl Divisions {
    /// The divisions of a run, if it divides modules.
    pub(crate) fn of(spec: &ResolvedSpec) -> Option<Self> {
        let asked = spec.parallelism.tp;
        let divides = spec.divides_modules();
        let family = spec.architecture.family().filter(|_| divides)?;
        Some(Self {
            asked,
            plan: family.tensor_plan,
            base: family.names.model,
        })
    }

    /// How the module at a path, or its parameter, is divided.
    pub(super) fn style(&self, path: &str) -> Option<TensorStyle> {
        let below = path.strip_prefix(self.base)?.strip_prefix('.')?;
        let usual = self.asked.plan == AskedPlan::Usual;
        // Scripts leave the others alone.
        let divides = |style: &TensorStyle| {
            !usual || matches!(style, TensorStyle::Colwise | TensorStyle::Rowwise)
        };
        style_of(self.plan, below).filter(divides)
    }
}
