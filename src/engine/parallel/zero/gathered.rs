//! `DeepSpeedZeRoOffload` without an optimizer (`parameter_offload.py`): every rank has a part of each parameter of a
//! model that is not trained; modules gather theirs around each call.

use super::coordinator::Coordinator;
use super::init::Parts;
use crate::model::ResolvedSpec;
use crate::tape::{Called, ParameterHooks, Registered, Tape, Tensor};
use crate::units::Stream;
use std::rc::Rc;

/// The stream of its gathers: the trained model has others.
const ALL_GATHER: Stream = Stream::side(3);

/// The parameters of such a model.
pub(in crate::parallel) struct Gathered {
    coordinator: Coordinator,
    /// This rank's parts of them.
    _parts: Vec<Tensor>,
}

impl Gathered {
    /// Partitions the model whose parameters were registered.
    pub(in crate::parallel) fn new(
        t: &Tape,
        spec: &ResolvedSpec,
        registered: Vec<Registered>,
    ) -> Rc<Self> {
        let none = Parts::default();
        let (coordinator, parts) = Coordinator::new(t, spec, ALL_GATHER, registered, &none);
        Rc::new(Self {
            coordinator,
            _parts: parts,
        })
    }
}

impl ParameterHooks for Gathered {
    fn before(&self, t: &Tape, module: &Called, _inputs: &mut [&mut Tensor]) {
        self.coordinator.enter(t, module);
    }

    fn after(&self, t: &Tape, module: &Called, _outputs: &mut [&mut Tensor]) {
        self.coordinator.leave(t, module);
    }

    /// `GatheredParameters`.
    fn hold(&self, t: &Tape, tensors: &[Tensor]) -> Vec<usize> {
        let places = tensors.iter().filter_map(|x| self.coordinator.place(x));
        let apart: Vec<usize> = places.filter(|&at| self.coordinator.is_apart(at)).collect();
        for &at in &apart {
            self.coordinator.take(t, at);
        }
        apart
    }

    fn give_back(&self, t: &Tape, held: &[usize]) {
        for &at in held {
            self.coordinator.part(t, at);
        }
    }
}
