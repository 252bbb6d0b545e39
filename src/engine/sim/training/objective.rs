//! Micro-batches that a trainer of TRL makes.

use super::Run;
use crate::ask::DataParallelKind;
use crate::families::Batch;
use crate::sim::Phase;
use crate::sim::activations;
use crate::sim::objectives::Trainer;
use std::rc::Rc;

impl Run<'_> {
    /// A micro-batch as a trainer of TRL makes it: its batch, forward and backward.
    pub(super) fn objective(
        &mut self,
        trainer: &mut Trainer<'_>,
        batch: &mut Option<Batch>,
        step: u32,
        micro_batch: u32,
    ) {
        *batch = trainer.fetch();
        let last = micro_batch + 1 == self.accumulation;
        self.begin_micro_batch(last);
        let objective = &self.spec.objective;
        // Between generations steps train on existing completions; the last step of the run represents the steps that
        // generate.
        let repeats = objective.num_iterations > 1 && step == 1;
        let first = micro_batch == 0 && !repeats;
        if !(first && objective.generates()) {
            self.mark(step, micro_batch, Phase::Forward);
        }
        let model = Rc::clone(&self.model);
        let given = (batch.as_ref(), first);
        let (t, offloaded) = (self.tape, activations::host_copies(self.spec));
        let mut mark = |phase| self.mark(step, micro_batch, phase);
        let mut run = || trainer.loss(&model, given, &mut mark);
        let (loss, on_host) = match offloaded {
            Some(what) => t.save_on_host(what, run),
            None => (run(), Vec::new()),
        };
        self.counts.host_activations = on_host;
        let Some(loss) = loss else { return };
        self.forward_ended(Some(&loss));
        self.mark(step, micro_batch, Phase::Backward);
        // `Accelerator.backward` divides by micro-batches that it is told of: one. It leaves that to DeepSpeed's engine.
        let by_engine = self.spec.parallelism.dp.kind == DataParallelKind::DeepSpeedZero;
        let own = if by_engine {
            loss.clone()
        } else {
            self.tape.div_scalar(&loss)
        };
        self.backward(Some(own), last);
        drop(loss);
    }
}
