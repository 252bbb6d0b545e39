//! The numbers of a failure's text.

use serde::Serialize;

/// Numbers read off a text; bytes, where nothing else is said. Names that begin with `derived_` are differences
/// of others.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Facts {
    /// Bytes that were asked for and not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested: Option<u64>,
    /// The number of the GPU, as the process counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u64>,
    /// The GPU's capacity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Free bytes by the driver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<u64>,
    /// Bytes that the process's fraction allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<u64>,
    /// Bytes of tensors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated: Option<u64>,
    /// Bytes of tensors, and of blocks that wait for a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<u64>,
    /// Allocated bytes in private pools (CUDA graphs).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_pools: Option<u64>,
    /// The segments of the caching allocator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved: Option<u64>,
    /// Bytes of segments that no tensor holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved_unallocated: Option<u64>,
    /// All that this process holds of the GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_used: Option<u64>,
    /// That, where the driver gives a number that cannot be, as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_used_invalid: Option<String>,
    /// Other processes, where this one is named, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_processes: Vec<Process>,
    /// Processes of which one is this one: in containers they cannot be told apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes_unattributed: Vec<Process>,
    /// The limit of the asynchronous allocator, where it is none, as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_invalid: Option<String>,
    /// The address space that an expandable segment may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_reserve: Option<u64>,
    /// Bytes that PyTorch holds on Apple's GPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mps_allocated: Option<u64>,
    /// Bytes that others hold on Apple's GPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mps_other: Option<u64>,
    /// The limit on Apple's GPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mps_max_allowed: Option<u64>,
    /// Bytes that vLLM's sleep mode freed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vllm_freed: Option<u64>,
    /// Bytes that stay in use on the GPU while vLLM sleeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vllm_in_use: Option<u64>,
    /// The most that tensors held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_allocated: Option<u64>,
    /// The most that segments took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_reserved: Option<u64>,
    /// `memory_summary`: what tensors hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_allocated: Option<Usage>,
    /// `memory_summary`: the same with blocks that wait for a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_active: Option<Usage>,
    /// `memory_summary`: requested bytes, before rounding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_requested_mem: Option<Usage>,
    /// `memory_summary`: segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_reserved: Option<Usage>,
    /// `memory_summary`: free parts of split blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_non_releasable: Option<Usage>,
    /// How many requests failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ooms: Option<u64>,
    /// How often the cache was emptied for a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// The memory that was short, where not the caching allocator's.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<&'static str>,
    /// The process that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u64>,
    /// The signal's name, as the system writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// The exit code, as printed: -9, 9 and 137 are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// Bytes of the host's processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_used: Option<u64>,
    /// The host's memory, or what the container may take of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_total: Option<u64>,
    /// Bytes of the host's processes, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_percent: Option<f64>,
    /// Bytes of the process that was ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_used: Option<u64>,
    /// `allocated + reserved_unallocated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_reserved: Option<u64>,
    /// `reserved - allocated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_reserved_unallocated: Option<u64>,
    /// `total - free - reserved`: contexts, libraries, other processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_rest_of_card: Option<u64>,
    /// `process_used - allocated - reserved_unallocated`: context and libraries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_non_pytorch: Option<u64>,
}

/// A process and what it holds of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Process {
    /// Its number.
    pub pid: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// A row of `memory_summary`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Now.
    pub cur: u64,
    /// At most.
    pub peak: u64,
}

/// Who holds a part of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Tensors of the process that failed.
    Tensors,
    /// Its segments that no tensor holds.
    Unallocated,
    /// Its context and libraries; where nothing is said of its tensors, the whole process.
    Process,
    /// Other processes that the text names.
    Others,
    /// Bytes that the text leaves open: contexts, other processes.
    Rest,
    /// Nobody.
    Free,
}

/// The bytes of one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Who.
    pub holder: Holder,
    /// How much.
    pub bytes: u64,
    /// How much of the whole, 0 to 1.
    pub width: f64,
}

