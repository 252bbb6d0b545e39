//! Common parts of decoders around their layers: positions, mask, checkpointing.

use super::bends::Bends;
use crate::ask::{ActivationCheckpointing, Attention, Loss, Task};
use crate::model::{MaskStyle, ResolvedSpec, Transformers};
use crate::nn::build::{Builder, Call, Facts};
use crate::nn::masks::BatchShape;
use crate::nn::masks::{MaskRequest, blocks as mask_blocks, mask, sequences};
use crate::tape::{Region, Results, Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// One layer of a decoder.
pub(crate) trait Block: 'static {
    /// Inputs of every layer of one forward pass besides the hidden states.
    type Shared: Clone + 'static;

    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Self::Shared) -> Tensor;

    /// The part of `shared` that a re-entrant checkpoint holds until the graph dies: since transformers 5 the keyword
    /// arguments, while positional ones are saved tensors.
    fn outliving(shared: &Self::Shared, facts: Facts) -> Self::Shared;

    /// The tensors of `shared` that gradients flow to.
    fn trained(_shared: &mut Self::Shared) -> Option<&mut Tensor> {
        None
    }

    /// The tensors of `shared` that the layer's call passes, which a wrapper may replace.
    fn passed(shared: &mut Self::Shared) -> Vec<&mut Tensor> {
        Self::trained(shared).into_iter().collect()
    }
}

/// A layer that returns the weights of eager attention, or keys and values, too.
pub(crate) trait WeighingBlock: 'static {
    /// As [`Block::Shared`].
    type Shared: Clone + 'static;

    /// `[B, S, H]` to the same and the weights.
    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Self::Shared)
    -> (Tensor, Option<Tensor>);

    /// As [`Block::outliving`].
    fn outliving(shared: &Self::Shared, facts: Facts) -> Self::Shared;

    /// As [`Block::trained`].
    fn trained(_shared: &mut Self::Shared) -> Option<&mut Tensor> {
        None
    }

    /// As [`Block::passed`].
    fn passed(shared: &mut Self::Shared) -> Vec<&mut Tensor> {
        Self::trained(shared).into_iter().collect()
    }
}

/// The options of a run that all layers share.
pub(crate) struct Shell {
    pub(crate) facts: Facts,
    checkpointing: ActivationCheckpointing,
    pub(crate) eager: bool,
    pub(crate) flash: bool,
    pub(crate) padding_mask: bool,
    /// Sequences in each row that masks keep apart.
    packed: u64,
    dtype: DType,
    pub(super) classifies: bool,
    pub(crate) chunks_loss: bool,
    pub(super) cuts_loss: bool,
    /// Changes of a head's input and output.
    pub(super) bends: Bends,
    /// Whether layers return their router's logits beside hidden states.
    returns_router_logits: bool,
    pub(super) call: Rc<Call>,
}

