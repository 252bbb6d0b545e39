//! One flat parameter (`FlatParamHandle`, `torch/distributed/fsdp/_flat_param.py`, torch 2.15).

use super::layout::Layout;
use crate::tape::{Category, Collective, Hooked, Tape, Tensor};
use crate::units::{DType, Queue, Shape, Stream, Wait};
use std::cell::{Cell, RefCell};

/// `_unshard_stream`.
pub(super) const UNSHARD: Stream = Stream::side(1);
/// `_post_backward_stream`.
pub(super) const POST_BACKWARD: Stream = Stream::side(2);
/// `_pre_unshard_stream`.
pub(super) const PRE_UNSHARD: Stream = Stream::side(3);
/// `_all_reduce_stream` of hybrid strategies.
pub(super) const ALL_REDUCE: Stream = Stream::side(4);

/// The state of a handle (`HandleTrainingState`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    Forward,
    BackwardPre,
    BackwardPost,
}

/// The options of all handles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common {
    /// Whether parameters are divided at all; not so with `NO_SHARD`.
    pub(super) shards: bool,
    /// Whether parameters are freed after forward (`RESHARD_AFTER_FORWARD`).
    pub(super) reshards_after_forward: bool,
    pub(super) use_orig_params: bool,
    pub(super) offloads: bool,
    /// Whether the host waits where too many are gathered (`limit_all_gathers`).
    pub(super) limits: bool,
    /// Whether the model around its layers, and layers, save parameters as they are for backward.
    pub(super) saves: [bool; 2],
    /// Ranks that divide a flat parameter.
    pub(super) ranks: u64,
}

/// A parameter of the model.
pub(super) struct Original {
    /// The tensor that modules compute with, put into the graph anew in each forward pass.
    pub(super) tensor: Tensor,
    pub(super) trained: bool,
    /// This rank's shard of it, `[n]`.
    pub(super) shard: Tensor,
}

/// A flat parameter.
pub(super) struct Handle {
    pub(super) common: Common,
    /// The module of its first parameter.
    pub(super) scope: u32,
    pub(super) is_root: bool,
    pub(super) layout: Layout,
    pub(super) originals: Vec<Original>,
    /// This rank's part (`_local_shard`).
    pub(super) local: Tensor,
    /// The flat tensor in the graph whose views modules have, with the gradient of the flat parameter.
    pub(super) flat: Tensor,
    /// The dtype in which gradients are reduced.
    pub(super) reduce: DType,
    /// `_full_param_padded`, while it has a storage.
    pub(super) full: RefCell<Option<Tensor>>,
    /// `_mp_shard`, likewise.
    pub(super) low: RefCell<Option<Tensor>>,
    /// The copy of an offloaded shard on the device.
    pub(super) copied: RefCell<Option<Tensor>>,
    /// The data that modules' views of an offloaded, undivided parameter hold: only new views replace them, in each
    /// forward and, with `use_orig_params`, backward pass.
    pub(super) viewed: RefCell<Option<Tensor>>,
    /// The data that the views saved for backward hold, likewise.
    pub(super) in_graph: RefCell<Option<Tensor>>,
    /// `_saved_grad_shard`.
    pub(super) saved: RefCell<Option<Tensor>>,
    /// Whether the flat parameter's data is the unsharded one.
    pub(super) is_unsharded: Cell<bool>,
    /// `_skipped_use_sharded_views`.
    pub(super) skipped_views: Cell<bool>,
    /// Whether an original parameter has a gradient (`use_orig_params`).
    pub(super) shows_gradients: Cell<bool>,
    pub(super) state: Cell<State>,
    pub(super) prefetched: Cell<bool>,
    pub(super) needs_pre_forward: Cell<bool>,
    pub(super) needs_pre_backward: Cell<bool>,
    pub(super) ran_pre_backward: Cell<bool>,
    /// Whether its post-backward hook is registered (`_post_backward_hook_state`).
    pub(super) registered: Cell<bool>,
    /// The hook on its module's inputs, if it is not trained.
    pub(super) hooked: RefCell<Option<Hooked>>,
    pub(super) post_backward_called: Cell<bool>,
    pub(super) pre_forward_index: Cell<Option<usize>>,
    pub(super) post_forward_index: Cell<Option<usize>>,
}

