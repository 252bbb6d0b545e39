//! Activation checkpointing: a region is run without keeping what it saves, and run again when
//! backward needs it.
//!
//! Source: `torch/utils/checkpoint.py`, torch 2.15.

use super::graph::{Edge, Grads, Meta};
use super::kept_operations::Kept;
use super::on_host::{HostCopies, HostCopy};
use super::recorder::Storage;
use super::{Tape, Tensor};
use crate::units::DType;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A region as it can be run again.
pub type Region<R = Tensor> = Rc<dyn Fn(&Tape, &Tensor) -> R>;

/// A region of several tensors, and with several results, as it can be run again.
pub type Function = Rc<dyn Fn(&Tape, &[Tensor]) -> Results>;

/// The results of such a region.
pub type Results = SmallVec<[Tensor; 1]>;

/// An input of a region that runs again, and whether a gradient flows to it.
type Input = (Saved, bool);

/// One checkpointed region (`_CheckpointFrame`). It lives as long as something that it saved.
pub(super) struct Frame {
    region: Region<()>,
    /// Its input, which is kept as all that is saved outside of the region.
    input: Saved,
    /// Whether a gradient flows to the input.
    trained: bool,
    autocast: Option<DType>,
    /// The scope in which it ran.
    scope: u32,
    /// For each saved tensor, whether the graph that saved it lives.
    asked: RefCell<Vec<bool>>,
    recomputed: RefCell<Vec<Option<Tensor>>>,
    done: Cell<bool>,
    /// Results of operations that do not run again.
    pub(super) kept: Option<Kept>,
}

/// A recomputation that is going on.
pub(super) struct Recompute {
    frame: Rc<Frame>,
    next: Cell<usize>,
}

impl Recompute {
    /// The region.
    pub(super) fn frame(&self) -> &Rc<Frame> {
        &self.frame
    }
}

/// A tensor kept for backward: itself, or the promise to compute it again.
pub(super) enum Saved {
    Tensor(Tensor),
    /// A view of a parameter, with the data that it has.
    View(Box<(Tensor, Rc<Storage>)>),
    /// Apart, since few are.
    OnHost(Box<HostCopy>),
    Checkpointed(Holder),
}

/// Holds the place of a tensor of a region as long as the graph that saved it lives (`_Holder`): when the graph is
/// gone, so is the recomputed tensor, asked for or not.
pub(super) struct Holder {
    frame: Rc<Frame>,
    index: usize,
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.frame.asked.borrow_mut()[self.index] = false;
        let mut recomputed = self.frame.recomputed.borrow_mut();
        let tensor = recomputed.get_mut(self.index).and_then(Option::take);
        drop(recomputed);
        drop(tensor);
    }
}

impl Saved {
    /// The tensor; recomputes the region it belongs to when that has not happened yet.
    pub(super) fn unpack(&self, tape: &Tape) -> Tensor {
        match self {
            Self::Tensor(tensor) => tensor.clone(),
            Self::View(view) => view.0.clone(),
            Self::OnHost(copy) => copy.back(tape),
            Self::Checkpointed(Holder { frame, index }) => {
                if !frame.done.replace(true) {
                    tape.recompute(frame);
                }
                let tensor = frame.recomputed.borrow_mut()[*index].take();
                tensor.expect("a recomputation saves what the first run saved")
            }
        }
    }
}

impl Tape {
    /// Keeps a tensor for backward.
    pub(super) fn save(&self, tensor: &Tensor) -> Saved {
        if let Some(recompute) = self.recompute.borrow().as_ref() {
            return Saved::Tensor(self.save_recomputed(recompute, tensor));
        }
        if let Some(frame) = self.checkpoint.borrow().as_ref() {
            let mut asked = frame.asked.borrow_mut();
            let index = asked.len();
            asked.push(true);
            let frame = Rc::clone(frame);
            return Saved::Checkpointed(Holder { frame, index });
        }
        if let Some(copy) = self.saved_on_host(tensor) {
            return Saved::OnHost(Box::new(copy));
        }
        match self.keep_data(tensor) {
            Some(kept) => Saved::View(Box::new((tensor.clone(), kept))),
            None => Saved::Tensor(tensor.clone()),
        }
    }