impl Shell {
    pub(crate) fn new(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Self {
        Self {
            facts,
            checkpointing: spec.activation_checkpointing,
            eager: spec.attention == Attention::Eager,
            flash: spec.attention == Attention::FlashAttention2,
            padding_mask: spec.padding_mask,
            packed: if spec.packing.is_on() && !spec.architecture.makes_blind_masks() {
                spec.packing.sequences
            } else {
                1
            },
            dtype: b.embedding_dtype(),
            classifies: spec.task == Task::SequenceClassification,
            chunks_loss: spec.loss == Loss::Chunked,
            cuts_loss: spec.loss == Loss::Cut,
            bends: Bends::of(&spec.architecture, facts),
            returns_router_logits: false,
            call: b.call(),
        }
    }

    /// Never checkpoints the layers.
    pub(crate) fn without_checkpoints(self) -> Self {
        Self {
            checkpointing: ActivationCheckpointing::None,
            ..self
        }
    }

    /// Lets layers return their router's logits if `returned` says so.
    pub(crate) fn with_router_logits(self, returned: bool) -> Self {
        Self {
            returns_router_logits: returned,
            ..self
        }
    }

    /// The dtype of the weights.
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// How the model is called.
    pub(crate) fn call(&self) -> &Call {
        &self.call
    }

    /// `position_ids` `[S]`: since transformers 5 shifted by the length of the cache; or `[B, S]`,
    /// where the caller gives them.
    pub(crate) fn positions(&self, t: &Tape, s: u64) -> Tensor {
        if let Some(given) = self.given_positions() {
            return given;
        }
        let range = t.empty("arange", Shape::from([s]), DType::Int64);
        if self.facts.transformers == Transformers::V5 {
            t.add_scalar(&range)
        } else {
            range
        }
    }

    /// The same, where the first is 1 (`PaliGemmaModel`).
    pub(crate) fn later_positions(&self, t: &Tape, s: u64) -> Tensor {
        match self.given_positions() {
            Some(given) => given,
            None => t.add_scalar(&self.positions(t, s)),
        }
    }

    /// Positions `[B, S]` that the caller gives.
    pub(crate) fn given_positions(&self) -> Option<Tensor> {
        self.call.positions()
    }

    /// Whether a mask comes with the batch, even if there is no padding.
    pub(crate) fn has_mask(&self) -> bool {
        self.padding_mask || self.call.has_mask()
    }

    /// The mask for token ids `[B, S]` where layers know by themselves which tokens are later
    /// (transformers 4): padding alone, `[B, 1, 1, K]` for K keys, added to the scores.
    pub(crate) fn inverted_mask(&self, t: &Tape, input_ids: &Tensor) -> Option<Tensor> {
        let size = BatchShape::of(input_ids);
        let seen = size.with_len(t.cached_tokens() + size.s);
        self.has_mask()
            .then(|| mask::inverted(t, seen, DType::Int64, self.dtype))
    }

    /// The mask for token ids `[B, S]`, of layers that see a `window` of tokens if one is given.
    pub(crate) fn causal_mask(
        &self,
        t: &Tape,
        input_ids: &Tensor,
        window: Option<u64>,
        style: MaskStyle,
    ) -> Option<Tensor> {
        let size = BatchShape::of(input_ids);
        if self.packed > 1 {
            return self.mask_of_sequences(t, size, window);
        }
        if self.flash {
            let seen = size.with_len(t.cached_tokens() + size.s);
            return self.padding_mask.then(|| mask::of_padding(t, seen, style));
        }
        mask::causal(t, self.request(t, size, window, style))
    }

    /// The mask of packed sequences; the flash-attn package is given where they begin, where that is known.
    fn mask_of_sequences(&self, t: &Tape, size: BatchShape, window: Option<u64>) -> Option<Tensor> {
        if self.flash {
            drop(sequences::numbers(t, size));
            return self.call.boundaries();
        }
        let request = self.request(t, size, window, MaskStyle::Boolean);
        Some(sequences::apart(t, request))
    }

    /// The mask of token ids `[B, S]` that is made whether attention needs it or not.
    pub(crate) fn mask_anyhow(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        mask::always(t, self.request(t, size, None, MaskStyle::Boolean))
    }

    /// The mask of layers that see a `chunk` of the sequence (transformers 5).
    pub(crate) fn chunked_mask(
        &self,
        t: &Tape,
        input_ids: &Tensor,
        chunk: Option<u64>,
    ) -> Option<Tensor> {
        let size = BatchShape::of(input_ids);
        let request = self.request(t, size, chunk, MaskStyle::Boolean);
        mask::causal(
            t,
            MaskRequest {
                chunked: true,
                ..request
            },
        )
    }

    /// The masks of texts with images, of layers that see all tokens and of layers that see near ones.
    pub(crate) fn masks_of_groups(
        &self,
        t: &Tape,
        size: BatchShape,
        windowed: bool,
    ) -> (Option<Tensor>, Option<Tensor>) {
        if self.flash {
            // The flash-attn package is told of padding alone.
            let masked = || mask::of_padding(t, size, MaskStyle::Boolean);
            let made = |needed: bool| (needed && self.padding_mask).then(masked);
            return (made(true), made(windowed));
        }
        let request = self.request(t, size, None, MaskStyle::Boolean);
        let full = mask_blocks::of_groups(t, request, false);
        let near = windowed.then(|| mask_blocks::of_groups(t, request, true));
        (Some(full), near)
    }

    /// The request for the mask of `b` samples of `s` tokens.
    fn request(
        &self,
        t: &Tape,
        size: BatchShape,
        window: Option<u64>,
        style: MaskStyle,
    ) -> MaskRequest {
        let cached = t.cached_tokens();
        // A layer with a window has left only as many tokens as the next one sees; no layer has one
        // of no width.
        let left = |window: u64| window.checked_sub(1).map_or(cached, |n| cached.min(n));
        let keys = size.s + window.map_or(cached, left);
        // A mask that is made at all is compared with the window, however wide it is; a triangle
        // knows of none.
        let made =
            style == MaskStyle::Boolean && (self.eager || self.padding_mask || self.packed > 1);
        let window = window.filter(|_| style != MaskStyle::Triangle);
        MaskRequest {
            eager: self.eager,
            padding: self.has_mask(),
            window: window.is_some_and(|window| made || window <= keys),
            chunked: false,
            padded: self.padding_mask,
            size,
            cached,
            keys,
            dtype: self.dtype,
            style,
        }
    }

    /// The mask of layers without a window, which Gemma of transformers 4 always makes.
    pub(crate) fn whole_mask(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        if let Some(given) = self.call.causal_mask() {
            return given;
        }
        let size = BatchShape::of(input_ids);
        let request = MaskRequest {
            eager: true,
            padding: self.padding_mask,
            window: false,
            chunked: false,
            padded: self.padding_mask,
            size,
            cached: 0,
            keys: size.s,
            dtype: self.dtype,
            style: MaskStyle::Exact,
        };
        mask::whole(t, request)
    }

    /// Runs a layer that returns attention weights beside its output, as [`Shell::run`] does.
    pub(crate) fn run_with_weights<B: WeighingBlock>(
        &self,
        t: &Tape,
        block: &Rc<B>,
        hidden: &Tensor,
        shared: &B::Shared,
    ) -> (Tensor, Option<Tensor>) {
        let outside = !self.facts.checkpoints_calls();
        called(t, outside, hidden, shared, B::passed, |hidden, shared| {
            self.checkpoint_with_weights(t, block, hidden, shared)
        })
    }

    fn checkpoint_with_weights<B: WeighingBlock>(
        &self,
        t: &Tape,
        block: &Rc<B>,
        hidden: &Tensor,
        shared: &B::Shared,
    ) -> (Tensor, Option<Tensor>) {
        let calls = self.facts.checkpoints_calls();
        let region = || -> Region<(Tensor, Option<Tensor>)> {
            let (block, shared) = (Rc::clone(block), shared.clone());
            Rc::new(move |t: &Tape, x: &Tensor| weighing(t, calls, &*block, x, &shared))
        };
        match self.checkpointing {
            ActivationCheckpointing::None => weighing(t, calls, &**block, hidden, shared),
            ActivationCheckpointing::Full | ActivationCheckpointing::Operations => {
                t.checkpoint(hidden, &region())
            }
            ActivationCheckpointing::FullReentrant => {
                let kept = B::outliving(shared, self.facts);
                let (block, mut given) = (Rc::clone(block), shared.clone());
                let trained = B::trained(&mut given).cloned();
                let call = self.returns_router_logits.then(|| Rc::clone(&self.call));
                let region = move |t: &Tape, inputs: &[Tensor]| {
                    let mut shared = given.clone();
                    if let (Some(slot), Some(input)) = (B::trained(&mut shared), inputs.get(1)) {
                        slot.clone_from(input);
                    }
                    let run = || weighing(t, calls, &*block, &inputs[0], &shared);
                    let ((out, weights), logits) = match &call {
                        Some(call) => call.with_router_logits(run),
                        None => (run(), Vec::new()),
                    };
                    [out].into_iter().chain(weights).chain(logits).collect()
                };
                let inputs: Vec<&Tensor> = [hidden].into_iter().chain(&trained).collect();
                let mut results = t.checkpoint_reentrant(&inputs, Rc::new(region), Rc::new(kept));
                let mut weights = None;
                for beside in results.drain(1..) {
                    match beside.shape().dims() {
                        // Tokens by experts.
                        [_, _] => self.call.routed(&beside),
                        _ => weights = Some(beside),
                    }
                }
                (results.remove(0), weights)
            }
        }
    }

    /// Runs a layer that gives more than hidden states, checkpointed without re-entrance if that is
    /// asked for.
    pub(crate) fn run_giving<R: 'static>(
        &self,
        t: &Tape,
        hidden: &Tensor,
        region: &Region<R>,
    ) -> R {
        match self.checkpointing {
            ActivationCheckpointing::None => region(t, hidden),
            _ => t.checkpoint(hidden, region),
        }
    }