impl Facts {
    /// Who holds the GPU's memory, as far as the text says it; parts of nothing are left out. Of processes that
    /// cannot be told apart the largest that can hold the segments is taken for this one.
    pub fn holders(&self) -> Vec<(Holder, u64)> {
        let tensors = self.allocated.unwrap_or_default();
        let unallocated = self.unallocated().unwrap_or_default();
        let segments = tensors.saturating_add(unallocated);
        let free = self.free.unwrap_or_default();
        let sum = |all: &[Process]| all.iter().map(|process| process.bytes).sum::<u64>();
        let alike = &self.processes_unattributed;
        let largest = alike.iter().map(|process| process.bytes).max();
        let own = largest.filter(|bytes| self.process_used.is_none() && *bytes >= segments);
        let others = sum(&self.other_processes) + sum(alike) - own.unwrap_or_default();
        let process = self.process_used.or(own).unwrap_or_default();
        let mut all = vec![
            (Holder::Tensors, tensors),
            (Holder::Unallocated, unallocated),
            (Holder::Process, process.saturating_sub(segments)),
            (Holder::Others, others),
        ];
        let said = |sum: u64, (_, bytes): &(Holder, u64)| sum.saturating_add(*bytes);
        let said = all.iter().fold(free, said);
        let rest = self.total.map_or(0, |total| total.saturating_sub(said));
        all.push((Holder::Rest, rest));
        all.push((Holder::Free, free));
        all.retain(|(_, bytes)| *bytes > 0);
        all
    }

    /// The holders with each one's share of the whole.
    #[allow(clippy::cast_precision_loss, reason = "shares of a bar")]
    pub fn shares(&self) -> Vec<Share> {
        let holders = self.holders();
        let whole: u64 = holders.iter().map(|(_, bytes)| bytes).sum();
        let share = |(holder, bytes): (Holder, u64)| Share {
            holder,
            bytes,
            width: bytes as f64 / whole as f64,
        };
        holders.into_iter().map(share).collect()
    }

    /// Bytes of the caching allocator's segments, said or added up.
    pub fn in_segments(&self) -> Option<u64> {
        let added = || Some(self.allocated? + self.reserved_unallocated?);
        self.reserved.or_else(added)
    }

    /// Bytes of segments that no tensor holds, said or subtracted.
    pub fn unallocated(&self) -> Option<u64> {
        self.reserved_unallocated
            .or(self.derived_reserved_unallocated)
    }

    /// Fills in the differences. (2.x counts all processes' segments of which only totals are printed, so that
    /// the rest of the card is told by them.)
    pub(super) fn derive(&mut self) {
        if let (Some(allocated), Some(reserved)) = (self.allocated, self.reserved) {
            self.derived_reserved_unallocated = reserved.checked_sub(allocated);
            let taken = self.total.zip(self.free);
            let taken = taken.and_then(|(total, free)| total.checked_sub(free));
            self.derived_rest_of_card = taken.and_then(|taken| taken.checked_sub(reserved));
        }
        if let (Some(used), Some(held)) = (self.process_used, self.in_segments()) {
            self.derived_non_pytorch = used.checked_sub(held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::{Input, read};

    const GIB: u64 = 1 << 30;

    #[test]
    fn the_parts_of_a_gpu_are_told_apart_and_add_up_to_it() {
        let text = "CUDA out of memory. Tried to allocate 172.00 MiB. GPU 0 has a total capacity of 24.00 GiB of which \
                    1.00 GiB is free. Process 7 has 18.00 GiB memory in use. Process 8 has 4.00 GiB memory in use. Of the \
                    allocated memory 16.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.";
        let Input::Failure(failure) = read(text) else {
            panic!("a failure");
        };
        let holders = failure.facts.holders();
        let expected = [
            (Holder::Tensors, 16),
            (Holder::Unallocated, 1),
            (Holder::Process, 1),
            (Holder::Others, 4),
            (Holder::Rest, 1),
            (Holder::Free, 1),
        ];
        assert_eq!(holders, expected.map(|(holder, size)| (holder, size * GIB)));
        assert_eq!(
            holders.iter().map(|(_, bytes)| bytes).sum::<u64>(),
            24 * GIB
        );
    }
}
