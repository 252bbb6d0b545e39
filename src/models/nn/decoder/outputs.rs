//! Outputs of decoders from their last hidden states: logits, classes, losses.

use super::shell::Shell;
use crate::nn::build::{Linear, Output};
use crate::nn::heads::{classifier, loss, scored};
use crate::tape::{Tape, Tensor};

impl Shell {
    /// `hidden_states[:, slice_indices, :]`: the positions `[B, S', H]` that get logits.
    pub(crate) fn kept_positions(&self, t: &Tape, hidden: &Tensor) -> Tensor {
        let s = hidden.dim(1);
        match self.call.logits_to_keep() {
            Some(kept) if kept < s => t.slice(hidden, 1, s - kept, s),
            _ => hidden.clone(),
        }
    }

    /// The output of a head that classifies samples, scores tokens or is left out, or whose loss in training is
    /// computed in chunks or without logits. Gives `hidden` back as an error for a plain language model's.
    pub(crate) fn other_output(
        &self,
        t: &Tape,
        hidden: Tensor,
        head: &Linear,
        (input_ids, labels): (&Tensor, Option<&Tensor>),
    ) -> Result<Output, Tensor> {
        if self.classifies {
            let given = (input_ids, labels);
            return Ok(classifier::classify(t, self.facts, &hidden, head, given));
        }
        let scored = self.scored_output(t, hidden, head, labels);
        let cut = scored.or_else(|hidden| self.cut_output(t, hidden, head, labels));
        let hidden = match cut {
            Ok(output) => return Ok(output),
            Err(hidden) => hidden,
        };
        match labels.filter(|_| self.chunks_loss && t.is_training()) {
            Some(labels) => {
                // Whoever takes the hidden states alone drops the keys and values beside them.
                drop(t.take_cache());
                let read = self.bends.before(t, hidden);
                let after = |t: &Tape, logits| self.bends.after(t, logits);
                Ok(Output::of_loss(loss::chunked(
                    t,
                    &read,
                    (head, after),
                    labels,
                )))
            }
            None => Err(hidden),
        }
    }

    /// The output if the request leaves the head out, or asks it to score tokens. Gives final hidden states `[B, S, H]`
    /// back as an error otherwise.
    pub(crate) fn scored_output(
        &self,
        t: &Tape,
        hidden: Tensor,
        head: &Linear,
        labels: Option<&Tensor>,
    ) -> Result<Output, Tensor> {
        if self.call.leaves_head_out() {
            let given = [Some(hidden), head.weight().cloned(), head.bias()];
            return Ok(Output {
                logits: None,
                loss: None,
                encoded: None,
                beside: given.into_iter().flatten().collect(),
            });
        }
        if let (Some(asked), Some(labels)) = (self.call.scored(), labels) {
            t.read_outside(&[head.weight(), head.bias().as_ref()]);
            if let Some(output) = scored(t, (&hidden, head), labels, asked) {
                return Ok(output);
            }
        }
        Err(hidden)
    }

    /// The loss in training from final hidden states `[B, S, H]` without logits, if the run computes it so; the hidden
    /// states are dropped once they are cast. Gives them back as an error otherwise.
    pub(crate) fn cut_output(
        &self,
        t: &Tape,
        hidden: Tensor,
        head: &Linear,
        labels: Option<&Tensor>,
    ) -> Result<Output, Tensor> {
        let labels = labels.filter(|_| self.cuts_loss);
        let (Some(labels), Some(weight)) = (labels, head.weight()) else {
            return Err(hidden);
        };
        t.read_outside(&[Some(weight)]);
        let hidden = self.bends.without_logits(t, hidden);
        let loss = t.scoped("loss", None, || {
            loss::cut(t, (hidden, weight), labels, self.bends.caps)
        });
        Ok(Output::of_loss(loss))
    }

    /// Final hidden states `[B, S, H]` to logits `[B, S', V]` and, from labels `[B, S]`, the loss of
    /// the next token.
    pub(crate) fn language_model(
        &self,
        t: &Tape,
        hidden: Tensor,
        lm_head: &Linear,
        (input_ids, labels): (&Tensor, Option<&Tensor>),
    ) -> Output {
        let hidden = match self.other_output(t, hidden, lm_head, (input_ids, labels)) {
            Ok(output) => return output,
            Err(hidden) => hidden,
        };
        let logits = t.scoped("lm_head", None, || {
            let kept = self.kept_positions(t, &hidden);
            t.around_module(&kept, |kept| t.around_head(|| lm_head.forward(t, kept)))
        });
        let loss = labels.map(|labels| {
            t.scoped("loss", None, || {
                loss::causal_lm(t, self.facts, &logits, labels)
            })
        });
        Output::of(logits, loss)
    }
}
