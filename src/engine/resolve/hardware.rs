//! From the machine of a scenario to the facts about it.

use crate::ask::{Finding, HOST_BYTES, Hardware, check_range, closest, explain, message};
use crate::catalog;
use crate::model::{DeviceFacts, HostFacts};
use crate::units::{Bytes, GIB};
use std::ops::RangeInclusive;

/// GPUs of one machine.
pub(super) const GPUS_PER_NODE: RangeInclusive<u64> = 1..=1024;

/// Machines.
const NODES: RangeInclusive<u64> = 1..=1 << 20;

/// Processes that share a GPU.
const PROCESSES_PER_GPU: RangeInclusive<u64> = 1..=256;

/// Bytes of a GPU's memory: 1 GiB to 4 TiB.
const GPU_MEMORY: RangeInclusive<u64> = GIB..=4096 * GIB;

/// Bytes of RAM: 1 GiB at least.
const HOST_RAM: RangeInclusive<u64> = GIB..=HOST_BYTES;

/// Bytes of the allocator's limit: 1 MiB to 4 TiB.
pub(crate) const MEMORY_LIMIT: RangeInclusive<u64> = 1 << 20..=4096 * GIB;

/// Checks and looks up the machine.
pub(crate) fn read(
    hardware: &Hardware,
    findings: &mut Vec<Finding>,
) -> Option<(DeviceFacts, HostFacts)> {
    let before = findings.len();
    let found = catalog::accelerator(&hardware.gpu);
    if found.is_none() {
        findings.push(unknown_gpu(&hardware.gpu));
    }
    if let Some(bytes) = hardware.gpu_memory {
        check_range("hardware.gpu_memory", bytes, &GPU_MEMORY, findings);
    }
    check_range(
        "hardware.gpu_memory_in_use",
        hardware.gpu_memory_in_use,
        &(0..=*GPU_MEMORY.end()),
        findings,
    );
    check_range(
        "hardware.gpus_per_node",
        hardware.gpus_per_node,
        &GPUS_PER_NODE,
        findings,
    );
    check_range("hardware.nodes", hardware.nodes, &NODES, findings);
    check_range(
        "hardware.processes_per_gpu",
        hardware.processes_per_gpu,
        &PROCESSES_PER_GPU,
        findings,
    );
    findings.extend(by_gpu(hardware));
    check_range("hardware.host_ram", hardware.host_ram, &HOST_RAM, findings);
    explain(
        findings,
        "hardware.host_ram",
        &message!(hardware::process_takes),
    );
    check_range("hardware.swap", hardware.swap, &(0..=HOST_BYTES), findings);
    let accelerator = found.filter(|_| findings.len() == before)?;
    let alone = hardware.of_a_job() == [1, 1];
    let communication = if alone {
        Bytes::ZERO
    } else {
        accelerator.nccl(hardware.gpus_per_node).value
    };
    let device = DeviceFacts {
        name: accelerator.name.to_owned(),
        usable: hardware.gpu_memory.map_or(accelerator.usable.value, Bytes),
        in_use: Bytes(hardware.gpu_memory_in_use),
        context: accelerator.context.value + communication,
        compute_capability: accelerator.compute_capability,
        multiprocessors: accelerator.multiprocessors,
        processes: hardware.most_processes(),
    };
    let host = HostFacts {
        ram: Bytes(hardware.host_ram),
        swap: Bytes(hardware.swap),
        processes: hardware.processes(),
    };
    Some((device, host))
}

/// The finding about the processes of each GPU, where they are given.
fn by_gpu(hardware: &Hardware) -> Option<Finding> {
    plan_by_gpu(hardware, hardware.processes_by_gpu.as_deref()?)
}

/// The finding about the processes of each GPU; the repair gives each GPU of the machine some.
#[cold]
fn plan_by_gpu(hardware: &Hardware, asked: &str) -> Option<Finding> {
    const KEY: &str = "hardware.processes_by_gpu";
    let gpus = hardware.gpus_per_node;
    let read = hardware.by_gpu().unwrap_or_default();
    let allowed = |count: &u64| *count <= *PROCESSES_PER_GPU.end();
    let right =
        read.len() as u64 == gpus && read.iter().all(allowed) && read.iter().any(|&n| n > 0);
    if right || !GPUS_PER_NODE.contains(&gpus) {
        return None;
    }
    let shown: String = asked.chars().take(LONGEST).collect();
    let rest = read.last().copied().unwrap_or(1);
    let rest = std::iter::repeat(rest);
    let nearest = read
        .into_iter()
        .chain(rest)
        .take(usize::try_from(gpus).unwrap_or(1));
    let nearest = nearest.map(|count| count.clamp(1, *PROCESSES_PER_GPU.end()).to_string());
    let nearest = nearest.collect::<Vec<_>>().join(",");
    let most = *PROCESSES_PER_GPU.end();
    let message = message!(hardware::by_gpu, shown, gpus, most);
    Some(Finding::error(KEY, message).with_fix(KEY, nearest))
}

/// Number of letters of a given name that a message repeats at most.
const LONGEST: usize = 60;

fn unknown_gpu(id: &str) -> Finding {
    let shown: String = id.chars().take(LONGEST).collect();
    let ids = || {
        catalog::ACCELERATORS
            .iter()
            .map(|accelerator| accelerator.id)
    };
    let asked = id.to_ascii_lowercase();
    let parts = |id: &str| -> Vec<String> { id.split('-').map(str::to_owned).collect() };
    // Names without a capacity, or without the words before the number, can mean several GPUs.
    let named = |id: &&str| {
        let own = parts(id);
        let asked = parts(&asked);
        own.windows(asked.len()).any(|window| *window == asked)
    };
    let variants: Vec<&str> = ids().filter(named).collect();
    let nearest = closest(id, ids());
    let hint = match (variants.as_slice(), nearest) {
        ([], nearest) => nearest.map(|nearest| message!(codec::did_you_mean, nearest)),
        (ids, _) => Some(message!(hardware::variants, ids = ids.join(", "))),
    };
    let fix = nearest.or(variants.first().copied());
    Finding::error("hardware.gpu", message!(hardware::unknown_gpu, shown, hint))
        .with_fix("hardware.gpu", fix.unwrap_or("a100-80gb"))
}
