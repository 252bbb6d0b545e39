//! Memory of a process on a GPU outside of PyTorch's allocator, from public measurements.
//!
//! PyTorch's out-of-memory messages say the bytes that the process has in use, how many of them are allocated, and how
//! many are reserved but unallocated; the rest is outside of the allocator. The fixture `contexts.jsonl` holds such
//! messages with their sources, and a test takes the constants here from it. One line over the number of threads that a
//! GPU holds at once meets all generations from Pascal to Blackwell, as CUDA keeps local memory for each of them
//! (`cudaDeviceLmemResizeToMax`).
//!
//! Half of the measurements are within 11 MiB of that line, which is as exact as the messages are,
//! and nine of ten within 84 MiB. Convolutions and recurrences (cuDNN), bitsandbytes and
//! flash-attn show no difference.
//!
//! On an H200 with CUDA 13 (driver 580, torch 2.11) a bare context takes 618.8 MiB, which the line says to
//! half a MiB; cuBLAS's kernels add 130 MiB as soon as one has run, a training step's another 18
//! (`tests/oracle/host/context_h200.jsonl`).
//!
//! *Known limitations:* those kernels are not added, since messages of older versions show none; drivers and versions of CUDA differ (PyTorch 2.1 took some 80 MiB less on
//! a V100); kernels whose threads need more local memory make CUDA keep more; what NCCL takes
//! depends on the number of communicators and nodes, too: one communicator within a machine is counted.

use super::Fact;
use crate::units::{Bytes, MIB};

/// Nine of ten measured contexts are within this many bytes of [`context`].
pub const CONTEXTS_DIFFER_BY: Bytes = Bytes(84 * MIB);

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

/// How NCCL reaches the other GPUs of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Links {
    /// Channels over which a collective runs ("coll channels" in its log): 24 through NVSwitch, 12 through the
    /// NVLink of a V100, 2 over PCI Express.
    pub(super) channels: u64,
    /// Whether the switch reduces and multicasts (NVLink SHARP), for which buffers stand ready.
    pub(super) multicast: bool,
}

/// Bytes that a rank receives into for each connection of a channel, one buffer for each protocol:
/// `DEFAULT_LL_BUFFSIZE`, `DEFAULT_LL128_BUFFSIZE` and `DEFAULT_BUFFSIZE` (`src/init.cc`, NCCL 2.18 to 2.27).
const CONNECTION: u64 = 8 * 512 * 8 * 16 + 120 * 640 * 8 * 8 + (4 << 20);

/// Connections of a channel that a rank receives on: one of its ring, two of its tree, which is a chain within
/// a machine.
const CONNECTIONS: u64 = 3;

/// Bytes for each GPU of the machine where its switch multicasts: `nvlsPerRankSize` of `ncclNvlsBufferSetup`
/// (`src/transport/nvls.cc`, NCCL 2.19 to 2.27), 16 channels with two buffers of 8 steps of 128 KiB.
const MULTICAST: u64 = 16 * 2 * 8 * (128 << 10);

/// Bytes of the buffers of one of NCCL's communicators in each process, among `gpus` GPUs of a machine.
pub(super) fn nccl(links: Links, gpus: u64) -> Fact<Bytes> {
    let rings_and_trees = links.channels * CONNECTIONS * CONNECTION;
    let multicast = if links.multicast { MULTICAST } else { 0 };
    Fact::derived(
        Bytes(rings_and_trees + multicast * gpus),
        "buffers of one communicator by NCCL's sources (2.18 to 2.27); half of 15 out-of-memory messages are within 108 MiB (contexts.jsonl)",
    )
}
