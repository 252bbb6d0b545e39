//! Accelerators by name.
//!
//! What a program can use is what CUDA reports as `totalGlobalMem`
//! (`torch.cuda.get_device_properties(0).total_memory`, "total capacity" in PyTorch's
//! out-of-memory messages): the label's capacity less what firmware, page tables and error
//! correction keep. Messages print two decimals of a GiB. Drivers differ: an RTX 4090 says
//! 23.65 GiB in 2023 and 23.52 GiB in 2026.
//!
//! What a process takes outside of PyTorch's allocator is in `contexts`.

use super::Fact;
use super::contexts::{self, Links};
use crate::units::{Bytes, GIB};

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
    /// Threads that it holds at once, over all multiprocessors.
    pub resident_threads: u64,
    /// Compute capability times ten.
    pub compute_capability: u32,
    /// Streaming multiprocessors, by NVIDIA's data sheets.
    pub multiprocessors: u64,
    links: Links,
}

impl Accelerator {
    /// Bytes of the buffers of one of NCCL's communicators in each process, among `gpus` GPUs of a machine
    /// that reach each other as GPUs of this architecture mostly do.
    pub fn nccl(&self, gpus: u64) -> Fact<Bytes> {
        contexts::nccl(self.links, gpus)
    }
}

/// The accelerators that have `total` bytes, as messages print them: with two digits after the point, and drivers
/// differ by some MiB.
pub fn of_capacity(total: Bytes) -> impl Iterator<Item = &'static Accelerator> {
    let near = move |usable: Bytes| usable.get().abs_diff(total.get()) <= total.get() / 200;
    ACCELERATORS
        .iter()
        .filter(move |gpu| near(gpu.usable.value))
}

/// The accelerator with this id.
pub fn accelerator(id: &str) -> Option<&'static Accelerator> {
    ACCELERATORS.iter().find(|accelerator| accelerator.id == id)
}

/// Common facts of the accelerators of one architecture.
#[derive(Clone, Copy)]
struct Architecture {
    compute_capability: u32,
    /// Threads that a multiprocessor holds at once ("maximum number of resident threads per SM" of
    /// the CUDA C++ Programming Guide).
    resident_threads: u64,
    links: Links,
}

/// NVSwitch, with NVLink SHARP or without.
const SWITCH: Links = Links {
    channels: 24,
    multicast: false,
};
const MULTICAST_SWITCH: Links = Links {
    multicast: true,
    ..SWITCH
};
/// The NVLink of a DGX-1.
const CUBE: Links = Links {
    channels: 12,
    multicast: false,
};
const PCIE: Links = Links {
    channels: 2,
    multicast: false,
};

const BLACKWELL: Architecture = Architecture {
    compute_capability: 100,
    resident_threads: 2048,
    links: MULTICAST_SWITCH,
};
const BLACKWELL_RTX: Architecture = Architecture {
    compute_capability: 120,
    resident_threads: 1536,
    links: PCIE,
};
const HOPPER: Architecture = Architecture {
    compute_capability: 90,
    resident_threads: 2048,
    links: MULTICAST_SWITCH,
};
const ADA: Architecture = Architecture {
    compute_capability: 89,
    resident_threads: 1536,
    links: PCIE,
};
const AMPERE: Architecture = Architecture {
    compute_capability: 80,
    resident_threads: 2048,
    links: SWITCH,
};
const AMPERE_RTX: Architecture = Architecture {
    compute_capability: 86,
    resident_threads: 1536,
    links: PCIE,
};
const TURING: Architecture = Architecture {
    compute_capability: 75,
    resident_threads: 1024,
    links: PCIE,
};
const VOLTA: Architecture = Architecture {
    compute_capability: 70,
    resident_threads: 2048,
    links: CUBE,
};
const PASCAL: Architecture = Architecture {
    compute_capability: 60,
    resident_threads: 2048,
    links: PCIE,
};

/// For capacities that were not read again for this table.
const MESSAGES: &str = "total capacity in out-of-memory messages of PyTorch, from memory";

/// For capacities that were read again, in several logs that name the GPU.
const LOGS: &str =
    "total capacity in out-of-memory messages of PyTorch in public logs of 2025 and 2026";

/// Hundredths of a GiB, as PyTorch prints capacities.
const fn centi_gib(hundredths: u64) -> Bytes {
    Bytes(hundredths * GIB / 100)
}

const fn entry(
    id: &'static str,
    name: &'static str,
    nominal_gib: u64,
    multiprocessors: u64,
    usable: Fact<Bytes>,
    architecture: Architecture,
) -> Accelerator {
    Accelerator {
        id,
        name,
        nominal: Bytes::gib(nominal_gib),
        usable,
        context: contexts::context(multiprocessors * architecture.resident_threads),
        resident_threads: multiprocessors * architecture.resident_threads,
        compute_capability: architecture.compute_capability,
        multiprocessors,
        links: architecture.links,
    }
}

