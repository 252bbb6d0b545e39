//! What a process takes on a GPU outside of PyTorch's allocator, from public measurements.
//!
//! PyTorch's out-of-memory messages say what the process has in use, what of it is allocated and
//! what is reserved but unallocated; the rest is outside of the allocator. The fixture
//! `contexts.jsonl` holds such messages with their sources, and a test takes the constants here
//! from it. One line over the number of threads that a GPU holds at once meets all generations from
//! Pascal to Blackwell, as CUDA keeps local memory for each of them (`cudaDeviceLmemResizeToMax`).
//!
//! Half of the measurements are within 11 MiB of that line, which is as exact as the messages are,
//! and nine of ten within 84 MiB. Convolutions and recurrences (cuDNN), bitsandbytes and
//! flash-attn show no difference.
//!
//! *Known limitations:* drivers and versions of CUDA differ (PyTorch 2.1 took some 80 MiB less on
//! a V100); kernels whose threads need more local memory make CUDA keep more; what NCCL takes
//! depends on the number of communicators, channels and nodes.

use super::Fact;
use crate::units::{Bytes, MIB};

/// MiB of a context, beside what grows with the GPU.
const BASE_MIB: u64 = 41;

/// Bytes of a context for each thread that the GPU holds at once.
const BYTES_PER_THREAD: u64 = 2243;

/// The context of a process on a GPU that holds this many threads.
pub(super) const fn context(resident_threads: u64) -> Fact<Bytes> {
    Fact::derived(
        Bytes(BASE_MIB * MIB + BYTES_PER_THREAD * resident_threads),
        "the line through 59 out-of-memory messages of PyTorch on 21 kinds of GPUs (contexts.jsonl)",
    )
}

/// What NCCL adds in each process of a job on several GPUs: the median of 15 measurements, which
/// are between 76 and 2903 MiB.
pub const NCCL: Fact<Bytes> = Fact::derived(
    Bytes(619 * MIB),
    "median of 15 out-of-memory messages of PyTorch in jobs on several GPUs (contexts.jsonl)",
);
