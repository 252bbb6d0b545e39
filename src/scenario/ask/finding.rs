//! Findings: an error or notice, its key, the allowed values, and a fix that a click can apply.

use super::message::Message;
use serde::Serialize;
use serde_json::Value;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the answer holds.
    Notice,
    /// The answer is an estimate of something close to what was asked.
    Warning,
    /// There is no answer until this is repaired.
    Error,
}

/// A change of one scenario key that repairs a finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fix {
    /// The scenario key, dotted where it is nested: `optimizer.impl`.
    pub key: String,
    /// Its new value.
    pub value: Value,
}

/// Something about a scenario that its author should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How serious.
    pub severity: Severity,
    /// The scenario key it is about, dotted where it is nested; empty for the whole.
    pub key: String,
    /// The problem, and the allowed values.
    pub message: Message,
    /// A repair, when there is an obvious one.
    pub fix: Option<Fix>,
}

impl Finding {
    fn new(severity: Severity, key: &str, message: Message) -> Self {
        Self {
            severity,
            key: key.to_owned(),
            message,
            fix: None,
        }
    }

    /// An error about `key`.
    pub fn error(key: &str, message: Message) -> Self {
        Self::new(Severity::Error, key, message)
    }

    /// A warning about `key`.
    pub fn warning(key: &str, message: Message) -> Self {
        Self::new(Severity::Warning, key, message)
    }

    /// A notice about `key`.
    pub fn notice(key: &str, message: Message) -> Self {
        Self::new(Severity::Notice, key, message)
    }

    /// Adds a repair of `key`.
    #[must_use]
    pub fn with_fix(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fix = Some(Fix {
            key: key.to_owned(),
            value: value.into(),
        });
        self
    }
}
