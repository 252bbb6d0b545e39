//! How the layers of a causal language model run: what each is given besides hidden states.

use super::causal::{Causal, Layer};
use super::parts::Given;
use super::shared::{KeptStates, Shared};
use crate::model::{Grids, Masks, Mixing, Transformers};
use crate::nn::attention::CosSin;
use crate::nn::vision::Among;
use crate::tape::{Called, ListId, Tape, Tensor};
use crate::units::{DType, Shape};
use std::ops::Range;

impl<L: Layer> Causal<L> {
    /// The inputs of full layers and of windowed layers for token ids of shape `ids`, and cosines and sines of layers
    /// with bases of their own.
    pub(super) fn shared(
        &self,
        t: &Tape,
        given: Given,
        ids: Shape,
        dtype: DType,
    ) -> ([Shared; 2], Vec<CosSin>) {
        let Given {
            positions,
            in_images,
            masks: (full, windowed),
            crossing,
        } = given;
        t.enter(&Called::bare("rotary_emb"), &mut []);
        let ((cos, sin), near) = (self.angles).of_kinds(t, (positions, in_images), ids, dtype);
        let cos_sin = self.angles.of_bases(t, positions, dtype);
        // Positions in images are not passed on.
        let passes = self.style.grids == Grids::None || !in_images;
        let mut full = Shared {
            positions: (self.style.passes_positions && passes).then(|| positions.clone()),
            mask: full,
            cos,
            sin,
            narrows: None,
            input: None,
            states: KeptStates::default(),
            chosen: None,
            crossing,
            _others: None,
        };
        let mut local = full.clone();
        if matches!(self.masks, Masks::Both | Masks::Chunked) {
            local.mask = windowed;
        }
        if let Some(near) = near {
            (local.cos, local.sin) = near;
            if self.shell.facts.transformers != Transformers::V5 {
                (full, local) = (full.beside(&local), local.beside(&full));
            }
        }
        let narrows = self.masks == Masks::Narrowed;
        local.narrows = narrows.then(|| Shared::near(t, ids.dim(1), self.window));
        ([full, local], cos_sin)
    }

    /// The hidden states and inputs of the `i`th layer if it reads other layers' keys and values and runs over the
    /// positions whose logits are kept (`_maybe_slice_kv_shared_inputs`); `None` for other layers. Without a mask, sdpa
    /// hides later tokens of all positions or of the last one.
    fn sliced(
        &self,
        t: &Tape,
        i: usize,
        hidden: &Tensor,
        shared: &Shared,
    ) -> Option<(Tensor, Shared)> {
        let kept = self.shell.call().logits_to_keep()?;
        let hides = self.shell.eager || kept == 1 || shared.mask.is_some();
        (i >= self.readers_from && !self.shell.flash && hides).then(|| {
            let s = hidden.dim(1);
            let hidden = t.slice(hidden, 1, s - kept.min(s), s);
            (hidden, shared.last(t, kept))
        })
    }

    /// Runs `layers` over hidden states `[B, S, H]`, full and windowed ones with the inputs of their kind. Also returns
    /// the tensors that stay in local variables.
    pub(super) fn run_layers(
        &self,
        t: &Tape,
        hidden: Tensor,
        (first, layers): (u64, Range<usize>),
        ([full, local], cos_sin): ([&Shared; 2], &[CosSin]),
        (inputs, among): (Option<&Tensor>, &Among),
    ) -> (Tensor, [Option<Tensor>; 2]) {
        let unmasked = full.without_attention(t, self.style.turns_alone);
        // Whatever a layer gives beside its result lives until the next one has given the same, and so does its result
        // if features are added to a copy of it.
        let mut weights = None;
        let deeper = |i: usize, hidden: &Tensor| {
            let injected = among.injected.as_ref()?;
            injected.add(t, i.checked_sub(1)?, hidden)
        };
        let whole = layers.len() == self.layers.len();
        let list = ListId {
            first: u32::try_from(first).unwrap_or(u32::MAX),
            ..ListId::whole(t.scope(), "layers")
        };
        let some = self.layers.get(layers).unwrap_or_default();
        let hidden = t.through_part(list, whole, some, hidden, |i, layer, hidden| {
            let near = self.windowed.get(i).copied().unwrap_or(false);
            let attends = self
                .mixers
                .get(i)
                .is_none_or(|mixing| matches!(mixing, Mixing::Attention | Mixing::Both));
            let shared = match (attends, near) {
                (false, _) => &unmasked,
                (true, true) => local,
                (true, false) => full,
            };
            let rotated = self.angles.of_layer(t, i, cos_sin, self.dtype);
            let rotated = rotated.map(|cos_sin| shared.rotated_by(cos_sin));
            let shared = rotated.as_ref().unwrap_or(shared);
            let with_input = inputs.map(|inputs| shared.with_input(t, inputs));
            let handed_on = self.hands_on.then(|| shared.seeing(weights.clone()));
            let shared = with_input.as_ref().or(handed_on.as_ref()).unwrap_or(shared);
            if layer.is_skipped(shared) {
                t.pass_by_regions(1);
                return hidden.clone();
            }
            let copied = deeper(i, hidden);
            let hidden = copied.as_ref().unwrap_or(hidden);
            let sliced = self.sliced(t, i, hidden, shared);
            let (hidden, shared) = match &sliced {
                Some((hidden, shared)) => (hidden, shared),
                None => (hidden, shared),
            };
            let (out, given) = self.shell.run_with_weights(t, layer, hidden, shared);
            weights = given;
            out
        });
        let copied = deeper(self.layers.len(), &hidden);
        let raw = copied.is_some().then(|| hidden.clone());
        (copied.unwrap_or(hidden), [raw, weights])
    }
}