    /// Runs a layer, checkpointed if that is asked for.
    pub(crate) fn run<B: Block>(
        &self,
        t: &Tape,
        block: &Rc<B>,
        hidden: &Tensor,
        shared: &B::Shared,
    ) -> Tensor {
        let outside = !self.facts.checkpoints_calls();
        let run = |hidden: &_, shared: &_| (self.checkpoint(t, block, hidden, shared), None);
        called(t, outside, hidden, shared, B::passed, run).0
    }

    fn checkpoint<B: Block>(
        &self,
        t: &Tape,
        block: &Rc<B>,
        hidden: &Tensor,
        shared: &B::Shared,
    ) -> Tensor {
        let calls = self.facts.checkpoints_calls();
        let region = || -> Region {
            let (block, shared) = (Rc::clone(block), shared.clone());
            Rc::new(move |t: &Tape, x: &Tensor| plain(t, calls, &*block, x, &shared))
        };
        match self.checkpointing {
            ActivationCheckpointing::None => plain(t, calls, &**block, hidden, shared),
            ActivationCheckpointing::Full | ActivationCheckpointing::Operations => {
                t.checkpoint(hidden, &region())
            }
            ActivationCheckpointing::FullReentrant => {
                let kept = B::outliving(shared, self.facts);
                let (block, mut given) = (Rc::clone(block), shared.clone());
                let trained = B::trained(&mut given).cloned();
                let region = move |t: &Tape, inputs: &[Tensor]| {
                    let mut shared = given.clone();
                    if let (Some(slot), Some(input)) = (B::trained(&mut shared), inputs.get(1)) {
                        slot.clone_from(input);
                    }
                    Results::from_iter([plain(t, calls, &*block, &inputs[0], &shared)])
                };
                let inputs: Vec<&Tensor> = [hidden].into_iter().chain(&trained).collect();
                t.checkpoint_reentrant(&inputs, Rc::new(region), Rc::new(kept))
                    .remove(0)
            }
        }
    }
}

