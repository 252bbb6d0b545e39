//! Findings and reports as they are written: the former in both languages.

use super::say::keyed_text;
use crate::ask::{Finding, Fix, Severity};
use crate::decide::{LongBatches, LongSteps};
use crate::report::{Lagging, Report};
use crate::text::Language;
use serde::Serialize;

/// A finding in both languages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrittenFinding<'a> {
    severity: Severity,
    key: &'a str,
    message: String,
    message_zh: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<&'a Fix>,
}

impl<'a> From<&'a Finding> for WrittenFinding<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            severity: finding.severity,
            key: &finding.key,
            message: keyed_text(&finding.message, Language::English),
            message_zh: keyed_text(&finding.message, Language::Chinese),
            fix: finding.fix.as_ref(),
        }
    }
}

/// Findings in both languages.
pub fn written(findings: &[Finding]) -> Vec<WrittenFinding<'_>> {
    findings.iter().map(WrittenFinding::from).collect()
}

/// How long batches are, and what many steps of them hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct WrittenLengths<'a> {
    #[serde(flatten)]
    batches: &'a LongBatches,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<&'a LongSteps>,
}

/// A report with its findings in both languages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrittenReport<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// How long batches are, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    lengths: Option<WrittenLengths<'a>>,
    /// Memory of a steady step where the device lags behind the host as far as it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    lagging: Option<Lagging>,
    findings: Vec<WrittenFinding<'a>>,
}

impl<'a> From<&'a Report> for WrittenReport<'a> {
    fn from(report: &'a Report) -> Self {
        Self {
            report,
            lengths: None,
            lagging: None,
            findings: written(&report.findings),
        }
    }
}

impl<'a> WrittenReport<'a> {
    /// Adds the lengths of batches, and the memory of many steps of them.
    pub fn with_lengths(
        self,
        batches: Option<&'a LongBatches>,
        steps: Option<&'a LongSteps>,
    ) -> Self {
        let lengths = batches.map(|batches| WrittenLengths { batches, steps });
        Self { lengths, ..self }
    }

    /// Adds the memory of a steady step where the device lags behind, where that differs.
    pub fn with_lagging(self, lagging: Option<Lagging>) -> Self {
        Self { lagging, ..self }
    }
}
