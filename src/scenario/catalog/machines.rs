//! RAM of the machines that GPUs are rented in, for jobs whose files do not say theirs.
//!
//! Of each GPU the machine with eight of them is taken, and of fewer GPUs their share of it: the instance types of
//! Amazon EC2 where it has the GPU (instance type tables of the EC2 user guide, 2026), of Azure or Alibaba Cloud
//! elsewhere. Cards for desktops have no such machine.

use super::Fact;
use crate::units::{Bytes, GIB};

/// GPUs by their ids, GiB of RAM for each in their machine, and the machine.
const MACHINES: &[(&str, u64, &str)] = &[
    (
        "b200",
        256,
        "Amazon EC2 p6-b200.48xlarge: 8 GPUs, 2,048 GiB",
    ),
    (
        "gb200",
        240,
        "Amazon EC2 p6e-gb200.36xlarge: 4 GPUs, 960 GiB",
    ),
    ("h200", 256, "Amazon EC2 p5en.48xlarge: 8 GPUs, 2,048 GiB"),
    (
        "h100-80gb",
        256,
        "Amazon EC2 p5.48xlarge: 8 GPUs, 2,048 GiB",
    ),
    ("h100-nvl", 320, "Azure NC40ads H100 v5: 1 GPU, 320 GiB"),
    (
        "h20-96gb",
        128,
        "Alibaba Cloud ebmgn8v.48xlarge: 8 GPUs, 1,024 GiB",
    ),
    (
        "a100-80gb",
        144,
        "Amazon EC2 p4de.24xlarge: 8 GPUs, 1,152 GiB",
    ),
    (
        "a100-40gb",
        144,
        "Amazon EC2 p4d.24xlarge: 8 GPUs, 1,152 GiB",
    ),
    ("l40s", 192, "Amazon EC2 g6e.48xlarge: 8 GPUs, 1,536 GiB"),
    ("l4", 96, "Amazon EC2 g6.48xlarge: 8 GPUs, 768 GiB"),
    ("a10g", 96, "Amazon EC2 g5.48xlarge: 8 GPUs, 768 GiB"),
    ("v100-32gb", 96, "Amazon EC2 p3dn.24xlarge: 8 GPUs, 768 GiB"),
    ("v100-16gb", 61, "Amazon EC2 p3.16xlarge: 8 GPUs, 488 GiB"),
    ("t4", 48, "Amazon EC2 g4dn.metal: 8 GPUs, 384 GiB"),
];

/// The RAM of a machine with `gpus` GPUs of the accelerator with this id; nothing for cards of desktops.
pub fn rented_host_ram(id: &str, gpus: u64) -> Option<Fact<Bytes>> {
    let (_, gib, machine) = MACHINES.iter().find(|(own, ..)| *own == id)?;
    let ram = GIB.saturating_mul(gib.saturating_mul(gpus));
    Some(Fact::assumed(Bytes(ram), machine))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::accelerator;

    #[test]
    fn machines_are_of_gpus_of_the_catalog() {
        for id in MACHINES.iter().map(|(id, ..)| id) {
            assert!(accelerator(id).is_some(), "{id}");
        }
    }

    #[test]
    fn fewer_gpus_have_their_share() {
        let ram = |id, gpus| rented_host_ram(id, gpus).map(|fact| fact.value);
        assert_eq!(ram("h100-80gb", 8), Some(Bytes::gib(2048)));
        assert_eq!(ram("a100-40gb", 1), Some(Bytes::gib(144)));
        assert_eq!(ram("rtx-4090", 2), None);
    }
}
