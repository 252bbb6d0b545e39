//! An evaluation between the steps of a training run: its own data loader, and predictions.

use super::job::{HostInputs, HostJob, batch_tensors};
use crate::ask::{Dataset, EvaluationKind, Precision, Program};
use crate::model::ResolvedSpec;
use crate::units::Bytes;

/// An evaluation of each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostEvaluation {
    /// Bytes of each tensor of one batch.
    pub batch: Vec<Bytes>,
    /// Most bytes of predictions in a rank.
    pub predictions: Bytes,
}

impl HostEvaluation {
    pub(super) fn new(spec: &ResolvedSpec, inputs: &HostInputs, ranks: u64) -> Option<Self> {
        let evaluation = &spec.evaluation;
        if evaluation.kind == EvaluationKind::None || spec.program != Program::Training {
            return None;
        }
        let samples = evaluation.micro_batch_size.unwrap_or(spec.micro_batch_size);
        Some(Self {
            batch: batch_tensors(spec, samples),
            predictions: predictions(spec, inputs.predictions.times(ranks)),
        })
    }

    /// The training job with this evaluation's loader in place of its own. Copies that workers
    /// make of the data set by reading it are the training loader's.
    pub(super) fn loads(&self, job: &HostJob) -> HostJob {
        HostJob {
            batch: self.batch.clone(),
            dataset: Dataset {
                raw_bytes: 0,
                rows: 0,
                ..job.dataset.clone()
            },
            ..job.clone()
        }
    }
}

/// Most bytes of predictions in a rank, which gathers those of all ranks (`gather_function`).
///
/// At the end they become one array or, after every `accumulation_steps` batches, these are joined with the array of
/// all before them, which takes twice the whole for a moment (`EvalLoopContainer.to_cpu_and_numpy`, transformers 5.23;
/// measured: `tests/oracle/host/evaluation.py`). numpy has no bfloat16: predictions in it exist beside their float32
/// copy.
fn predictions(spec: &ResolvedSpec, batch: Bytes) -> Bytes {
    let batches = spec.evaluation.batches;
    let whole = batch.times(batches);
    let at_once = spec.evaluation.accumulation_steps.unwrap_or(batches).max(1);
    if at_once < batches {
        return whole.times(2);
    }
    let halves = u64::from(spec.precision == Precision::Bf16);
    whole + Bytes(whole.get() / 2 * halves)
}
