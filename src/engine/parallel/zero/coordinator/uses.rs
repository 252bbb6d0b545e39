//! Modules that are called, with the parameters that are theirs.
//!
//! Source: `iter_params` (`deepspeed/runtime/zero/partitioned_param_coordinator.py`), deepspeed 0.19.8.

use super::{Coordinator, READERS, ROOT, Use};
use crate::tape::{Called, Tape};

impl Coordinator {
    /// A call of a module.
    pub(in crate::parallel::zero) fn using(&self, t: &Tape, called: &Called) -> Use {
        let own = called
            .own
            .iter()
            .flatten()
            .filter_map(|tensor| self.place(tensor));
        let mut own: Vec<usize> = own.collect();
        own.sort_unstable();
        own.dedup();
        let is_leaf = called.is_leaf;
        if called.op == ROOT {
            return Use {
                module: (usize::MAX, ROOT),
                own: Vec::new(),
                away: Vec::new(),
                is_leaf,
                layer: None,
            };
        }
        let layer = (called.op == "layer").then(|| t.scope());
        if is_leaf {
            own = self.within(t, t.scope());
        }
        let module = (own.first().copied().unwrap_or(usize::MAX), called.op);
        if READERS.contains(&called.op) {
            own.clear();
        }
        let away = called.away.iter().flatten();
        Use {
            module,
            own,
            away: away.filter_map(|tensor| self.place(tensor)).collect(),
            is_leaf,
            layer,
        }
    }

    /// `iter_params`: indices of the parameters of a module, and of the external ones that it is known to read;
    /// parameters that are elsewhere are left out while it `runs`.
    pub(super) fn own_of(&self, used: &Use, runs: bool) -> Vec<usize> {
        let external = self.external.borrow();
        let external = external.get(&used.module).into_iter().flatten();
        let own = used
            .own
            .iter()
            .filter(|&at| !(runs && used.away.contains(at)));
        own.chain(external).copied().collect()
    }

    /// The parameters of all modules at a scope and in it.
    pub(super) fn within(&self, t: &Tape, scope: u32) -> Vec<usize> {
        let all = self.parameters.iter().enumerate();
        let inside = all.filter(|(_, parameter)| t.is_within(parameter.scope, scope));
        inside.map(|(at, _)| at).collect()
    }
}
