//! Values that follow from a scenario: lengths that are padded, the evaluation that a program
//! runs, the dtype of weights.

use super::{DataParallelKind, Evaluation, EvaluationKind, Precision, Program, Scenario};
use crate::units::DType;

impl Scenario {
    /// Whether layers compute in float32: neither autocast nor FSDP's policy makes it less.
    pub fn computes_in_fp32(&self) -> bool {
        let by_fsdp = self.parallelism.dp.compute_dtype();
        let sharded = by_fsdp.is_some_and(|dtype| dtype != DType::Float32);
        self.precision == Precision::Fp32 && !sharded
    }

    /// The length that a data collator pads `tokens` to.
    pub fn padded(&self, tokens: u64) -> u64 {
        let multiple = self.pad_to_multiple_of.unwrap_or(1).max(1);
        tokens
            .checked_next_multiple_of(multiple)
            .unwrap_or(u64::MAX)
    }

    /// The lengths of usual batches of inputs and targets, where they are shorter than the longest;
    /// targets are shorter in the same proportion.
    pub fn usual_lengths(&self) -> Option<[u64; 2]> {
        let mean = self.dataset.length_mean?;
        let target = self.target_seq_len.unwrap_or(self.seq_len);
        let target = (target.saturating_mul(mean)).div_ceil(self.seq_len.max(1));
        (mean < self.seq_len).then(|| [mean, target].map(|tokens| self.padded(tokens)))
    }

    /// Whether the batches have padding in them.
    pub fn has_padding(&self) -> bool {
        // Samples of a batch differ in length, and trainers of TRL pass a mask of them, unless they are packed.
        self.padding_mask.unwrap_or(
            self.program == Program::Evaluation || self.objective.is_on() && !self.packing.is_on(),
        )
    }

    /// The dtype in which modules compute with the weights: FSDP can gather them in another than they are
    /// kept in.
    pub fn gathered_weights(&self) -> DType {
        let gathered = self.parallelism.dp.compute_dtype();
        gathered.unwrap_or(self.weights_dtype())
    }

    /// The dtype of weights that are not quantized: the precision's own, or another under autocast.
    pub fn weights_dtype(&self) -> DType {
        if self.quantization.is_on() {
            return self.quantization.unquantized_dtype();
        }
        match (self.precision, self.weights) {
            (Precision::AmpBf16 | Precision::AmpFp16, Some(weights)) => weights.dtype(),
            (precision, _) => precision.dtype(),
        }
    }

    /// Whether norms, embeddings and the output layer are float32 beside others in half precision: autocast brings what they
    /// give back.
    pub fn widens(&self) -> bool {
        let narrow = !self.quantization.is_on() && self.weights_dtype().is_half();
        let whole = matches!(
            self.parallelism.dp.kind,
            DataParallelKind::None | DataParallelKind::Ddp
        );
        self.wide_embeddings && narrow && whole && self.precision.autocasts()
    }

    /// The evaluation that is run: a program of evaluation without a kind takes the loss.
    pub fn asked_evaluation(&self) -> Evaluation {
        let mut evaluation = self.evaluation;
        if self.program == Program::Evaluation && evaluation.kind == EvaluationKind::None {
            evaluation.kind = EvaluationKind::Loss;
        }
        if self.program == Program::Forward {
            evaluation.kind = EvaluationKind::None;
        }
        evaluation
            .use_cache
            .get_or_insert(self.use_cache || evaluation.kind == EvaluationKind::Generate);
        evaluation
    }

    /// How many samples an evaluation has on the device at once.
    pub fn evaluated_samples(&self) -> u64 {
        let own = self.asked_evaluation().micro_batch_size;
        own.unwrap_or(self.micro_batch_size)
            .saturating_mul(self.evaluated_times())
    }

    /// How many of its batches are on the device at once.
    pub fn evaluated_times(&self) -> u64 {
        let evaluation = self.asked_evaluation();
        match evaluation.kind {
            EvaluationKind::None => 0,
            EvaluationKind::Loss | EvaluationKind::Logits => 1,
            EvaluationKind::Trainer => evaluation.batches,
            EvaluationKind::Generate => evaluation.num_beams,
        }
    }

    /// Tokens of a sample of the evaluation, including generated ones.
    pub fn evaluated_tokens(&self) -> u64 {
        let evaluation = self.asked_evaluation();
        let generated = match evaluation.kind {
            EvaluationKind::Generate => evaluation.max_new_tokens,
            _ => 0,
        };
        self.padded(self.seq_len).saturating_add(generated)
    }
}