impl Handle {
    /// A handle of which this rank has `local`; modules' tensors are views of `flat`.
    pub(super) fn new(
        (common, scope): (Common, u32),
        layout: Layout,
        originals: Vec<Original>,
        [local, flat]: [Tensor; 2],
        reduce: DType,
    ) -> Self {
        Self {
            common,
            scope,
            is_root: false,
            layout,
            originals,
            local,
            flat,
            reduce,
            full: RefCell::default(),
            low: RefCell::default(),
            copied: RefCell::default(),
            viewed: RefCell::default(),
            in_graph: RefCell::default(),
            saved: RefCell::default(),
            is_unsharded: Cell::new(false),
            skipped_views: Cell::new(false),
            shows_gradients: Cell::new(false),
            state: Cell::new(State::Idle),
            prefetched: Cell::new(false),
            needs_pre_forward: Cell::new(false),
            needs_pre_backward: Cell::new(false),
            ran_pre_backward: Cell::new(false),
            registered: Cell::new(false),
            hooked: RefCell::default(),
            post_backward_called: Cell::new(false),
            pre_forward_index: Cell::new(None),
            post_forward_index: Cell::new(None),
        }
    }

    pub(super) fn stored(&self) -> DType {
        self.local.dtype()
    }

    pub(super) fn compute(&self) -> DType {
        self.flat.dtype()
    }

    /// The dtype of original parameters, where they are no views of the gathered flat parameter.
    pub(super) fn dtype_of_views(&self) -> Option<DType> {
        let away = self.common.use_orig_params && !self.is_unsharded.get();
        away.then(|| self.stored())
    }

    /// `_uses_param_mixed_precision`.
    pub(super) fn is_mixed(&self) -> bool {
        self.stored() != self.compute()
    }

    pub(super) fn trains(&self) -> bool {
        self.originals.iter().any(|original| original.trained)
    }

    /// A flat tensor of `elements` elements.
    pub(super) fn empty(t: &Tape, elements: u64, dtype: DType) -> Tensor {
        t.empty("empty", Shape::from([elements]), dtype)
    }

    /// `init_flat_param_attributes`: tensors that are freed at once.
    pub(super) fn init_attributes(&self, t: &Tape) {
        let padded = self.layout.shard * self.common.ranks;
        if self.is_mixed() {
            drop(Self::empty(t, self.layout.shard, self.compute()));
        }
        if self.common.shards {
            drop(Self::empty(t, padded, self.compute()));
            if self.is_mixed() {
                drop(Self::empty(t, padded, self.stored()));
            }
        }
    }

    fn needs_unshard(&self) -> bool {
        self.common.shards && self.full.borrow().is_none()
    }

