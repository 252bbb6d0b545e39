//! `evaluate` of TRL's trainers after a training step: `prediction_step` of each batch, and what `Trainer` keeps of them.
//!
//! Source: trl 1.16.0, `prediction_step` of each trainer; transformers 5.23, `Trainer.evaluation_loop`; accelerate 1.15,
//! `DataLoaderShard` and `pad_across_processes`.

use super::{Batches, Computed, Trainer};
use crate::ask::ObjectiveKind;
use crate::families::{Batch, Model};
use crate::nn::Request;
use crate::parallel::is_wrapped;
use crate::sim::joined::{BATCHES, Joined};
use crate::tape::{Category, Tensor};
use crate::units::{DType, Shape};

/// A number of a trainer's, or one of each of some samples or tokens.
pub(super) type Metric = (Shape, DType);

/// A metric of one number.
pub(super) fn one_number() -> Metric {
    (Shape::new(&[]), DType::Float32)
}

/// The results of `prediction_step`.
struct Prediction {
    loss: Tensor,
    /// Logits and the labels that they are compared with, where they are kept.
    logits: Option<Tensor>,
    labels: Option<Tensor>,
}

impl Trainer<'_> {
    /// Evaluates at most [`BATCHES`] batches one by one; returns the elements of one batch's predictions.
    pub(in crate::sim) fn evaluate(&mut self, model: &Model) -> u64 {
        let (t, spec) = (self.tape, self.spec);
        let evaluation = &spec.evaluation;
        // The data that is trained on stays.
        let trained_on = (self.generated.take(), self.completed.take(), self.left_out);
        self.batches = Batches {
            size: (evaluation.micro_batch_size).unwrap_or(spec.micro_batch_size),
            count: 1,
            train: false,
            predict: evaluation.keeps_predictions(),
        };
        t.train(false);
        let grad_mode = t.set_grad_enabled(false);
        let predicted = self.evaluation_loop(model);
        t.set_grad_enabled(grad_mode);
        t.train(true);
        self.batches = Batches::of_training(spec);
        (self.generated, self.completed, self.left_out) = trained_on;
        predicted
    }

    /// `Trainer.evaluation_loop`.
    fn evaluation_loop(&mut self, model: &Model) -> u64 {
        let (t, evaluation) = (self.tape, &self.spec.evaluation);
        let run = evaluation.batches.min(BATCHES);
        let most = (evaluation.batches).min(evaluation.accumulation_steps.unwrap_or(u64::MAX));
        let [mut losses, mut logits, mut labels] = [(); 3].map(|()| Joined::default());
        // Variables of the loop hold their tensors until new ones come.
        let mut batch = None;
        let mut given: Option<(Tensor, [Option<Tensor>; 2])> = None;
        let mut predicted = 0;
        for number in 1..=run {
            if number == run && most > BATCHES {
                for joined in [&mut losses, &mut logits, &mut labels] {
                    joined.grow(t, most - 1);
                }
            }
            batch = self.next_batch(batch);
            let Some(Prediction {
                loss,
                logits: new_logits,
                labels: new_labels,
            }) = self.prediction_step(model, batch.as_ref())
            else {
                break;
            };
            drop(given.take());
            let repeated = t.empty("repeat", Shape::from([self.batch_size()]), DType::Float32);
            let repeated = self.gathered(repeated);
            drop(loss);
            losses.add(t, vec![repeated.clone()]);
            if let Some(labels) = &new_labels {
                self.asks_for_sizes(labels);
            }
            let new_logits = new_logits.map(|new| {
                self.asks_for_sizes(&new);
                predicted = new.numel();
                let all = self.gathered(new);
                all.set_category(Category::Logits);
                logits.add(t, vec![all.clone()]);
                all
            });
            let new_labels = new_labels.map(|new| {
                let all = self.gathered(new);
                labels.add(t, vec![all.clone()]);
                all
            });
            given = Some((repeated, [new_logits, new_labels]));
            if evaluation
                .accumulation_steps
                .is_some_and(|steps| losses.batches() >= steps)
            {
                for joined in [&mut losses, &mut logits, &mut labels] {
                    joined.clear();
                }
                given = None;
                batch = None;
                t.empty_cache();
            }
        }
        drop((batch, given));
        predicted
    }

    /// The parts of a tensor that the processes of all ranks have, one after the other; the tensor itself if there is
    /// one process (`gather_for_metrics`).
    fn gathered(&self, x: Tensor) -> Tensor {
        if !is_wrapped(self.spec) {
            return x;
        }
        let mut shape = *x.shape();
        shape.dims_mut()[0] *= self.processes();
        self.tape.empty("all_gather", shape, x.dtype())
    }

    /// A tensor of all processes is as long as the longest of them: their sizes are asked for (`pad_across_processes`).
    fn asks_for_sizes(&self, x: &Tensor) {
        let rank = x.shape().rank() as u64;
        if rank > 1 {
            let sizes = Shape::from([1, rank]);
            let size = self.tape.empty("_to_copy", sizes, DType::Int64);
            drop(self.gathered(size.clone()));
        }
    }

    /// How many samples the loop counts in a batch: rows before they are packed.
    fn batch_size(&self) -> u64 {
        let packing = self.spec.packing;
        let rows = if packing.is_on() {
            packing.sequences
        } else {
            1
        };
        self.batches.size * rows
    }

    /// The batch after another one, which lives until it is there; none where completions are generated for it.
    fn next_batch(&self, before: Option<Batch>) -> Option<Batch> {
        let next = self.fetch();
        drop(before);
        next
    }

    /// `prediction_step` of a trainer.
    fn prediction_step(&mut self, model: &Model, batch: Option<&Batch>) -> Option<Prediction> {
        let t = self.tape;
        let kind = self.spec.objective.kind;
        let Computed { loss, logits } = self.computed(model, (batch, true), &mut |_| {})?;
        let averages = matches!(
            kind,
            ObjectiveKind::Reward | ObjectiveKind::Grpo | ObjectiveKind::Distillation
        );
        let loss = if averages { t.mean_all(&loss) } else { loss };
        (self.generated, self.completed) = (None, None);
        let mut prediction = Prediction {
            loss,
            logits: logits.filter(|_| self.batches.predict),
            labels: None,
        };
        if self.batches.predict {
            if self.spec.objective.has_all_logits() {
                // Of logits the means of chosen and of rejected ones, and a zero for each.
                let numbers = || Some(t.empty("_to_copy", Shape::from([2]), DType::Float32));
                (prediction.logits, prediction.labels) = (numbers(), numbers());
            } else if kind == ObjectiveKind::Sft {
                prediction.labels = batch.and_then(|batch| batch.labels.clone());
            } else if kind != ObjectiveKind::Reward {
                prediction.labels = batch.map(|batch| batch.ids().clone());
            }
        }
        if let Some(logits) = &prediction.logits {
            logits.set_category(Category::Logits);
        }
        Some(prediction)
    }

    /// Logits of all tokens of a batch, where they are kept, computed while the trainer's metrics have names.
    pub(super) fn predicted(
        &self,
        model: &Model,
        batch: &Batch,
        metrics: &[Metric],
    ) -> Option<Tensor> {
        if !self.batches.predict {
            return None;
        }
        let named = |&(shape, dtype): &Metric| self.tape.empty("metric", shape, dtype);
        let _named: Vec<Tensor> = metrics.iter().map(named).collect();
        let batch = Batch {
            labels: None,
            ..batch.clone()
        };
        self.asks(model, &batch, Request::default()).logits
    }
}
