//! The machine that a table of `nvidia-smi`, or a failure's text, shows, as settings of a scenario.

use crate::catalog::{ACCELERATORS, Accelerator, of_capacity};
use crate::inputs::{Failure, SmiTable};
use crate::units::Bytes;
use serde_json::Value;

/// The key of the GPU.
const GPU: &str = "hardware.gpu";

/// Settings of `hardware` that the table gives: the GPU where the catalog has it, the number of GPUs, and the most that is in use
/// of one of them.
pub fn machine_settings(table: &SmiTable) -> Vec<(String, Value)> {
    let first = table.gpus.first();
    let gpu = first.and_then(|gpu| known_gpu(&gpu.name, gpu.total));
    let mut all: Vec<(&str, Value)> = Vec::new();
    all.extend(gpu.map(|gpu| (GPU, gpu.id.into())));
    all.push(("hardware.gpus_per_node", table.gpus.len().into()));
    all.push(("hardware.gpu_memory_in_use", table.most_in_use().into()));
    let owned = |(path, value): (&str, Value)| (path.to_owned(), value);
    all.into_iter().map(owned).collect()
}

/// Settings of `hardware` that a failure's text gives: a GPU of the catalog with the capacity that it prints, or that capacity,
/// and what other processes hold of it.
pub(super) fn failure_settings(failure: &Failure) -> Vec<(String, Value)> {
    let facts = &failure.facts;
    let gpu = facts.total.map(|total| {
        let alike = of_capacity(Bytes(total)).next();
        alike.map_or_else(
            || ("hardware.gpu_memory", Value::from(total)),
            |gpu| (GPU, gpu.id.into()),
        )
    });
    let others = facts.other_processes.iter().map(|process| process.bytes);
    let others = others.fold(0, u64::saturating_add);
    let others = (others > 0).then(|| ("hardware.gpu_memory_in_use", Value::from(others)));
    let all = gpu.into_iter().chain(others);
    all.map(|(path, value)| (path.to_owned(), value)).collect()
}

/// The GPU of the catalog with such a name and about so much memory: error correction and firmware keep up to a
/// sixteenth of a card's.
fn known_gpu(name: &str, total: u64) -> Option<&'static Accelerator> {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // Drivers before 510 cut long names short: `GeForce RTX 208...`.
    let cut = name
        .ends_with("..")
        .then(|| words.last().copied())
        .flatten();
    let is_named = |part: &str| {
        let begins = cut.is_some_and(|cut| part.starts_with(cut));
        words.contains(&part) || begins
    };
    let named = |gpu: &&Accelerator| parts(gpu).all(is_named);
    let alike = |gpu: &&Accelerator| {
        let nominal = gpu.nominal.get();
        nominal.abs_diff(total) <= nominal / 14
    };
    let all = ACCELERATORS.iter().filter(alike).filter(named);
    all.max_by_key(|gpu| parts(gpu).count())
}

/// The parts of a GPU's id that its name has, without its capacity.
fn parts(gpu: &Accelerator) -> impl Iterator<Item = &'static str> + use<> {
    gpu.id.split('-').filter(|part| !part.ends_with("gb"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn names_of_drivers_are_gpus_of_the_catalog() {
        for (name, mib, id) in [
            ("NVIDIA A100-SXM4-80GB", 81920, "a100-80gb"),
            ("A100-SXM4-40GB", 40536, "a100-40gb"),
            ("NVIDIA H100 80GB HBM3", 81559, "h100-80gb"),
            ("NVIDIA H100 NVL", 95830, "h100-nvl"),
            ("NVIDIA H200", 143_771, "h200"),
            ("NVIDIA GeForce RTX 4090", 24564, "rtx-4090"),
            ("NVIDIA GeForce RTX 3090 Ti", 24564, "rtx-3090-ti"),
            ("NVIDIA RTX 6000 Ada Generation", 49140, "rtx-6000-ada"),
            ("NVIDIA RTX A6000", 49140, "rtx-a6000"),
            ("NVIDIA A10G", 23028, "a10g"),
            ("Tesla T4", 15360, "t4"),
            ("Tesla V100-SXM2...", 32510, "v100-32gb"),
            ("NVIDIA L40S", 46068, "l40s"),
        ] {
            let known = known_gpu(name, mib * MIB).map(|gpu| gpu.id);
            assert_eq!(known, Some(id), "{name}");
        }
        let laptop = known_gpu("NVIDIA GeForce RTX 4090 Laptop GPU", 16376 * MIB);
        assert_eq!(laptop, None);
    }
}
