//! The cause of a failure, decided by its numbers.

use super::facts::{Facts, Process};
use super::kind::Kind;

/// The memory that was short, and the numbers that say so; bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The tensors alone need more than the GPU has.
    Peak {
        /// Bytes that were asked for.
        requested: u64,
        /// Bytes that were free.
        free: u64,
        /// Reserved and not allocated.
        unallocated: u64,
    },
    /// One request is larger than the whole GPU.
    LargerThanGpu {
        /// Bytes that were asked for.
        requested: u64,
        /// The GPU's capacity.
        total: u64,
    },
    /// Enough was reserved and held by no tensor, but in pieces.
    Fragmentation {
        /// Bytes that were asked for.
        requested: u64,
        /// Reserved and not allocated.
        unallocated: u64,
    },
    /// Other processes on the GPU hold the missing memory.
    AnotherProcess {
        /// Bytes that they hold.
        held: u64,
        /// Bytes that were missing.
        missing: u64,
        /// Whether the text names them; else it is what this process's allocator does not hold.
        named: bool,
    },
    /// The bytes of tensors grow from one report to the next.
    Leak {
        /// At the first report.
        first: u64,
        /// At the last one.
        last: u64,
        /// How many reports there are.
        reports: usize,
    },
    /// A limit set for the process, or for one buffer, not the GPU's capacity.
    Limit,
    /// A library's own memory beside the caching allocator, which had taken the rest.
    Library,
    /// A request of the driver's beside the caching allocator: a context, a kernel's own memory, pinned host memory.
    Driver,
    /// vLLM's share is used up before its cache has a block.
    CacheBlocks {
        /// Bytes that its cache needs for a request of full length, if the text says it.
        needed: Option<u64>,
        /// Bytes left for it, if the text says it.
        left: Option<u64>,
    },
    /// A report on what vLLM's sleep mode gave back.
    Sleeping {
        /// Bytes that it freed.
        freed: u64,
        /// Bytes that stay in use on the GPU.
        left: u64,
    },
    /// The host's memory.
    Host,
    /// The host's shared memory (`/dev/shm`).
    SharedMemory,
    /// The GPU had enough free: the free bytes were read after something else was freed, or another resource was short.
    Unexplained {
        /// Bytes that were asked for.
        requested: u64,
        /// Bytes that were free.
        free: u64,
    },
    /// The GPU's memory; the text has no numbers that tell more.
    NoNumbers,
    /// Something else than memory.
    NotMemory,
}

impl Cause {
    /// Its stable name in output.
    pub fn name(&self) -> &'static str {
        match self {
            Cause::Peak { .. } | Cause::LargerThanGpu { .. } => "peak",
            Cause::Fragmentation { .. } => "fragmentation",
            Cause::AnotherProcess { .. } => "another_process",
            Cause::Leak { .. } => "leak",
            Cause::Limit => "limit",
            Cause::Library => "library",
            Cause::Driver => "driver",
            Cause::CacheBlocks { .. } => "cache_blocks",
            Cause::Sleeping { .. } => "sleeping",
            Cause::Host => "host",
            Cause::SharedMemory => "shared_memory",
            Cause::Unexplained { .. } => "unexplained",
            Cause::NoNumbers => "unknown",
            Cause::NotMemory => "not_memory",
        }
    }
}

/// The most that a context and libraries take beside PyTorch's segments (assumed: with NCCL over eight GPUs up
/// to 2.3 GiB in public messages). What is more is another process.
const BESIDE: u64 = 3 << 30;

/// Live tensors that leave less than 1 / `n` of a GPU are a peak, however the rest is cut (assumed: that
/// is what batches of differing length differ by).
const LITTLE: u64 = 20;

/// The fewest reports, and the least growth, that are a leak.
const LEAK_REPORTS: usize = 3;

/// The cause of a failure. `held` has the bytes of tensors at each report of the text, in order.
pub(super) fn cause(kind: Kind, facts: &Facts, held: &[u64]) -> Cause {
    if let Some(leak) = leak(held) {
        return leak;
    }
    match kind {
        Kind::Cublas | Kind::Cudnn | Kind::Cusolver | Kind::Nccl => Cause::Library,
        Kind::CudaRejected | Kind::MpsBuffer => Cause::Limit,
        Kind::CudaDriver => Cause::Driver,
        Kind::VllmCache => Cause::CacheBlocks {
            needed: facts.requested,
            left: facts.free,
        },
        Kind::VllmSleep => sleeping(facts),
        Kind::VllmStart => taken_at_start(facts),
        Kind::SharedMemory => Cause::SharedMemory,
        Kind::CudaOneEb => Cause::NotMemory,
        Kind::WorkerKilled | Kind::WorkerExited => worker(facts),
        // A few bytes that cannot be mapped: too many maps (vm.max_map_count), not too much memory.
        Kind::Mmap if facts.requested.is_some_and(|bytes| bytes < 1 << 20) => Cause::NotMemory,
        kind if kind.is_host() => Cause::Host,
        Kind::Mps => apple(facts),
        Kind::Summary if facts.requested.is_none() => summary(facts),
        _ => on_gpu(facts),
    }
}

