//! Tasks of models.

use super::scenario::Task;

impl Task {
    /// The last layer of an encoder that says something of each token, where it is that alone.
    pub fn head_of_each(self) -> Option<&'static str> {
        match self {
            Self::TokenClassification => Some("classifier"),
            Self::QuestionAnswering => Some("qa_outputs"),
            _ => None,
        }
    }

    /// The modules that PEFT trains as a whole beside adapters (`PeftModelForSequenceClassification`,
    /// `PeftModelForTokenClassification` and `PeftModelForQuestionAnswering`, peft 0.21 and 0.15).
    pub fn heads_trained_whole(self) -> &'static [&'static str] {
        match self {
            Self::SequenceClassification | Self::TokenClassification => &["classifier", "score"],
            Self::QuestionAnswering => &["qa_outputs"],
            _ => &[],
        }
    }
}
