//! Reduction of a group's gradients.

use super::Fsdp2;
use super::copies::copy_in;
use super::group::State;
use crate::tape::{Category, Collective, Tape, Tensor};
use crate::units::Shape;

impl Fsdp2 {
    /// `post_backward`: gathered parameters go, and gradients are reduced and divided.
    pub(super) fn post_backward(&self, t: &Tape, at: usize) {
        let group = &self.groups[at];
        group.state.set(State::PostBackward);
        group.pending.set(!self.syncs.get());
        if !self.syncs.get() {
            group.set_gradient_dtypes(false, false);
            if self.reshards.get() {
                group.reshard();
            }
            return;
        }
        let with_gradient: Vec<usize> = (0..group.parameters.len())
            .filter(|&place| group.parameters[place].unsharded.gradient().is_some())
            .collect();
        let gradients: Vec<Tensor> = (with_gradient.iter())
            .filter_map(|&place| {
                let unsharded = &group.parameters[place].unsharded;
                let gradient = unsharded.take_gradient()?;
                Some(t.placed_as(unsharded, &gradient).unwrap_or(gradient))
            })
            .collect();
        group.set_gradient_dtypes(false, true);
        group.reshard();
        self.reducing.borrow_mut().clear();
        if gradients.is_empty() {
            return;
        }
        group.reduced.take();
        self.reduce(t, at, &with_gradient, gradients);
    }

    /// `foreach_reduce`: gradients are copied into the buffer that is reduced and scattered.
    fn reduce(&self, t: &Tape, at: usize, places: &[usize], gradients: Vec<Tensor>) {
        let group = &self.groups[at];
        let own: u64 = places
            .iter()
            .map(|&place| group.parameters[place].padded)
            .sum();
        let flat = |elements, category| {
            t.allocate("empty", Shape::from([elements]), self.reduce, category)
        };
        let ranks = group.sharing.ranks;
        let input = flat(own * ranks, Category::Temporaries);
        t.communicates(Collective::ReduceScatter, input.nbytes(), ranks);
        let parts = places.iter().map(|&place| group.parameters[place].padded);
        let parts: Vec<u64> = parts.collect();
        copy_in(t, &gradients, (&parts, ranks), self.reduce);
        drop(gradients);
        let output = t.on_stream(self.streams.reduce_scatter, || {
            let output = flat(own, Category::Gradients);
            if ranks == 1 && group.sharing.divides {
                drop(flat(own, Category::Temporaries));
            }
            output
        });
        let stream = if self.replicas > 1 {
            self.streams.all_reduce
        } else {
            self.streams.reduce_scatter
        };
        if self.replicas > 1 {
            t.communicates(Collective::AllReduce, output.nbytes(), self.replicas);
            group.reduced.replace(Some(output.clone()));
        }
        let stored = group.parameters[places[0]].shard.dtype();
        let output = if stored == self.reduce {
            output
        } else {
            let cast = t.on_stream(stream, || t.to(&output, stored));
            cast.set_category(Category::Gradients);
            cast
        };
        for &place in places {
            let parameter = &group.parameters[place];
            if self.settings.cpu_offload {
                parameter
                    .gradient
                    .replace(Some(t.without_storage(*parameter.shard.shape(), stored)));
            } else if parameter.gradient.borrow().is_none() {
                let part = output.part(*parameter.shard.shape());
                parameter.gradient.replace(Some(part));
            }
        }
        self.reducing.borrow_mut().push(input);
    }

    /// Whether gradients are reduced in the backward passes that come.
    pub(super) fn sync(&self, syncs: bool) {
        self.syncs.set(syncs);
    }
}
