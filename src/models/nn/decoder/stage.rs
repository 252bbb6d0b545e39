//! A stage of a causal language model: some of its layers, the first stage with the embedding, the last one with
//! norm and head. Each makes positions, cosines and sines for itself.

use super::causal::{Causal, Layer};
use super::parts::Given;
use crate::model::{EmbeddingScale, LocalStage};
use crate::nn::attention::dropped;
use crate::nn::vision::Among;
use crate::tape::{Tape, Tensor};

impl<L: Layer> Causal<L> {
    /// Whether its layers need nothing of others than hidden states, so that ranks can have some of them each.
    pub(crate) fn has_stages(&self) -> bool {
        let scales = matches!(
            self.style.embedding_scale,
            EmbeddingScale::Replaced | EmbeddingScale::Late
        );
        let passes_more = self.inputs.is_some() || self.streams.is_some() || self.hands_on;
        !(scales || passes_more || self.style.norm_before || self.vision_tower.is_some())
    }

    /// Token ids `[B, S]`, if the stage is the first, or hidden states `[B, S, H]`, this rank's positions of them
    /// where ranks divide the sequence, to hidden states or, if it is the last, logits `[B, S, V]`. Where attention hides later tokens without a mask, there is none,
    /// whatever layers have a window.
    pub(crate) fn run_stage(
        &self,
        t: &Tape,
        stage: &LocalStage,
        input: &Tensor,
        positions: Option<&Tensor>,
    ) -> Tensor {
        let [model, _, norm] = self.names;
        let (hidden, normalized) = t.scoped(model, None, || {
            let hidden = if stage.is_first {
                dropped(t, self.embed(t, input), self.embedding_dropout)
            } else {
                input.clone()
            };
            let tokens = if stage.is_first {
                input.dim(1)
            } else {
                self.between.all_positions(input.dim(1))
            };
            let made = || self.shell.positions(t, tokens);
            let positions = positions.cloned().unwrap_or_else(made);
            let masks = if self.shell.eager {
                self.masks(t, input)
            } else {
                (None, None)
            };
            let ids = [input.dim(0), tokens];
            let given = Given {
                positions: &positions,
                in_images: false,
                masks,
                crossing: None,
            };
            let ([full, local], cos_sin) = self.shared(t, given, ids.into(), self.dtype);
            let start = stage.layers.start;
            t.pass_by_regions(start);
            let mut parts = self.of_parts.iter();
            let own = parts.find(|(first, _)| *first == start).cloned();
            let layers = own.unwrap_or((start, 0..0));
            let shared = ([&full, &local], &cos_sin[..]);
            let among = Among::default();
            let (hidden, held) = self.run_layers(t, hidden, layers, shared, (None, &among));
            drop(held);
            let normalized = stage.is_last.then(|| {
                t.scoped(norm, None, || {
                    self.between
                        .around_norm(t, &hidden, |x| self.norm.forward(t, x))
                })
            });
            (hidden, normalized)
        });
        match normalized {
            Some(normalized) => self.logits(t, &normalized, false),
            None => hidden,
        }
    }
}
