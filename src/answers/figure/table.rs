//! The tables: categories by phase of a step, parts of host memory by phase of the job.

use crate::host::{HostEstimate, HostPart, HostPhase};
use crate::report::StepReport;
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::Bytes;

/// Categories by phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseTable {
    /// The columns, in program order, each with whether it binds.
    pub phases: Vec<(Phase, bool)>,
    /// The rows that are not zero everywhere: one count a phase.
    pub rows: Vec<(Category, Vec<Bytes>)>,
    /// `peak_tensor` of each phase: the sum of its column.
    pub tensors: Vec<Bytes>,
    /// `peak_allocated` of each phase.
    pub allocated: Vec<Bytes>,
    /// `peak_reserved` of each phase.
    pub reserved: Vec<Bytes>,
}

/// The table of a step.
pub fn phase_table(step: &StepReport) -> PhaseTable {
    let column = |pick: fn(&crate::report::PhaseReport) -> Bytes| -> Vec<Bytes> {
        step.phases.iter().map(pick).collect()
    };
    let rows = Category::ALL
        .iter()
        .map(|&category| {
            let bytes: Vec<Bytes> = step
                .phases
                .iter()
                .map(|phase| phase.composition.get(category))
                .collect();
            (category, bytes)
        })
        .filter(|(_, bytes)| bytes.iter().any(|b| b.get() > 0))
        .collect();
    PhaseTable {
        phases: step
            .phases
            .iter()
            .map(|phase| (phase.phase, phase.phase == step.peak.phase))
            .collect(),
        rows,
        tensors: column(|phase| phase.composition.total()),
        allocated: column(|phase| phase.peak_allocated),
        reserved: column(|phase| phase.peak_reserved),
    }
}

/// Parts of host memory by phase of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTable {
    /// The columns, in the order in which the phases come, each with whether it is the peak.
    pub phases: Vec<(HostPhase, bool)>,
    /// The rows that are not zero everywhere: one count a phase.
    pub rows: Vec<(HostPart, Vec<Bytes>)>,
    /// The sum of each column.
    pub totals: Vec<Bytes>,
}

/// The table of the host.
pub fn host_table(host: &HostEstimate) -> HostTable {
    let of = |part: HostPart| -> Vec<Bytes> {
        host.phases
            .iter()
            .map(|phase| {
                let own = phase.composition.iter().filter(|(p, _)| *p == part);
                own.map(|(_, bytes)| *bytes).sum()
            })
            .collect()
    };
    HostTable {
        phases: host
            .phases
            .iter()
            .map(|phase| (phase.phase, phase.phase == host.peak.phase))
            .collect(),
        rows: HostPart::ALL
            .iter()
            .map(|&part| (part, of(part)))
            .filter(|(_, bytes)| bytes.iter().any(|b| b.get() > 0))
            .collect(),
        totals: host.phases.iter().map(|phase| phase.total).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::report::estimate;

    fn columns<K>(rows: &[(K, Vec<Bytes>)], columns: usize) -> Vec<Bytes> {
        (0..columns)
            .map(|at| rows.iter().map(|(_, bytes)| bytes[at]).sum())
            .collect()
    }

    #[test]
    fn every_column_adds_up_to_its_total() {
        let report = estimate(&Scenario::default())
            .expect("the default has an answer")
            .report;
        let device = phase_table(&report.device.steady_step);
        assert_eq!(columns(&device.rows, device.phases.len()), device.tensors);
        assert_eq!(device.phases.iter().filter(|(_, binds)| *binds).count(), 1);
        let host = host_table(&report.host);
        assert_eq!(columns(&host.rows, host.phases.len()), host.totals);
    }
}