    /// `_unshard`: `pre_unshard`, `unshard` and `post_unshard`, each on its stream.
    pub(super) fn unshard(&self, t: &Tape) {
        if t.on_stream(PRE_UNSHARD, || self.pre_unshard(t)) {
            t.wait_stream(UNSHARD, PRE_UNSHARD);
        }
        if self.common.limits {
            t.wait(Wait::Limit(Queue::Frees));
        }
        t.on_stream(UNSHARD, || {
            if self.needs_unshard() {
                let padded = self.layout.shard * self.common.ranks;
                let gathers = (padded, self.compute());
                t.communicates_elements(Collective::AllGather, gathers, self.common.ranks);
                self.full
                    .replace(Some(Self::empty(t, padded, self.compute())));
                let copied = self.copied.borrow();
                let gathered = copied.as_ref().filter(|_| self.common.offloads);
                let low = self.low.borrow();
                if let Some(gathered) = gathered.or(low.as_ref().filter(|_| self.common.offloads)) {
                    t.record_stream(gathered, UNSHARD);
                }
            }
            self.is_unsharded.set(true);
            if !self.common.use_orig_params && self.common.shards {
                self.copied.take();
            }
            let state = self.state.get();
            let anew = self.common.use_orig_params && state == State::BackwardPre;
            if !self.common.shards && (anew || state == State::Forward) {
                let before = self.viewed.replace(self.copied.borrow().clone());
                let saves = self.common.saves[usize::from(!self.is_root)];
                self.in_graph.replace(before.filter(|_| anew && saves));
            }
            if state == State::Forward {
                self.use_unsharded_views(t);
            }
            if self.is_mixed() && self.common.shards {
                self.free_low(t);
            }
        });
    }

    /// Prepares the shard for its all-gather. Returns whether there was anything to do.
    fn pre_unshard(&self, t: &Tape) -> bool {
        let offloads = self.common.offloads;
        if self.common.shards && !offloads && !self.needs_unshard() {
            return false;
        }
        if self.is_mixed() {
            // `_use_low_precision_shard`.
            self.low
                .replace(Some(Self::empty(t, self.layout.shard, self.compute())));
            if offloads {
                drop(Self::empty(t, self.layout.shard, self.stored()));
            }
        } else if offloads && !self.is_unsharded.get() {
            let copied = Self::empty(t, self.layout.shard, self.stored());
            self.copied.replace(Some(copied));
            if self.common.use_orig_params {
                self.skipped_views.set(false);
            }
        } else {
            return false;
        }
        true
    }

    /// `_free_low_precision_sharded_param`.
    fn free_low(&self, t: &Tape) {
        if let Some(low) = self.low.take() {
            t.record_stream(&low, t.stream());
        }
    }

    /// `_use_unsharded_views` in forward: modules compute with views that are new in the graph.
    fn use_unsharded_views(&self, t: &Tape) {
        if !self.flat.requires_grad() {
            return;
        }
        let grad_mode = t.set_grad_enabled(true);
        let sizes: Vec<u64> = self.layout.pieces.iter().map(|&(size, _)| size).collect();
        let pieces = self
            .layout
            .pieces
            .iter()
            .zip(t.parts(&self.flat, &sizes, 0));
        let parts = pieces.filter(|((_, is_padding), _)| !is_padding);
        for (original, (_, part)) in self.originals.iter().zip(parts) {
            let view = t.view(&part, *original.tensor.shape());
            original.tensor.redirect(Some(&view));
        }
        t.set_grad_enabled(grad_mode);
    }

    /// `_reshard`: `reshard` and `post_reshard`.
    pub(super) fn reshard(&self, t: &Tape, free: bool) {
        self.is_unsharded.set(false);
        let in_forward = self.state.get() == State::Forward;
        if self.common.use_orig_params {
            let skips = t.is_grad_enabled()
                && in_forward
                && self.common.shards
                && !self.common.reshards_after_forward;
            self.skipped_views.set(skips);
            if !skips {
                // Original parameters become views of the shard on the host.
                self.copied.take();
                if in_forward {
                    if self.has_unsharded_gradient() {
                        self.use_unsharded_grad_views(t);
                    } else {
                        self.use_sharded_grad_views();
                    }
                }
            }
        } else {
            self.copied.take();
        }
        if free && let Some(full) = self.full.take() {
            t.record_stream(&full, t.stream());
        }
        if free && self.common.limits {
            t.wait(Wait::Event(Queue::Frees, t.stream()));
        }
        if self.is_mixed() && !self.common.shards {
            self.free_low(t);
        }
        self.prefetched.set(false);
    }

