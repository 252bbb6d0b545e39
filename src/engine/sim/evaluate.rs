//! Evaluation: forward passes without gradients, as a program of its own or after a training step.
//!
//! Source: `Trainer.evaluation_loop` (`trainer.py`, `trainer_pt_utils.py`), transformers 5.23.

use super::fold::{Counts, Recorded};
use super::generate::{Asked, STEPS, generate};
use super::joined::{BATCHES, Joined};
use super::precision::{autocast, converts_outputs, in_float32, wrapped_in_generation};
use super::{Mark, Phase, Trace};
use crate::ask::{EvaluationKind, Program};
use crate::families::{Batch, Model};
use crate::model::ResolvedSpec;
use crate::nn::{Output, Request};
use crate::parallel::wrapped;
use crate::tape::{Category, Tape, Tensor};
use crate::units::DType;

/// An evaluation that is going on.
pub(super) struct Evaluator<'a> {
    tape: &'a Tape,
    spec: &'a ResolvedSpec,
    model: &'a Model,
    /// Predictions of all batches so far, and what they are compared with.
    kept: Joined,
    /// Predictions of the last batch and what they are compared with, which variables of `Trainer`'s loop hold until
    /// there are new ones.
    given: Vec<Tensor>,
    /// Elements of one batch's predictions, as far as they are kept.
    predicted: u64,
    /// Tokens that are decoded one by one.
    steps: u64,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(tape: &'a Tape, spec: &'a ResolvedSpec, model: &'a Model) -> Self {
        Self {
            tape,
            spec,
            model,
            kept: Joined::default(),
            given: Vec::new(),
            predicted: 0,
            steps: STEPS,
        }
    }

    /// Runs all batches; returns the elements of one batch's predictions.
    pub(super) fn run(mut self) -> u64 {
        let batches = self.batches();
        for number in 1..=batches {
            let batch = self.fetch();
            self.evaluate(&batch, number == batches);
        }
        self.predicted
    }

    /// Copies a batch to the device.
    fn fetch(&self) -> Batch {
        let samples = self.spec.evaluation.micro_batch_size;
        let samples = samples.unwrap_or(self.spec.micro_batch_size);
        self.model
            .fetch_for_evaluation(self.tape, self.spec, samples)
    }

    /// Batches of the evaluation that are run.
    fn batches(&self) -> u64 {
        let asked = self.spec.evaluation.batches;
        let longest = match self.spec.evaluation.kind {
            EvaluationKind::Generate => 2,
            EvaluationKind::Trainer if self.spec.evaluation.keep_predictions => BATCHES,
            _ => 3,
        };
        asked.min(longest)
    }

    /// Evaluates a batch; `last` says that it is the last batch that is run.
    fn evaluate(&mut self, batch: &Batch, last: bool) {
        let (t, evaluation) = (self.tape, &self.spec.evaluation);
        t.train(false);
        let grad_mode = t.set_grad_enabled(false);
        let generates = evaluation.kind == EvaluationKind::Generate;
        let around = !(generates && converts_outputs(self.spec));
        if let Some(dtype) = autocast(self.spec).filter(|_| around) {
            t.enter_autocast(dtype);
        }
        if generates {
            let wrapped = wrapped_in_generation(self.spec);
            let asked = Asked {
                options: evaluation,
                steps: self.steps,
                ends: false,
            };
            let sequences = generate(t, (self.model, wrapped), batch, asked);
            t.exit_autocast();
            drop(sequences);
        } else {
            if evaluation.caches() {
                self.model.open_cache_for(t, batch);
            }
            let request = Request {
                logits_to_keep: evaluation.logits_to_keep,
                without_logits: self.is_of_trainer() && !evaluation.keep_predictions,
                ..Request::default()
            };
            let output = self.model.evaluate(t, batch, request, |output| {
                if !converts_outputs(self.spec) {
                    return output;
                }
                t.exit_autocast();
                in_float32(t, output, self.model.calling().returns_tuples)
            });
            t.exit_autocast();
            self.take(output, batch, last);
        }
        t.close_cache();
        t.set_grad_enabled(grad_mode);
        t.train(true);
    }

    /// Whether `Trainer` runs the evaluation itself, and not a loop that keeps what it keeps.
    const fn is_of_trainer(&self) -> bool {
        let spec = self.spec;
        let trains = matches!(spec.scenario.program, Program::Training);
        let trainer = matches!(spec.evaluation.kind, EvaluationKind::Trainer);
        trains && trainer && spec.optimizer.by_trainer
    }

    /// Takes the model's outputs.
    fn take(&mut self, output: Output, batch: &Batch, last: bool) {
        match self.spec.evaluation.kind {
            EvaluationKind::Logits => {
                if let Some(logits) = &output.logits {
                    logits.set_category(Category::Logits);
                }
            }
            EvaluationKind::Trainer => self.predict(output, batch, last),
            _ => {}
        }
    }

    /// How many batches' predictions are joined at most.
    fn most_kept(&self) -> u64 {
        let evaluation = &self.spec.evaluation;
        let steps = evaluation.accumulation_steps.unwrap_or(u64::MAX);
        evaluation.batches.min(steps)
    }

    /// The predictions of a batch, joined with those before it (`nested_concat`).
    fn predict(&mut self, output: Output, batch: &Batch, last: bool) {
        let t = self.tape;
        let mixed = autocast(self.spec).is_some();
        let wide = |x: &Tensor| {
            if mixed {
                t.to(x, DType::Float32)
            } else {
                x.clone()
            }
        };
        let encoded = output.encoded.as_ref().map(wide);
        let logits = output.logits.as_ref().map(wide);
        // An encoder-decoder's hidden states; a decoder's router logits are ignored.
        let decodes = self.spec.architecture.is_encoder_decoder();
        let beside = output.beside.iter().filter(|_| decodes);
        let beside: Vec<Tensor> = beside.map(wide).collect();
        drop(output);
        t.close_cache();
        if !self.spec.evaluation.keep_predictions {
            return;
        }
        if last && self.most_kept() > BATCHES {
            self.kept.lengthen(t, self.most_kept() - 1);
        }
        let new = logits.into_iter().chain(beside).chain(encoded);
        let mut new: Vec<Tensor> = new.collect();
        self.predicted = new.iter().map(Tensor::numel).sum();
        if self.kept.batches() == 0 {
            for kept in &new {
                kept.set_category(Category::Logits);
            }
        }
        self.given.clear();
        if self.is_of_trainer() {
            new.extend(batch.labels.clone());
            self.given.clone_from(&new);
        }
        self.kept.add(t, new);
        let steps = self.spec.evaluation.accumulation_steps;
        if steps.is_some_and(|steps| self.kept.batches() >= steps) {
            self.kept.clear();
            if self.is_of_trainer() {
                self.given.clear();
                t.empty_cache();
            }
        }
    }
}