/// Reports that only grow, by a tenth at least.
fn leak(held: &[u64]) -> Option<Cause> {
    let (first, last) = (*held.first()?, *held.last()?);
    let grows = held.windows(2).all(|pair| pair[0] <= pair[1]);
    let enough = held.len() >= LEAK_REPORTS && last / 10 > first / 9 && first > 0;
    (grows && enough).then_some(Cause::Leak {
        first,
        last,
        reports: held.len(),
    })
}

fn worker(facts: &Facts) -> Cause {
    match facts.signal.as_deref() {
        Some("Bus error") => Cause::SharedMemory,
        Some("Killed") => Cause::Host,
        Some(_) => Cause::NotMemory,
        None => match facts.exit {
            None | Some(-9 | 137) => Cause::Host,
            Some(_) => Cause::NotMemory,
        },
    }
}

fn apple(facts: &Facts) -> Cause {
    let (Some(requested), Some(limit)) = (facts.requested, facts.mps_max_allowed) else {
        return Cause::NoNumbers;
    };
    let other = facts.mps_other.unwrap_or(0);
    let held = facts.mps_allocated.unwrap_or(0);
    let free = limit.saturating_sub(other.saturating_add(held));
    Cause::Peak {
        requested,
        free,
        unallocated: 0,
    }
}

/// Memory of others on a GPU of which vLLM wants a share.
fn taken_at_start(facts: &Facts) -> Cause {
    let (Some(total), Some(free), Some(wanted)) = (facts.total, facts.free, facts.requested) else {
        return Cause::NoNumbers;
    };
    Cause::AnotherProcess {
        held: total.saturating_sub(free),
        missing: wanted.saturating_sub(free),
        named: false,
    }
}

fn sleeping(facts: &Facts) -> Cause {
    match (facts.vllm_freed, facts.vllm_in_use) {
        (Some(freed), Some(left)) => Cause::Sleeping { freed, left },
        _ => Cause::NoNumbers,
    }
}

fn summary(facts: &Facts) -> Cause {
    let (Some(tensors), Some(segments)) = (facts.summary_allocated, facts.summary_reserved) else {
        return Cause::NoNumbers;
    };
    let unallocated = segments.cur.saturating_sub(tensors.peak);
    if unallocated > segments.cur / 4 {
        return Cause::Fragmentation {
            requested: tensors.peak,
            unallocated,
        };
    }
    Cause::NoNumbers
}

/// By the numbers of an allocator's message.
fn on_gpu(facts: &Facts) -> Cause {
    let (Some(requested), Some(free)) = (facts.requested, facts.free) else {
        return Cause::NoNumbers;
    };
    let unallocated = facts.unallocated().unwrap_or(0);
    if let Some(total) = facts.total.filter(|total| *total < requested) {
        return Cause::LargerThanGpu { requested, total };
    }
    let segments = facts.in_segments().or(facts.allocated);
    let reserved = segments.unwrap_or(0);
    let missing = requested.saturating_sub(free);
    let limited = facts
        .allowed
        .is_some_and(|allowed| missing == 0 || reserved.saturating_add(requested) > allowed);
    if limited || facts.segment_reserve.is_some() {
        return Cause::Limit;
    }
    if missing == 0 {
        return Cause::Unexplained { requested, free };
    }
    let (held, named) = others(facts);
    let in_pieces = unallocated >= requested;
    if held >= missing && !(in_pieces && unallocated > held) {
        return Cause::AnotherProcess {
            held,
            missing,
            named,
        };
    }
    if in_pieces && !is_full(facts) {
        return Cause::Fragmentation {
            requested,
            unallocated,
        };
    }
    Cause::Peak {
        requested,
        free,
        unallocated,
    }
}

/// Whether live tensors hold nearly all of the GPU.
fn is_full(facts: &Facts) -> bool {
    // Where the host's memory is lent to the GPU tensors hold more than it has.
    let rest = |total: u64| total.checked_sub(facts.allocated?);
    let whole = facts.total.unwrap_or_default();
    rest(whole).is_some_and(|rest| rest < whole / LITTLE)
}

/// Bytes of other processes: as named, or what the rest of the card has beyond this process's usual.
fn others(facts: &Facts) -> (u64, bool) {
    let sum = |processes: &[Process]| {
        let bytes = processes.iter().map(|process| process.bytes);
        bytes.fold(0, u64::saturating_add)
    };
    if !facts.other_processes.is_empty() {
        return (sum(&facts.other_processes), true);
    }
    let reserved = facts.in_segments().unwrap_or(0);
    let listed = &facts.processes_unattributed;
    if !listed.is_empty() {
        // This process is the smallest that can hold its segments; amounts are rounded to 10 MiB.
        let holds = |process: &&Process| process.bytes.saturating_add(10 << 20) >= reserved;
        let own = listed.iter().filter(holds).map(|process| process.bytes);
        let others = sum(listed).saturating_sub(own.min().unwrap_or(0));
        return (others, true);
    }
    let outside = |total: u64| total.checked_sub(facts.free?)?.checked_sub(reserved);
    let known = facts.reserved.is_some() || facts.reserved_unallocated.is_some();
    let rest = facts.total.filter(|_| known).and_then(outside);
    let own = facts.derived_non_pytorch.unwrap_or(BESIDE);
    let rest = rest.unwrap_or(0).saturating_sub(own.max(BESIDE));
    (rest, false)
}
