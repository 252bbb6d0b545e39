//! Evaluations between the steps of a run.

use super::Run;
use crate::ask::EvaluationKind;
use crate::families::Model;
use crate::sim::Phase;
use crate::sim::evaluate::Evaluator;
use std::rc::Rc;

impl Run<'_> {
    /// Builds the model once more, which no step of the program does: with as many layers as an evaluation
    /// runs, or with all. The parameters and the computation with them are the same.
    fn build_again(&mut self, short: bool) {
        let t = self.tape;
        let build = || Model::new(t, self.spec);
        let built = t.build_again(short, || t.with_own_parameters(build));
        self.evaluated = Some(Rc::new(built));
    }

    /// An evaluation after the step where layers were folded; `None` when an evaluation with the shortened model left
    /// storages behind.
    pub(in crate::sim) fn evaluate_unfolded(&mut self) -> Option<()> {
        self.build_again(true);
        let built = self.tape.event_count();
        self.evaluate(0);
        if self.tape.fell_short() {
            if !self.tape.leaves_nothing(built) {
                return None;
            }
            self.build_again(false);
            self.evaluate(0);
        }
        Some(())
    }

    /// An evaluation after the step, while the caller still holds the last batch.
    pub(in crate::sim) fn evaluate(&mut self, step: u32) {
        if self.spec.evaluation.kind == EvaluationKind::None {
            return;
        }
        self.mark(step, 0, Phase::Evaluation);
        let model = Rc::clone(self.evaluated.as_ref().unwrap_or(&self.model));
        if let Some(trainer) = &mut self.trainer {
            self.counts.predicted = trainer.evaluate(&model);
            return;
        }
        self.counts.predicted = Evaluator::new(self.tape, self.spec, &model).run();
    }
}
