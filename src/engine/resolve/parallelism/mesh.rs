//! Ranks along the axes multiply to the number of GPUs, and each rank that is looked at is one of them.

use crate::ask::{DataParallelKind, Finding, Scenario, check_range, message};
use crate::resolve::hardware::GPUS_PER_NODE;
use std::ops::RangeInclusive;

/// Ranks that see different data.
const DATA_RANKS: RangeInclusive<u64> = 1..=1 << 20;

/// Ranks along any other axis.
pub(super) const RANKS: RangeInclusive<u64> = 1..=1024;

/// Numbers of GPUs that a job can have; the checks of the hardware report other numbers.
const GPUS: RangeInclusive<u64> = 1..=1 << 30;

/// Refuses numbers of ranks that are out of range, that do not multiply to the number of GPUs, and ranks
/// that there are not.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let before = findings.len();
    let asked = scenario.parallelism;
    let divided = asked.dp.kind != DataParallelKind::None;
    let data = [
        ("parallelism.dp.size", asked.dp.size),
        ("parallelism.dp.shard_size", asked.dp.shard_size),
        ("parallelism.dp.replicate_size", asked.dp.replicate_size),
    ];
    for (key, size) in data.into_iter().filter(|_| divided) {
        check_range(key, size.unwrap_or(1), &DATA_RANKS, findings);
    }
    for (key, size) in [
        ("parallelism.tp.size", asked.tp.size),
        ("parallelism.pp.size", asked.pp.size),
        ("parallelism.cp.size", asked.cp.size),
        ("parallelism.ep.size", asked.ep.size),
    ] {
        check_range(key, size, &RANKS, findings);
    }
    let hardware = &scenario.hardware;
    let [nodes, per_node] = hardware.of_a_job();
    let gpus = nodes.saturating_mul(per_node);
    // GPUs that no node has are refused by themselves.
    let known = GPUS.contains(&gpus) && GPUS_PER_NODE.contains(&per_node);
    if findings.len() > before || !known {
        return;
    }
    let not_multiplying = product(scenario, gpus).or_else(|| copies(scenario));
    findings.extend(not_multiplying);
    if findings.len() > before {
        return;
    }
    let mesh = asked.mesh(hardware);
    let ranks = [
        ("parallelism.dp.rank", asked.dp.rank, mesh.dp),
        ("parallelism.pp.rank", asked.pp.rank.unwrap_or(0), mesh.pp),
        ("parallelism.cp.rank", asked.cp.rank, mesh.cp),
    ];
    for (key, rank, ranks) in ranks {
        check_range(key, rank, &(0..=ranks - 1), findings);
    }
}

/// The finding when the ranks do not multiply to the number of GPUs; the repair is the nearest number
/// of ranks along one axis that does.
fn product(scenario: &Scenario, gpus: u64) -> Option<Finding> {
    let asked = scenario.parallelism;
    let mut left = gpus;
    for (key, size) in [
        ("parallelism.tp.size", asked.tp.size),
        ("parallelism.cp.size", asked.cp.size),
        ("parallelism.pp.size", asked.pp.size),
    ] {
        if !left.is_multiple_of(size) {
            let finding = Finding::error(
                key,
                message!(parallelism::rest_not_divided, key, size, left, gpus),
            );
            return Some(finding.with_fix(key, divisor(left, size)));
        }
        left /= size;
    }
    let size = asked.data_ranks().filter(|&size| size != left)?;
    let message = if left == gpus {
        message!(parallelism::size, size, gpus)
    } else {
        let others = asked.model_ranks();
        message!(parallelism::size_beside_others, size, gpus, left, others)
    };
    let finding = Finding::error("parallelism.dp.size", message);
    Some(finding.with_fix("parallelism.dp.size", left))
}

/// The finding when copies and shards do not multiply to the ranks that share the parameters.
fn copies(scenario: &Scenario) -> Option<Finding> {
    let (asked, hardware) = (scenario.parallelism, &scenario.hardware);
    if asked.dp.kind == DataParallelKind::None {
        return None;
    }
    let mesh = asked.mesh(hardware);
    let ranks = mesh.dp * mesh.cp;
    let (shard, copies) = (asked.dp.shard_size, asked.dp.replicate_size);
    let product = shard.unwrap_or(mesh.shard) * copies.unwrap_or(mesh.replicate);
    if product == ranks {
        return None;
    }
    let (key, size, fix) = match (shard, copies) {
        (Some(size), _) if !ranks.is_multiple_of(size) => {
            ("parallelism.dp.shard_size", size, divisor(ranks, size))
        }
        (None, Some(size)) => ("parallelism.dp.replicate_size", size, divisor(ranks, size)),
        (_, Some(size)) => ("parallelism.dp.replicate_size", size, mesh.replicate),
        (size, None) => ("parallelism.dp.shard_size", size.unwrap_or(1), mesh.shard),
    };
    let finding = Finding::error(
        key,
        message!(parallelism::shards_and_copies, key, size, ranks),
    );
    Some(finding.with_fix(key, fix))
}

/// The largest divisor of `of` that is at most `size`.
pub(super) fn divisor(of: u64, size: u64) -> u64 {
    let divides = |size: &u64| of.is_multiple_of(*size);
    (1..=size.min(of)).rev().find(divides).unwrap_or(1)
}
