//! Log-probabilities of tokens from all logits, as trainers compute them that do not score tokens in the head.
//!
//! Source: `selective_log_softmax` and `entropy_from_logits`, `trainer/utils.py`, trl 1.14; functions of these names in
//! `monkeypatch/trainer/utils.py`, axolotl 0.19; `get_batch_logps`, `train/trainer_utils.py`, LLaMA-Factory 0.9.5.

use super::Trainer;
use crate::ask::LogProbs;
use crate::nn::Output;
use crate::tape::Tensor;
use crate::units::{DType, Shape};

/// Rows of logits whose entropy is computed at once (`chunk_size`).
const ROWS: u64 = 128;

impl Trainer<'_> {
    /// Whether log-probabilities are computed from all logits.
    pub(super) fn has_all_logits(&self) -> bool {
        self.spec.objective.log_probs() != LogProbs::Scored
    }

    /// Labels `[B, S]` of completions alone, for a head that scores tokens.
    pub(super) fn labels_of(&self, completions: &Tensor) -> Option<Tensor> {
        let t = self.tape;
        (!self.has_all_logits()).then(|| {
            let outside = t.empty("eq", *completions.shape(), DType::Bool);
            t.masked_fill(completions, &outside)
        })
    }

    /// The output of a model with all its logits `[B, S, V]`, with the log-probabilities `[B, S - 1]` of the tokens
    /// `ids` `[B, S]` before the other tensors beside the logits.
    pub(super) fn with_log_probs(&self, mut output: Output, ids: &Tensor) -> Output {
        let t = self.tape;
        let Some(mut logits) = output.logits.take() else {
            return output;
        };
        if self.spec.objective.log_probs() == LogProbs::LogSoftmax {
            logits = t.to(&logits, DType::Float32);
        }
        let log_probs = self.log_probs_of(&logits, ids);
        output.logits = Some(logits);
        output.beside.insert(0, log_probs);
        output
    }

    fn log_probs_of(&self, logits: &Tensor, ids: &Tensor) -> Tensor {
        let t = self.tape;
        let tokens = ids.dim(1);
        let shifted = t.slice(logits, 1, 0, tokens - 1);
        let targets = t.slice(ids, 1, 1, tokens);
        let index = t.unsqueeze(&targets, 2);
        let picked = match self.spec.objective.log_probs() {
            LogProbs::SelectiveCopy => {
                let whole = t.contiguous(&shifted);
                return t.selected_log_probs_alone(&whole, &targets);
            }
            LogProbs::LogSoftmax => t.gather(&t.log_softmax(&shifted), &index),
            _ if logits.dtype() == DType::Float32 => {
                let picked = t.gather(&shifted, &index);
                let rows: Vec<Tensor> = (t.unbound(&shifted, 0).iter())
                    .map(|row| t.logsumexp_last(row))
                    .collect();
                let sums = t.stacked(&rows.iter().collect::<Vec<_>>(), 0);
                t.sub(&picked, &t.unsqueeze(&sums, 2))
            }
            _ => {
                let of_tokens = t.unbound(&index, 0);
                let rows: Vec<Tensor> = (t.unbound(&shifted, 0).iter().zip(&of_tokens))
                    .map(|(row, index)| t.gather(&t.log_softmax(row), index))
                    .collect();
                t.stacked(&rows.iter().collect::<Vec<_>>(), 0)
            }
        };
        t.view(&picked, *targets.shape())
    }

    /// Logs numbers of all logits, in two `groups` of samples: the entropy of tokens, and the mean logits of the scored
    /// tokens; `apart` says that the logits of either group are copied first, as KTO's are. Each is gone when the next
    /// number is computed.
    pub(super) fn logs_logits(&self, output: &Output, groups: [u64; 2], apart: bool) {
        let t = self.tape;
        let kind = self.spec.objective.log_probs();
        let Some(logits) = &output.logits else {
            return;
        };
        if !matches!(kind, LogProbs::Selective | LogProbs::SelectiveCopy) {
            return;
        }
        let logits = logits.detach();
        let shifted = t.slice(&logits, 1, 0, logits.dim(1) - 1);
        if kind == LogProbs::Selective {
            self.computes_entropy(&shifted);
        }
        let vocabulary = shifted.dim(2);
        let rows = |shape| t.empty("index", shape, logits.dtype());
        let copies = groups
            .map(|samples| apart.then(|| rows(Shape::from([samples, shifted.dim(1), vocabulary]))));
        for samples in groups {
            drop(rows(Shape::from([samples * self.scored(), vocabulary])));
        }
        drop(copies);
    }

    /// `entropy_from_logits` of logits `[B, S, V]`.
    fn computes_entropy(&self, logits: &Tensor) {
        let t = self.tape;
        let whole = t.contiguous(logits);
        let rows = whole.dim(0) * whole.dim(1);
        let chunk = Shape::from([ROWS.min(rows), whole.dim(2)]);
        let temporary = |op| t.empty(op, chunk, whole.dtype());
        let log_probs = temporary("_log_softmax");
        let probabilities = temporary("exp");
        let product = temporary("mul");
        drop((log_probs, probabilities, product));
    }
}