macro_rules! accelerators {
    ($($architecture:ident: $id:literal, $name:literal, $nominal:literal, $multiprocessors:literal, $usable:expr;)+) => {
        /// Every accelerator, newest architecture first.
        pub static ACCELERATORS: &[Accelerator] =
            &[$(entry($id, $name, $nominal, $multiprocessors, $usable, $architecture)),+];
    };
}

accelerators! {
    BLACKWELL: "b200", "B200 180GB", 180, 148, Fact::measured(centi_gib(17_835), "github.com/pytorch/ao/issues/4002");
    BLACKWELL: "gb200", "GB200 186GB", 186, 148, Fact::measured(centi_gib(18_431), LOGS);
    BLACKWELL_RTX: "rtx-pro-6000", "RTX PRO 6000 Blackwell", 96, 188, Fact::measured(centi_gib(9_497), "github.com/antirez/ds4/issues/431");
    BLACKWELL_RTX: "rtx-5090", "GeForce RTX 5090", 32, 170, Fact::measured(Bytes(33_677_180_928), "github.com/aikitoria/open-gpu-kernel-modules/issues/1");
    BLACKWELL_RTX: "rtx-5080", "GeForce RTX 5080", 16, 84, Fact::assumed(centi_gib(1_546), MESSAGES);
    BLACKWELL_RTX: "rtx-5070-ti", "GeForce RTX 5070 Ti", 16, 70, Fact::assumed(centi_gib(1_546), MESSAGES);
    BLACKWELL_RTX: "rtx-5070", "GeForce RTX 5070", 12, 48, Fact::assumed(centi_gib(1_150), MESSAGES);
    BLACKWELL_RTX: "rtx-5060-ti-16gb", "GeForce RTX 5060 Ti 16GB", 16, 36, Fact::measured(Bytes(16_584_278_016), "github.com/Luce-Org/lucebox/issues/407");
    HOPPER: "gh200-96gb", "GH200 96GB", 96, 132, Fact::assumed(centi_gib(9_450), MESSAGES);
    HOPPER: "h200", "H200 141GB", 141, 132, Fact::measured(centi_gib(13_980), LOGS);
    HOPPER: "h100-80gb", "H100 80GB", 80, 132, Fact::measured(centi_gib(7_911), "github.com/vllm-project/vllm/issues/27508");
    HOPPER: "h100-nvl", "H100 NVL 94GB", 94, 132, Fact::measured(centi_gib(9_300), "github.com/ali-vilab/VACE/issues/56");
    HOPPER: "h20-96gb", "H20 96GB", 96, 78, Fact::assumed(centi_gib(9_500), MESSAGES);
    ADA: "l40s", "L40S 48GB", 48, 142, Fact::measured(centi_gib(4_442), "github.com/stepfun-ai/Step-Video-T2V/issues/8");
    ADA: "l40", "L40 48GB", 48, 142, Fact::measured(centi_gib(4_440), "github.com/NVlabs/Eagle/issues/68");
    ADA: "l20", "L20 48GB", 48, 92, Fact::assumed(centi_gib(4_440), MESSAGES);
    ADA: "l4", "L4 24GB", 24, 58, Fact::measured(centi_gib(2_203), LOGS);
    ADA: "rtx-6000-ada", "RTX 6000 Ada 48GB", 48, 142, Fact::measured(centi_gib(4_443), "github.com/DINGYANB/MTVCrafter/issues/21");
    ADA: "rtx-4000-ada", "RTX 4000 Ada 20GB", 20, 48, Fact::assumed(centi_gib(1_958), MESSAGES);
    ADA: "rtx-4090", "GeForce RTX 4090", 24, 128, Fact::measured(centi_gib(2_364), "github.com/ali-vilab/VGen/issues/104");
    ADA: "rtx-4080", "GeForce RTX 4080", 16, 76, Fact::assumed(centi_gib(1_570), MESSAGES);
    ADA: "rtx-4070-ti-super", "GeForce RTX 4070 Ti SUPER", 16, 66, Fact::assumed(centi_gib(1_570), MESSAGES);
    ADA: "rtx-4070", "GeForce RTX 4070", 12, 46, Fact::assumed(centi_gib(1_172), MESSAGES);
    ADA: "rtx-4060-ti-16gb", "GeForce RTX 4060 Ti 16GB", 16, 34, Fact::assumed(centi_gib(1_560), MESSAGES);
    ADA: "rtx-4060", "GeForce RTX 4060", 8, 24, Fact::measured(centi_gib(775), "github.com/ESRSchao/EdgeRegNet/issues/2");
    AMPERE: "a100-80gb", "A100 80GB", 80, 108, Fact::measured(centi_gib(7_915), "github.com/vllm-project/vllm/issues/4408");
    AMPERE: "a100-40gb", "A100 40GB", 40, 108, Fact::measured(Bytes(42_298_834_944), "github.com/bottlerocket-os/bottlerocket/issues/3873");
    AMPERE: "a800-80gb", "A800 80GB", 80, 108, Fact::measured(centi_gib(7_933), "github.com/hahnyuan/PB-LLM/issues/3");
    AMPERE_RTX: "a40", "A40 48GB", 48, 84, Fact::assumed(centi_gib(4_435), MESSAGES);
    AMPERE: "a30", "A30 24GB", 24, 56, Fact::measured(centi_gib(2_353), "github.com/google/RB-Modulation/issues/5");
    AMPERE_RTX: "a10", "A10 24GB", 24, 72, Fact::measured(centi_gib(2_199), "github.com/zai-org/CogVLM/issues/236");
    AMPERE_RTX: "a10g", "A10G 24GB", 24, 80, Fact::measured(centi_gib(2_220), "github.com/XavierXiao/Dreambooth-Stable-Diffusion/issues/18");
    AMPERE_RTX: "rtx-a6000", "RTX A6000 48GB", 48, 84, Fact::measured(centi_gib(4_754), LOGS);
    AMPERE_RTX: "rtx-a5000", "RTX A5000 24GB", 24, 64, Fact::assumed(centi_gib(2_368), MESSAGES);
    AMPERE_RTX: "rtx-a4000", "RTX A4000 16GB", 16, 48, Fact::measured(centi_gib(1_561), "github.com/DengKaiCQ/VGGT-Long/issues/6");
    AMPERE_RTX: "rtx-3090-ti", "GeForce RTX 3090 Ti", 24, 84, Fact::assumed(centi_gib(2_368), MESSAGES);
    AMPERE_RTX: "rtx-3090", "GeForce RTX 3090", 24, 82, Fact::measured(centi_gib(2_370), "github.com/GaoLii/DSP/issues/10");
    AMPERE_RTX: "rtx-3080-10gb", "GeForce RTX 3080 10GB", 10, 68, Fact::measured(centi_gib(978), "github.com/zai-org/CogVideo/issues/34");
    AMPERE_RTX: "rtx-3070", "GeForce RTX 3070", 8, 46, Fact::assumed(centi_gib(779), MESSAGES);
    AMPERE_RTX: "rtx-3060-12gb", "GeForce RTX 3060 12GB", 12, 28, Fact::assumed(centi_gib(1_176), MESSAGES);
    TURING: "t4", "T4 16GB", 16, 40, Fact::measured(centi_gib(1_475), "github.com/hpcaitech/Open-Sora/issues/697");
    TURING: "rtx-8000", "Quadro RTX 8000 48GB", 48, 72, Fact::assumed(centi_gib(4_746), MESSAGES);
    TURING: "titan-rtx", "TITAN RTX", 24, 72, Fact::assumed(centi_gib(2_365), MESSAGES);
    TURING: "rtx-2080-ti", "GeForce RTX 2080 Ti", 11, 68, Fact::assumed(centi_gib(1_076), MESSAGES);
    VOLTA: "v100-32gb", "V100 32GB", 32, 80, Fact::measured(centi_gib(3_174), "github.com/liucongg/ChatGLM-Finetuning/issues/73");
    VOLTA: "v100-16gb", "V100 16GB", 16, 80, Fact::assumed(centi_gib(1_577), MESSAGES);
    PASCAL: "p100-16gb", "P100 16GB", 16, 56, Fact::assumed(centi_gib(1_589), MESSAGES);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_fit_for_links() {
        let mut ids: Vec<_> = ACCELERATORS.iter().map(|a| a.id).collect();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(ids.iter().all(|id| id.chars().all(plain)));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ACCELERATORS.len());
    }

    #[test]
    fn programs_can_use_most_of_a_label_but_not_more() {
        for accelerator in ACCELERATORS {
            let (usable, nominal) = (accelerator.usable.value, accelerator.nominal);
            assert!(usable < nominal, "{}", accelerator.id);
            assert!(
                usable.get() > nominal.get() / 100 * 90,
                "{}",
                accelerator.id
            );
            assert!(
                accelerator.context.value.get() < usable.get() / 10,
                "{}",
                accelerator.id
            );
        }
    }

    #[test]
    fn there_is_a_choice() {
        assert!(ACCELERATORS.len() >= 40);
    }
}
