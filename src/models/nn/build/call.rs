//! How a model is called besides its batch: what generation and evaluation ask of it.

use super::output::{Request, Scored};
use crate::nn::vision::ImageFeatures;
use crate::tape::{KeyValueCache, Tensor};
use std::cell::RefCell;

/// Options of the next forward passes.
#[derive(Default)]
pub(crate) struct Call {
    request: RefCell<Request>,
    /// The mask `[B, S]` of the forward pass that is running, if one is passed.
    mask: RefCell<Option<Tensor>>,
    /// The images of the forward pass that is running, if there are some.
    images: RefCell<Option<Tensor>>,
    /// Positions `[B, S]` that come with the batch of the forward pass that is running.
    positions: RefCell<Option<Tensor>>,
    /// The bounds of the sequences in the running forward pass, if they come with the batch.
    boundaries: RefCell<Option<Tensor>>,
    /// The routers' logits of the forward pass that is running, if anybody wants them.
    routed: RefCell<Option<Vec<Tensor>>>,
    /// The places for keys and values that an earlier text has left.
    cache: RefCell<Option<KeyValueCache>>,
}

impl Call {
    /// Says what the next forward pass is asked for.
    pub(crate) fn ask(&self, request: Request) {
        self.request.replace(request);
    }

    /// The mask `[B, S]` of the forward pass that begins, or none when it has ended.
    pub(crate) fn pass_mask(&self, mask: Option<&Tensor>) {
        self.mask.replace(mask.cloned());
    }

    /// The mask of the forward pass that is running.
    pub(crate) fn mask(&self) -> Option<Tensor> {
        self.mask.borrow().clone()
    }

    /// The images that the forward pass that begins sees, or none when it has ended.
    pub(crate) fn pass_images(&self, images: Option<&Tensor>) {
        self.images.replace(images.cloned());
    }

    /// The images of the forward pass that is running.
    pub(crate) fn images(&self) -> Option<Tensor> {
        self.images.borrow().clone()
    }

    /// From here on routers' logits are kept.
    pub(crate) fn keep_router_logits(&self) {
        self.routed.replace(Some(Vec::new()));
    }

    /// The logits `[N, E]` of one router.
    pub(crate) fn routed(&self, logits: &Tensor) {
        if let Some(routed) = &mut *self.routed.borrow_mut() {
            routed.push(logits.clone());
        }
    }

    /// The result of `run`, with the logits of the routers in it, which are kept for nobody else.
    pub(crate) fn with_router_logits<R>(&self, run: impl FnOnce() -> R) -> (R, Vec<Tensor>) {
        let outer = self.routed.replace(Some(Vec::new()));
        let given = run();
        (given, self.routed.replace(outer).unwrap_or_default())
    }

    /// The routers' logits since they are kept; from here on they no longer are.
    pub(crate) fn take_router_logits(&self) -> Vec<Tensor> {
        self.routed.take().unwrap_or_default()
    }

    /// Keeps the places for keys and values of a text.
    pub(crate) fn keep_cache(&self, cache: Option<KeyValueCache>) {
        self.cache.replace(cache);
    }

    /// The places that an earlier text has left.
    pub(crate) fn take_cache(&self) -> Option<KeyValueCache> {
        self.cache.take()
    }

    /// The mask that is added to scores, where the caller makes it.
    pub(crate) fn causal_mask(&self) -> Option<Tensor> {
        self.request.borrow().causal_mask.clone()
    }

    /// Positions that come with the batch of the forward pass that begins, or none when it has ended.
    pub(crate) fn pass_positions(&self, positions: Option<&Tensor>) {
        self.positions.replace(positions.cloned());
    }

    /// The positions that are given.
    pub(crate) fn positions(&self) -> Option<Tensor> {
        let asked = self.request.borrow().positions.clone();
        asked.or_else(|| self.positions.borrow().clone())
    }

    /// Sets the beginnings of sequences of the forward pass that begins, `[n + 1]`, or none when it has ended.
    pub(crate) fn pass_boundaries(&self, boundaries: Option<&Tensor>) {
        self.boundaries.replace(boundaries.cloned());
    }

    /// The beginnings of sequences of the running forward pass.
    pub(crate) fn boundaries(&self) -> Option<Tensor> {
        self.boundaries.borrow().clone()
    }

    /// The encoder's result `[B, S, H]`, where the encoder has run before.
    pub(crate) fn encoded(&self) -> Option<Tensor> {
        self.request.borrow().encoded.clone()
    }

    /// Features of images, where those have been seen before.
    pub(crate) fn features(&self) -> Option<ImageFeatures> {
        self.request.borrow().features.clone()
    }

    /// Whether a mask is given even where there is no padding.
    pub(crate) fn has_mask(&self) -> bool {
        self.request.borrow().masked
    }

    /// Whether the weights of experts are gathered token by token.
    pub(crate) fn batches_experts(&self) -> bool {
        self.request.borrow().batched_experts
    }

    /// The request for tokens that are scored instead of giving logits.
    pub(crate) fn scored(&self) -> Option<Scored> {
        self.request.borrow().scored
    }

    /// Whether nobody wants routers' logits, whatever the config says.
    pub(crate) fn leaves_balance_out(&self) -> bool {
        self.request.borrow().without_balance
    }

    /// Whether hidden states are given as they are.
    pub(crate) fn leaves_head_out(&self) -> bool {
        self.request.borrow().without_head
    }

    /// Whether a kernel that needs no logits computes the loss, training or not.
    pub(crate) fn leaves_logits_out(&self) -> bool {
        self.request.borrow().without_logits
    }

    /// Whether adapters are left out.
    pub(crate) fn leaves_adapters_out(&self) -> bool {
        self.request.borrow().without_adapters
    }

    /// The number of last positions that logits are asked for; all if `None`.
    pub(crate) fn logits_to_keep(&self) -> Option<u64> {
        self.request.borrow().logits_to_keep
    }
}
