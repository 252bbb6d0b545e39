//! Modules are called, and parameters are read outside of theirs.
//!
//! Source: `deepspeed/runtime/zero/parameter_offload.py`, deepspeed 0.19.8.

use super::{Coordinator, READERS, ROOT, Status, Use, hold};
use crate::tape::{Called, Tape};
use crate::units::Wait;

impl Coordinator {
    /// Enters a called module; returns its use of parameters, `None` for the root and for reads outside of modules.
    pub(in crate::parallel::zero) fn enter(&self, t: &Tape, module: &Called) -> Option<Use> {
        if module.op == "external" {
            let own = module.own.iter().flatten();
            own.filter_map(|tensor| self.place(tensor))
                .for_each(|at| self.read(t, at));
            return None;
        }
        let used = self.using(t, module);
        let is_root = module.op == ROOT;
        if is_root {
            self.begin(t);
        }
        self.running.borrow_mut().push(used.module);
        self.fetch(t, &used, true);
        if is_root {
            // The model within the one with a head, which it gives all by name.
            for within in self.shells.iter().chain(&["model"]) {
                let used = self.using(t, &Called::bare(within));
                self.running.borrow_mut().push(used.module);
                self.fetch(t, &used, true);
            }
            return None;
        }
        Some(used)
    }

    /// A parameter is read outside of its module (`ZeROOrderedDict.__getitem__`), while the model is called
    /// (`_in_forward`).
    fn read(&self, t: &Tape, at: usize) {
        if !self.is_apart(at) || t.is_in_backward() {
            return;
        }
        let reader = match self.running.borrow().last() {
            Some(&(of, op)) if READERS.contains(&op) => (of, op),
            // The one with a head.
            Some(_) => (usize::MAX, self.shells.last().copied().unwrap_or(ROOT)),
            None => (usize::MAX, ROOT),
        };
        let mut external = self.external.borrow_mut();
        let external = external.entry(reader).or_default();
        if !external.contains(&at) {
            external.push(at);
        }
        self.take(t, at);
    }

    /// Whether a parameter is not there.
    pub(in crate::parallel::zero) fn is_apart(&self, at: usize) -> bool {
        self.parameters[at].status.get() == Status::Apart
    }

    /// `all_gather` of a parameter by itself.
    pub(in crate::parallel::zero) fn take(&self, t: &Tape, at: usize) {
        let parameter = &self.parameters[at];
        let padded = parameter.part * self.ranks;
        parameter.tensor.take_storage(&hold(t, parameter, padded));
        self.gathers(t, padded, parameter.tensor.dtype());
        parameter.status.set(Status::Available);
        drop(self.copied_parts(t, &[at]));
        t.wait(Wait::Device);
    }
}
