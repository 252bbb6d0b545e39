//! Accelerators by name.
//!
//! `usable` is what CUDA reports as `totalGlobalMem` (`torch.cuda.get_device_properties(0)
//! .total_memory`, "total capacity" in PyTorch's out-of-memory messages): the label's capacity
//! less what firmware, page tables and error correction keep. It was read from such messages,
//! which print two decimals of a GiB; drivers differ by some 10 MiB.

use super::Fact;
use crate::units::{Bytes, GIB, MIB};

/// An accelerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accelerator {
    /// Stable id, as in links.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Capacity on the label.
    pub nominal: Bytes,
    /// Bytes that programs can use, CUDA contexts included.
    pub usable: Fact<Bytes>,
    /// Bytes of one process's CUDA context with PyTorch's kernels, outside the allocator.
    pub context: Fact<Bytes>,
    /// Compute capability times ten.
    pub compute_capability: u32,
}

/// The accelerator with this id.
pub fn accelerator(id: &str) -> Option<&'static Accelerator> {
    ACCELERATORS.iter().find(|accelerator| accelerator.id == id)
}

/// Hundredths of a GiB, as PyTorch prints capacities.
const fn centi_gib(hundredths: u64) -> Bytes {
    Bytes(hundredths * GIB / 100)
}

const MESSAGE: &str = "total capacity in PyTorch out-of-memory messages of users";

const CONTEXT: &str =
    "nvidia-smi after torch.zeros(1, device='cuda') with CUDA 12, rounded; differs by driver";

/// Every accelerator, data center first, newest first.
pub static ACCELERATORS: &[Accelerator] = &[
    nvidia("h100-80gb", "H100 80GB", 80, 7910, 500, 90),
    nvidia("a100-80gb", "A100 80GB", 80, 7915, 420, 80),
    nvidia("a100-40gb", "A100 40GB", 40, 3939, 420, 80),
    nvidia("rtx-4090", "GeForce RTX 4090", 24, 2364, 400, 89),
    nvidia("rtx-3090", "GeForce RTX 3090", 24, 2369, 360, 86),
];

const fn nvidia(
    id: &'static str,
    name: &'static str,
    nominal_gib: u64,
    usable_centi_gib: u64,
    context_mib: u64,
    compute_capability: u32,
) -> Accelerator {
    Accelerator {
        id,
        name,
        nominal: Bytes::gib(nominal_gib),
        usable: Fact::measured(centi_gib(usable_centi_gib), MESSAGE),
        context: Fact::assumed(Bytes(context_mib * MIB), CONTEXT),
        compute_capability,
    }
}
