//! An evaluation, as it is asked for.

use crate::units::names;
use serde::{Deserialize, Serialize};

names! {
    /// The program of an evaluation.
    EvaluationKind {
        /// There is none.
        None = "none",
        /// The loss of each batch.
        Loss = "loss",
        /// The logits of each batch.
        Logits = "logits",
        /// Loss and logits, as `Trainer.evaluate` gathers them on the device.
        Trainer = "trainer",
        /// New tokens, as `generate` makes them.
        Generate = "generate",
    }
}

/// An evaluation as it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evaluation {
    /// Its program.
    pub kind: EvaluationKind,
    /// Samples per forward pass on one device (`per_device_eval_batch_size`); as in training when
    /// absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_batch_size: Option<u64>,
    /// Batches that are evaluated.
    pub batches: u64,
    /// Whether the model fills a key-value cache; when absent, as in training, and `generate` does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_cache: Option<bool>,
    /// The number of last positions that have logits; all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logits_to_keep: Option<u64>,
    /// Whether the predictions of all batches are kept until the end (not
    /// `prediction_loss_only`).
    pub keep_predictions: bool,
    /// After how many batches kept predictions go to the host (`eval_accumulation_steps`); at the
    /// end when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accumulation_steps: Option<u64>,
    /// Tokens that `generate` adds to each sample.
    pub max_new_tokens: u64,
    /// Beams that `generate` searches with; 1 means none.
    pub num_beams: u64,
    /// Whether `generate` draws tokens at random.
    pub do_sample: bool,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self {
            kind: EvaluationKind::None,
            micro_batch_size: None,
            batches: 3,
            use_cache: None,
            logits_to_keep: None,
            keep_predictions: true,
            accumulation_steps: None,
            max_new_tokens: 128,
            num_beams: 1,
            do_sample: false,
        }
    }
}

impl Evaluation {
    /// Whether the model fills a key-value cache.
    pub fn caches(&self) -> bool {
        self.use_cache.unwrap_or_default()
    }

    /// Whether predictions of all batches are kept until the end.
    pub fn keeps_predictions(&self) -> bool {
        self.kind == EvaluationKind::Trainer && self.keep_predictions
    }
}
