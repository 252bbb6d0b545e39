//! A situation: a question with the run it is about.

use crate::units::names;

names! {
    /// A group of situations.
    SituationGroup {
        /// The moment of the peak.
        Peak = "peak",
        /// Host RAM, and several jobs.
        Host = "host",
        /// All weights trained on one GPU or one machine.
        FineTuning = "fine_tuning",
        /// Adapters.
        Adapters = "adapters",
        /// From nothing, on many GPUs.
        Pretraining = "pretraining",
        /// Models that are no decoders of text.
        Others = "others",
    }
}

/// A question with the run it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Its group in the menu.
    pub group: SituationGroup,
    /// Stable name.
    pub id: &'static str,
    /// The scenario, as JSON.
    pub scenario: &'static str,
    /// The name of the situation that it is compared with, if it is.
    pub against: Option<&'static str>,
    /// The question, in English and in Chinese.
    pub question: (&'static str, &'static str),
    /// The panel to look at, in both languages.
    pub look_at: (&'static str, &'static str),
}

impl SituationGroup {
    /// Its title, in English and in Chinese.
    pub const fn title(self) -> (&'static str, &'static str) {
        match self {
            Self::Peak => ("Where is the peak?", "峰值在哪里？"),
            Self::Host => ("Host RAM, and several jobs", "主机内存与多个任务"),
            Self::FineTuning => ("Fine-tuning all weights", "全参数微调"),
            Self::Adapters => ("LoRA and QLoRA", "LoRA 与 QLoRA"),
            Self::Pretraining => ("Pre-training on many GPUs", "多 GPU 预训练"),
            Self::Others => ("T5, BERT, images", "T5、BERT 与图像"),
        }
    }
}
