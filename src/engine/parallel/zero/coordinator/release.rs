//! Parameters are given back: when a module has run, when backward has ended, and all at once.
//!
//! Source: `deepspeed/runtime/zero/partitioned_param_coordinator.py`, deepspeed 0.19.8.

use super::{Coordinator, ROOT, Status, Trace, Use, hold};
use crate::ask::OffloadDevice;
use crate::tape::{Called, Tape};
use crate::units::Stream;

impl Coordinator {
    /// `release_sub_module`.
    pub(in crate::parallel::zero) fn release(&self, t: &Tape, used: &Use, forward: bool) {
        let mut own = self.own_of(used, forward);
        let mut released = if self.trace.get() == Trace::Complete {
            self.to_release(t, used, forward)
        } else {
            own.clone()
        };
        if !forward {
            let recomputed = self.recomputed.borrow_mut().remove(&used.module);
            for at in recomputed.unwrap_or_default() {
                own.push(at);
                if !self.parameters[at].persists {
                    released.push(at);
                }
            }
            self.backward
                .borrow_mut()
                .retain(|other| other.module != used.module);
        }
        for at in own {
            self.parameters[at]
                .active
                .borrow_mut()
                .retain(|&other| other != used.module);
            if released.contains(&at) {
                self.release_parameter(t, at);
            }
        }
    }

    /// A module has run, and those between it and the model in it. -> all of them, from the inside out.
    pub(in crate::parallel::zero) fn leave(&self, t: &Tape, module: &Called) -> Vec<Use> {
        let used = self.using(t, module);
        let shells = self.shells.iter().filter(|_| module.op == ROOT).rev();
        let shells = shells.map(|shell| self.using(t, &Called::bare(shell)));
        let left: Vec<Use> = shells.chain([used]).collect();
        while let Some((_, op)) = self.running.borrow_mut().pop()
            && module.op == ROOT
            && op != ROOT
        {}
        for used in &left {
            self.release(t, used, true);
        }
        left
    }

    /// `__params_to_release`: indices of parameters that are neither persistent nor needed again soon.
    pub(super) fn to_release(&self, t: &Tape, used: &Use, forward: bool) -> Vec<usize> {
        let step = self.step.get();
        let is_free = |at: &usize| {
            let parameter = &self.parameters[*at];
            !parameter.persists && parameter.fetched_for.get().is_none_or(|at| at <= step)
        };
        let mut released = self.own_of(used, forward);
        released.retain(is_free);
        let mut passed = 0;
        for next in self.uses.borrow().iter().skip(step) {
            if passed >= self.settings.stage3_max_reuse_distance || released.is_empty() {
                break;
            }
            // Whether it looks into the next module depends on the released module.
            let seen = match (used.is_leaf, next.is_leaf, next.layer) {
                (false, true, _) => Vec::new(),
                (true, _, Some(scope)) => self.within(t, scope),
                _ => self.own_of(next, false),
            };
            for at in seen {
                released.retain(|&other| other != at);
                passed += self.parameters[at].tensor.numel();
            }
        }
        released
    }

    /// `release_backward_leftovers`.
    pub(in crate::parallel::zero) fn release_leftovers(&self, t: &Tape) {
        loop {
            let Some(used) = self.backward.borrow_mut().pop() else {
                return;
            };
            let recomputed = self.recomputed.borrow_mut().remove(&used.module);
            let own = self.own_of(&used, false).into_iter();
            for at in own.chain(recomputed.unwrap_or_default()) {
                let parameter = &self.parameters[at];
                parameter
                    .active
                    .borrow_mut()
                    .retain(|&other| other != used.module);
                if !parameter.persists {
                    self.release_parameter(t, at);
                }
            }
        }
    }

    /// `release_and_reset_all`.
    pub(in crate::parallel::zero) fn release_all(&self, t: &Tape) {
        for at in 0..self.parameters.len() {
            self.wait(t, at);
            self.parameters[at].active.borrow_mut().clear();
            self.release_parameter(t, at);
        }
    }

    /// `__release_param` and `_partition`: its second copy among few ranks is kept when it is given back.
    pub(super) fn release_parameter(&self, t: &Tape, at: usize) {
        let parameter = &self.parameters[at];
        if parameter.status.get() != Status::Available || !parameter.active.borrow().is_empty() {
            return;
        }
        let copies = self.settings.zero_hpz_partition_size;
        let on_host = self.settings.offload_param == OffloadDevice::Cpu;
        if copies > 1 && !on_host && parameter.secondary.borrow().is_none() {
            let elements = parameter.part * self.ranks / copies;
            parameter
                .secondary
                .replace(Some(hold(t, parameter, elements)));
        }
        self.part(t, at);
        let elements = i64::try_from(parameter.tensor.numel()).unwrap_or(i64::MAX);
        self.available.set(self.available.get() - elements);
    }

    /// `partition` of a parameter: nobody counts it.
    pub(in crate::parallel::zero) fn part(&self, t: &Tape, at: usize) {
        let parameter = &self.parameters[at];
        t.record_stream(&parameter.tensor, Stream::MAIN);
        t.drop_data(&parameter.tensor);
        parameter.status.set(Status::Apart);
    }
}