    fn has_unsharded_gradient(&self) -> bool {
        let gradient = self.flat.gradient();
        self.common.shards && gradient.is_some_and(|gradient| gradient.numel() == self.layout.numel)
    }

    /// `_use_unsharded_grad_views`: a gradient that is not there is made before it becomes a view.
    pub(super) fn use_unsharded_grad_views(&self, t: &Tape) {
        if self.flat.gradient().is_none() {
            self.shows_gradients.set(false);
            return;
        }
        if !self.shows_gradients.replace(true) {
            for original in &self.originals {
                let (shard, whole) = (&original.shard, &original.tensor);
                if shard.shape() != whole.shape() || shard.dtype() != whole.dtype() {
                    drop(t.scratch_like("empty_like", shard));
                }
            }
        }
    }

    /// `_use_sharded_grad_views`.
    pub(super) fn use_sharded_grad_views(&self) {
        let there = self.saved.borrow().is_some() || self.flat.gradient().is_some();
        let shown = |original: &Original| original.trained && original.shard.numel() > 0;
        self.shows_gradients
            .set(there && self.originals.iter().any(shown));
    }

    /// `_reset_flat_param_grad_info_if_needed`.
    pub(super) fn reset_gradient(&self) {
        if self.common.use_orig_params && !self.shows_gradients.get() {
            self.flat.set_gradient(None);
        }
    }

    /// `prepare_gradient_for_backward`: a reduced gradient makes room for one that is not.
    pub(super) fn prepare_for_backward(&self) {
        let gradient = self.flat.gradient();
        if let Some(reduced) = gradient.filter(|gradient| gradient.numel() != self.layout.numel) {
            self.saved.replace(Some(reduced));
            self.flat.set_gradient(None);
        }
    }

    /// `prepare_gradient_for_optim`.
    pub(super) fn prepare_for_optimizer(&self) {
        let saved = self.saved.take();
        if self.common.offloads {
            self.flat.set_gradient(None);
        } else if let Some(saved) = saved.filter(|_| self.post_backward_called.get()) {
            self.flat.set_gradient(Some(saved));
        }
    }

    /// A tensor that the optimizer sees: an original parameter with its part of the gradient, or the flat one.
    pub(super) fn original(&self, at: usize) -> (Tensor, Option<Tensor>) {
        let original = &self.originals[at];
        let shown = self.shows_gradients.get() && original.shard.numel() > 0;
        let gradient = self.flat.gradient().filter(|_| shown);
        let part = gradient.map(|gradient| gradient.part(*original.shard.shape()));
        (original.shard.clone(), part)
    }
}

/// `FlatParamHandle.__init__` and `shard` on the device: the `whole` parameters are copied into a flat one,
/// of which this rank keeps its part.
pub(super) fn shard(
    t: &Tape,
    common: Common,
    layout: &Layout,
    stored: DType,
    whole: &[&Tensor],
) -> Tensor {
    let flat_of = |elements| Handle::empty(t, elements, stored);
    let padding = layout.pieces.iter().filter(|(_, is_padding)| *is_padding);
    let padding: Vec<Tensor> = padding
        .map(|&(size, _)| {
            let _ones = flat_of(size);
            flat_of(size)
        })
        .collect();
    let flat = flat_of(layout.numel);
    drop(padding);
    let local = if common.shards {
        let mut shard = flat_of(layout.unpadded);
        if layout.unpadded < layout.shard {
            shard = flat_of(layout.shard);
        }
        flat.free_storage();
        shard
    } else {
        flat
    };
    // They go one by one as they become views, or with the list of them, whose end goes first.
    let last_first = whole.iter().rev().filter(|_| !common.use_orig_params);
    let first_first = whole.iter().filter(|_| common.use_orig_params);
    for parameter in first_first.chain(last_first) {
        parameter.free_storage();
    }
    if common.offloads {
        return t.without_storage(*local.shape(), stored);
    }
    local.set_category(Category::Parameters);
    local
}