    /// Checkpoints only the first of every `n` regions of a forward pass (`_set_gradient_checkpointing`,
    /// `modeling_utils.py`, transformers 5.23), or the `last` (`_apply_layer_sac`,
    /// `distributed/activation_checkpoint.py`, torchtitan 0.2.1).
    pub fn checkpoint_every(&self, n: u64, last: bool) {
        self.checkpoint_every.set((n, last));
    }

    /// Counts `n` regions that this forward pass does without.
    pub fn pass_by_regions(&self, n: u64) {
        self.regions.set(self.regions.get() + n);
    }

    /// Counts the next region as the one after `n` modules.
    pub fn count_regions_from(&self, n: u64) {
        self.regions.set(n);
    }

    /// Whether the next region is not checkpointed.
    fn skips_checkpoint(&self) -> bool {
        let before = self.regions.get();
        self.regions.set(before + 1);
        let (every, last) = self.checkpoint_every.get();
        !(before + u64::from(last)).is_multiple_of(every)
    }

    fn save_recomputed(&self, recompute: &Recompute, tensor: &Tensor) -> Tensor {
        // `_recomputation_hook`: a tensor that requires grad is detached, a parameter that does not is kept as itself.
        let kept = if tensor.requires_grad() {
            self.detached_data(tensor)
        } else {
            self.saved_data(tensor)
        };
        let index = recompute.next.get();
        recompute.next.set(index + 1);
        let mut recomputed = recompute.frame.recomputed.borrow_mut();
        // A tensor that nobody can ask for any more is not kept.
        let asked = recompute.frame.asked.borrow().get(index) == Some(&true);
        if let Some(slot) = recomputed.get_mut(index).filter(|_| asked) {
            *slot = Some(kept.clone());
        }
        // Early stop: operations after the last saved tensor are not computed.
        if index + 1 >= recomputed.len() {
            self.recorder.mute(true);
        }
        kept
    }

    fn recompute(&self, frame: &Rc<Frame>) {
        frame
            .recomputed
            .borrow_mut()
            .resize(frame.asked.borrow().len(), None);
        // Inside of another region of the same backward pass the copies of weights stay until that one ends.
        if self.is_in_region_of_backward(frame.autocast) {
            self.recompute_in_region(frame);
        } else {
            self.in_autocast_again(frame.autocast, || self.recompute_in_region(frame));
        }
    }

    fn recompute_in_region(&self, frame: &Rc<Frame>) {
        let input = match &frame.input {
            Saved::Tensor(input) => input.clone(),
            other if frame.trained => self.input_leaf(&other.unpack(self)),
            other => other.unpack(self),
        };
        let grad_mode = self.set_grad_enabled(true);
        let scope = self.recorder.scope();
        let recompute = Rc::new(Recompute {
            frame: Rc::clone(frame),
            next: Cell::new(0),
        });
        let outer = self.recompute.borrow_mut().replace(recompute);
        self.recorder.set_scope(frame.scope);
        self.recomputing(true, || self.without_cache(|| (frame.region)(self, &input)));
        *self.recompute.borrow_mut() = outer;
        self.recorder.mute(false);
        self.recorder.set_scope(scope);
        self.set_grad_enabled(grad_mode);
    }

