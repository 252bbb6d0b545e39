//! A failure against the estimate of the job that failed.

use crate::inputs::{Cause, Failure};
use crate::report::{Fit, Memory, Report};
use crate::sim::Phase;
use crate::units::Bytes;
use serde::Serialize;

/// An estimate against the text of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The memory that ran out, by the failure's text.
    pub memory: Memory,
    /// The estimate of that memory.
    pub estimate: Fit,
    /// The phase in which the estimate has the GPU's peak.
    pub phase: Phase,
    /// Bytes that tensors would have held on the GPU with the failed request, if the text says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Bytes>,
    /// The most that tensors hold by the estimate, in bytes.
    pub tensors: Bytes,
}

impl Explained {
    /// A failure beside the report of the job; nothing where the text says that memory was not the reason.
    pub fn of(failure: &Failure, report: &Report) -> Option<Self> {
        if failure.cause == Cause::NotMemory {
            return None;
        }
        let verdict = &report.verdict;
        let (memory, estimate) = if failure.is_of_host() {
            (Memory::Host, verdict.host)
        } else {
            (Memory::Device, verdict.device)
        };
        let facts = &failure.facts;
        let wanted = facts.allocated.zip(facts.requested);
        let wanted = wanted.map(|(held, requested)| Bytes(held.saturating_add(requested)));
        Some(Self {
            memory,
            estimate,
            phase: verdict.binding_phase,
            wanted: wanted.filter(|_| memory == Memory::Device),
            tensors: report.device.run.peak_allocated,
        })
    }

    /// Whether the estimate says that it does not fit either.
    pub fn agrees(&self) -> bool {
        !self.estimate.fits
    }

    /// By how much the estimate is too low for sure: tensors held more than its peak.
    pub fn misses(&self) -> Bytes {
        self.wanted.unwrap_or_default() - self.tensors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::inputs::{Input, read};
    use crate::report::estimate;

    fn explained(text: &str) -> Option<Explained> {
        let Input::Failure(failure) = read(text) else {
            panic!("{text}");
        };
        let scenario = Scenario {
            seq_len: 64,
            ..Scenario::default()
        };
        let estimate = estimate(&scenario).expect("an estimate");
        Explained::of(&failure, &estimate.report)
    }

    #[test]
    fn a_host_that_ran_out_is_answered_with_host_ram() {
        let killed = explained("exitcode  : -9 (pid: 11)").expect("memory");
        assert_eq!((killed.memory, killed.wanted), (Memory::Host, None));
        assert_eq!(killed.estimate.capacity, Bytes(128 << 30));
    }

    #[test]
    fn what_tensors_wanted_is_compared_with_the_peak() {
        let text = "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.15 GiB total capacity; 77.00 GiB already \
                    allocated; 1.00 GiB free; 77.50 GiB reserved in total by PyTorch)";
        let of = explained(text).expect("memory");
        assert_eq!(of.memory, Memory::Device);
        assert_eq!(of.wanted, Some(Bytes(79 << 30)));
        assert_eq!(of.misses() + of.tensors, Bytes(79 << 30));
        assert!(!of.agrees());
    }
}