/// Runs an evaluation alone.
pub(super) fn evaluation(spec: &ResolvedSpec, tape: Tape) -> Trace {
    evaluation_with(spec, tape, STEPS)
}

/// Runs an evaluation that decodes `steps` tokens at the beginning one by one.
fn evaluation_with(spec: &ResolvedSpec, tape: Tape, steps: u64) -> Trace {
    let (model, wrapper) = wrapped(&tape, spec, || Model::new(&tape, spec));
    let counts = Counts {
        parameters: model.num_parameters(),
        alike_until: (wrapper.as_ref()).map_or(spec.mesh.shard, |w| w.alike_until(&spec.mesh)),
        ..Counts::default()
    };
    let mut marks = Vec::new();
    let mut mark = |step, phase| {
        tape.mark(u32::try_from(marks.len()).unwrap_or(u32::MAX));
        marks.push(Mark {
            step,
            micro_batch: 0,
            phase,
        });
    };
    let mut evaluator = Evaluator::new(&tape, spec, &model);
    evaluator.steps = steps;
    let batches = evaluator.batches();
    for (step, number) in (0..).zip(1..=batches) {
        mark(step, Phase::Data);
        let batch = evaluator.fetch();
        mark(step, Phase::Forward);
        evaluator.evaluate(&batch, number == batches);
    }
    evaluator.kept.clear();
    tape.close();
    drop((evaluator, wrapper));
    Recorded::of(tape, marks).trace(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{ModelRef, Scenario};
    use crate::resolve::resolve;
    use crate::sim::Event;
    use crate::sim::backend::backend;
    use crate::sim::tests::bytes;

    fn spec(option: &str) -> ResolvedSpec {
        let mut scenario: Scenario = serde_json::from_str(option).expect("a scenario");
        scenario.model = ModelRef::Catalog("smollm2-135m".to_owned());
        scenario
            .model_overrides
            .insert("num_hidden_layers".to_owned(), 2.into());
        scenario.program = crate::ask::Program::Evaluation;
        resolve(&scenario).spec.expect(option)
    }

    fn new(spec: &ResolvedSpec) -> Tape {
        Tape::new(backend(spec))
    }

    /// The highest sum of live storages and the largest storage, in bytes.
    fn peak(trace: &Trace) -> (u64, u64) {
        let (mut live, mut peak, mut largest) = (0, 0, 0);
        for event in trace.events() {
            match event {
                Event::Alloc(id) => live += bytes(trace, id),
                Event::Free(id) => live -= bytes(trace, id),
                Event::Mark(_) | Event::EmptyCache | Event::Wait(_) => {}
            }
            peak = live.max(peak);
            if let Event::Alloc(id) = event {
                largest = bytes(trace, id).max(largest);
            }
        }
        (peak, largest)
    }

    #[test]
    fn tokens_that_are_not_decoded_one_by_one_change_no_peak() {
        let tokens = 3 * STEPS;
        for options in ["", r#", "do_sample": true"#, r#", "num_beams": 2"#] {
            let spec = spec(&format!(
                r#"{{"precision": "bf16", "evaluation": {{"kind": "generate",
                    "max_new_tokens": {tokens} {options}}}}}"#
            ));
            let one_by_one = evaluation_with(&spec, new(&spec), u64::MAX);
            let skipping = evaluation(&spec, new(&spec));
            assert!(skipping.event_count() < one_by_one.event_count());
            assert_eq!(peak(&skipping), peak(&one_by_one), "{options}");
        }
    }

    #[test]
    fn predictions_of_batches_that_are_not_run_change_no_peak() {
        for options in ["", r#", "accumulation_steps": 11"#] {
            let spec = spec(&format!(
                r#"{{"evaluation": {{"kind": "trainer", "batches": 30 {options}}}}}"#
            ));
            let steps = if options.is_empty() { 30 } else { 11 };
            let logits = 2 * 256 * 49_152 * 4;
            assert_eq!(
                peak(&evaluation(&spec, new(&spec))).1,
                steps * logits,
                "{options}"
            );
        }
    }

    #[test]
    fn nothing_of_an_evaluation_stays() {
        for kind in ["loss", "logits", "trainer", "generate"] {
            let spec = spec(&format!(r#"{{"evaluation": {{"kind": "{kind}"}}}}"#));
            let trace = evaluation(&spec, new(&spec));
            let mut live = 0;
            let mut at_start = None;
            for event in trace.events() {
                match event {
                    Event::Alloc(id) => live += bytes(&trace, id),
                    Event::Free(id) => live -= bytes(&trace, id),
                    Event::Mark(_) => drop(at_start.get_or_insert(live)),
                    Event::EmptyCache | Event::Wait(_) => {}
                }
            }
            assert_eq!(Some(live), at_start, "{kind}");
        }
    }
}