/// Runs a layer inside its checkpoint: its call, with its hooks, if `calls`, or its `forward`.
fn plain<B: Block>(
    t: &Tape,
    calls: bool,
    block: &B,
    hidden: &Tensor,
    shared: &B::Shared,
) -> Tensor {
    let run = |hidden: &_, shared: &_| (block.forward(t, hidden, shared), None);
    called(t, calls, hidden, shared, B::passed, run).0
}

/// Runs a block that returns weights, too.
fn weighing<B: WeighingBlock>(
    t: &Tape,
    calls: bool,
    block: &B,
    hidden: &Tensor,
    shared: &B::Shared,
) -> (Tensor, Option<Tensor>) {
    called(t, calls, hidden, shared, B::passed, |hidden, shared| {
        block.forward(t, hidden, shared)
    })
}

/// Runs a layer, with its hooks if `is_place`: hooks see the hidden states and the tensors of `shared` that are
/// `passed`, then the result and the weights.
fn called<S: Clone>(
    t: &Tape,
    is_place: bool,
    hidden: &Tensor,
    shared: &S,
    passed: fn(&mut S) -> Vec<&mut Tensor>,
    run: impl FnOnce(&Tensor, &S) -> (Tensor, Option<Tensor>),
) -> (Tensor, Option<Tensor>) {
    if !(is_place && t.wraps_modules()) {
        return run(hidden, shared);
    }
    let (mut hidden, mut shared) = (hidden.clone(), shared.clone());
    t.before_module(&mut inputs(&mut hidden, passed(&mut shared)));
    let (mut out, mut weights) = run(&hidden, &shared);
    t.after_module(&mut inputs(&mut out, weights.as_mut()));
    (out, weights)
}

fn inputs<'a>(
    first: &'a mut Tensor,
    others: impl IntoIterator<Item = &'a mut Tensor>,
) -> Vec<&'a mut Tensor> {
    [first].into_iter().chain(others).collect()
}
