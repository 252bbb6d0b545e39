//! `GRPOTrainer`: groups of completions that are generated elsewhere, scored by a reference where one counts, and
//! trained on by how much better each is than its group.

use super::Trainer;
use crate::families::{Batch, Model};
use crate::sim::Phase;
use crate::tape::{Category, Tensor, TokenOutputs, Work};
use crate::units::{DType, Shape};

/// Micro-batches of a generation that the reference scores one by one; those between the first ones and the last
/// only add to what is kept.
const SCORED: u64 = 4;

/// What the head of the trained model gives.
const OUTPUTS: TokenOutputs = TokenOutputs {
    entropy: true,
    mean_logits: false,
    is_top1: false,
};

/// What is generated for all micro-batches of a step (`_buffered_inputs`).
pub(super) struct Generated {
    /// Token ids and masks of prompts and of completions.
    tokens: [Tensor; 4],
    advantages: Tensor,
    /// How many tokens are scored.
    _items: Tensor,
    /// The reference's log-probabilities.
    reference: Option<Tensor>,
}

impl Trainer<'_> {
    /// Tokens of a prompt and of its completion.
    fn parts(&self) -> [u64; 2] {
        let spec = self.spec;
        let completion = spec.objective.completion_tokens.unwrap_or(1);
        [spec.seq_len - completion, completion]
    }

    /// Prompts and completions of some samples as rows, with their mask and with labels of completions alone
    /// (`_get_per_token_logps_and_entropies`).
    fn labelled(&self, ids: &Tensor, mask: &Tensor) -> Batch {
        let t = self.tape;
        let outside = t.empty("eq", *ids.shape(), DType::Bool);
        let labels = t.masked_fill(ids, &outside);
        drop(outside);
        Batch {
            padding_mask: Some(mask.clone()),
            labels: Some(labels),
            ..Batch::of(ids.clone())
        }
    }

    /// `_generate_and_score_completions` after the generation, and `shuffle_sequence_dict`.
    pub(super) fn generate(&mut self, model: &Model, mark: &mut dyn FnMut(Phase)) {
        let (t, spec) = (self.tape, self.spec);
        let samples = spec.micro_batch_size * spec.gradient_accumulation_steps;
        let [prompt, completion] = self.parts();
        let lengths = [prompt, prompt, completion, completion];
        let tokens = lengths.map(|n| t.empty("_to_copy", Shape::from([samples, n]), DType::Int64));
        let items = t.allocate("sum", Shape::new(&[]), DType::Int64, Category::Inputs);
        let rows = || t.empty("cat", Shape::from([samples, spec.seq_len]), DType::Int64);
        let (ids, mask) = (rows(), rows());
        let reference = spec.objective.has_reference().then(|| {
            mark(Phase::ReferenceForward);
            let scores = self.score(model, &ids, &mask, samples);
            mark(Phase::Forward);
            scores
        });
        let advantages = t.empty("nan_to_num", Shape::from([samples]), DType::Float32);
        drop((ids, mask));
        let shuffled = |x: &Tensor| {
            let _order = t.empty("index", Shape::from([samples]), DType::Int64);
            t.allocate("index", *x.shape(), x.dtype(), Category::Inputs)
        };
        let generated = Generated {
            tokens: tokens.each_ref().map(shuffled),
            advantages: shuffled(&advantages),
            _items: items,
            reference: reference.as_ref().map(shuffled),
        };
        drop((tokens, advantages, reference));
        self.generated = Some(generated);
    }

    /// The reference's log-probabilities of all completions `[G, C]`, as many samples at once as a micro-batch has.
    fn score(&mut self, model: &Model, ids: &Tensor, mask: &Tensor, samples: u64) -> Tensor {
        let (t, size) = (self.tape, self.spec.micro_batch_size);
        let [_, completion] = self.parts();
        let count = samples / size;
        let mut kept: Vec<Tensor> = Vec::new();
        let mut last = None;
        let mut batch = None;
        self.left_out = None;
        for at in 0..count {
            let skips = count > SCORED && (SCORED - 1..count - 1).contains(&at);
            if skips {
                kept.extend(
                    kept.last()
                        .map(|x| t.empty("masked_scatter", *x.shape(), x.dtype())),
                );
                continue;
            }
            let begun = t.work();
            let part = |x: &Tensor| t.slice(x, 0, at * size, (at + 1) * size);
            batch.replace(self.labelled(&part(ids), &part(mask)));
            let Some(batch) = &batch else { continue };
            let output = self.refers(model, batch, OUTPUTS);
            kept.extend(output.beside.first().cloned());
            last.replace(output);
            let others = count.saturating_sub(SCORED);
            self.left_out = Some((t.work().since(begun), others));
        }
        let scores = t.empty("cat", Shape::from([samples, completion]), DType::Float32);
        drop((kept, batch, last));
        scores
    }

    /// What the reference computes of samples that are not run one by one.
    pub(in crate::sim) fn left_out(&self) -> (Work, u64) {
        self.left_out.unwrap_or_default()
    }

    /// `GRPOTrainer._compute_loss` of `loss_type="dapo"`, whose log-probabilities before the step are its own.
    pub(super) fn group_loss(&self, model: &Model) -> Option<Tensor> {
        let t = self.tape;
        let generated = self.generated.as_ref()?;
        let size = self.spec.micro_batch_size;
        let [_, completion] = self.parts();
        let tokens = self.spec.seq_len;
        let rows = || t.empty("cat", Shape::from([size, tokens]), DType::Int64);
        let (ids, attended) = (rows(), rows());
        let (log_probs, entropies) = {
            let batch = self.labelled(&ids, &attended);
            let output = self.scores(model, &batch, OUTPUTS);
            // Joined with those of no other samples.
            let kept = |x: &Tensor| {
                let last = if completion == tokens - 1 {
                    t.whole_slice(x)
                } else {
                    t.slice(x, 1, tokens - 1 - completion, tokens - 1)
                };
                t.cat(&[&last], 0)
            };
            let kept = (kept(output.beside.first()?), kept(output.beside.get(1)?));
            drop(output);
            kept
        };
        let of_batch = |x: &Tensor| t.slice(x, 0, 0, size);
        let advantages = t.unsqueeze(&of_batch(&generated.advantages), 1);
        let mask = of_batch(&generated.tokens[3]);
        let ratio = t.sub(&log_probs, &log_probs.detach());
        let weight = t.exp(&ratio);
        let divergence = generated.reference.as_ref().map(|reference| {
            let reference = of_batch(reference);
            let grown = t.exp(&t.sub(&reference, &log_probs));
            let less = t.sub(&grown, &t.sub(&reference, &log_probs));
            t.add_scalar(&less)
        });
        let clipped = t.clamp(&weight, 2);
        let mut losses = {
            let least = {
                let own = t.mul(&weight, &advantages);
                let bounded = t.mul(&clipped, &advantages);
                t.minimum(&own, &bounded)
            };
            t.neg(&least)
        };
        if let Some(divergence) = &divergence {
            losses = t.add(&losses, &t.mul_scalar(divergence));
        }
        let normalizer = t.empty("div", Shape::new(&[]), DType::Float32);
        let loss = {
            let sum = t.sum_all(&t.mul(&losses, &mask));
            t.div_by(&sum, &normalizer)
        };
        drop((
            attended, entropies, log_probs, ratio, divergence, losses, clipped,
        ));
        Some(loss)
    }
}