    /// `checkpoint(region, input, use_reentrant=False)`.
    pub fn checkpoint<R: 'static>(&self, input: &Tensor, region: &Region<R>) -> R {
        if !self.grad_enabled.get() || self.skips_checkpoint() {
            return region(self, input);
        }
        let again = Rc::clone(region);
        let frame = Rc::new(Frame {
            region: Rc::new(move |tape, input| drop(again(tape, input))),
            input: self.save(input),
            trained: input.requires_grad(),
            autocast: self.autocast_dtype(),
            scope: self.scope(),
            asked: RefCell::default(),
            recomputed: RefCell::default(),
            done: Cell::new(false),
            kept: self.begin_keeping(),
        });
        let outer = self.checkpoint.borrow_mut().replace(frame);
        let output = self.without_cache(|| region(self, input));
        *self.checkpoint.borrow_mut() = outer;
        output
    }

    /// `checkpoint(region, *inputs, use_reentrant=True)`: the region runs without gradients, and
    /// backward runs it again with them and goes backward through it at once. `kept` is what the
    /// node holds until the graph dies: arguments that are not saved as tensors. Where no gradient
    /// flows to an input, none flows to what the region is made of.
    pub fn checkpoint_reentrant(
        &self,
        inputs: &[&Tensor],
        region: Function,
        kept: Rc<dyn std::any::Any>,
    ) -> Results {
        let given: Vec<Tensor> = inputs.iter().map(|&x| x.clone()).collect();
        if self.grad_enabled.get() && self.skips_checkpoint() {
            return region(self, &given);
        }
        let records = self.records(inputs);
        let save = || -> Vec<Input> {
            let saved = inputs.iter().filter(|_| records);
            saved.map(|x| (self.save(x), x.requires_grad())).collect()
        };
        let saved = if self.on_host.checkpoints.get() {
            self.save_on_host(HostCopies::All, save).0
        } else {
            save()
        };
        let autocast = self.autocast_dtype();
        let grad_mode = self.set_grad_enabled(false);
        let outputs = if grad_mode {
            self.without_cache(|| region(self, &given))
        } else {
            region(self, &given)
        };
        self.set_grad_enabled(grad_mode);
        if !records {
            return outputs;
        }
        let metas: Vec<_> = outputs.iter().map(|x| (*x.shape(), x.dtype())).collect();
        let backward = move |tape: &Tape, grads: &Grads| {
            tape.run_again(&region, &saved, autocast, &metas, grads)
        };
        let node = self.node_with(inputs, Box::new(backward), Some(kept));
        let edge = |nr| Edge::Node(Rc::clone(&node), nr);
        (0..)
            .zip(outputs)
            .map(|(nr, x)| match x.detach() {
                x if x.dtype().is_float() => x.with_edge(edge(nr)),
                // Whole numbers have no gradient.
                x => x,
            })
            .collect()
    }

    /// `CheckpointFunction.backward`: outputs that got no gradient count as having one of zeros.
    fn run_again(
        &self,
        region: &Function,
        saved: &[Input],
        autocast: Option<DType>,
        outputs: &[Meta],
        grads: &Grads,
    ) -> Grads {
        let gradients = outputs.iter().enumerate().map(|(i, (shape, dtype))| {
            let gradient = grads.get(i).cloned().flatten();
            gradient.unwrap_or_else(|| self.empty("zeros", *shape, *dtype))
        });
        let gradients: Vec<Tensor> = gradients.collect();
        let inputs = saved
            .iter()
            .map(|(saved, trained)| match saved.unpack(self) {
                x if *trained => self.input_leaf(&x),
                x => x.detach(),
            });
        let inputs: Vec<Tensor> = inputs.collect();
        let grad_mode = self.set_grad_enabled(true);
        let again = || self.recomputing(true, || self.without_cache(|| region(self, &inputs)));
        let backward = |outputs: Results| {
            // Tensors of whole numbers stay, too.
            let (roots, others): (Vec<_>, Vec<_>) =
                (outputs.iter().zip(gradients)).partition(|(output, _)| output.requires_grad());
            self.backward_with(&roots);
            drop(others);
        };
        // axolotl's is in autocast as a whole (`custom_bwd`), PyTorch's for the region.
        if self.on_host.checkpoints.get() {
            self.in_autocast_again(autocast, || backward(again()));
        } else {
            backward(self.in_autocast_again(autocast, again));
        }
        self.set_grad_enabled(grad_mode);
        // Who still holds the region's graph holds them, too.
        inputs.iter().map(Tensor::gradient).collect()
    }
}
