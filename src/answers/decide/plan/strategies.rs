//! How a job can be divided among GPUs, and what it can keep on the host.

use super::options::{Freedom, Gpus, PlanOptions};
use crate::ask::{
    ContextParallel, DataParallel, DataParallelKind, Fsdp, OffloadDevice, Parallelism,
    PipelineParallel, Scenario, TensorParallel, TensorParallelKind, Zero,
};
use crate::decide::gpus::{gpus_of, with_gpus};

/// The most GPUs that are looked at where any number will do.
const MOST_GPUS: u64 = 64;

/// The scenario on each number of GPUs that it may be on, divided in each way that it may be.
pub(super) fn strategies(scenario: &Scenario, options: &PlanOptions) -> Vec<Scenario> {
    if !options.frees(Freedom::Parallelism) || is_of_megatron(&scenario.parallelism) {
        return on_host(scenario, options);
    }
    let counts: Vec<u64> = match options.gpus {
        Gpus::AsSaid => vec![gpus_of(scenario)],
        Gpus::Any => powers_of_two(MOST_GPUS).collect(),
    };
    let mut all = Vec::new();
    for gpus in counts {
        let mut on_gpus = scenario.clone();
        on_gpus.parallelism = undivided(scenario);
        if options.gpus == Gpus::Any {
            on_gpus = with_gpus(&on_gpus, gpus);
        }
        for parallelism in divisions(&on_gpus, gpus) {
            let divided = Scenario {
                parallelism,
                ..on_gpus.clone()
            };
            all.extend(on_host(&divided, options));
        }
    }
    all
}

/// Whether Megatron-Core divides a job: its settings are no other's.
pub(super) fn is_of_megatron(parallelism: &Parallelism) -> bool {
    let divides = parallelism.tp.size > 1 && parallelism.tp.kind == TensorParallelKind::Megatron;
    divides || parallelism.dp.kind == DataParallelKind::Megatron
}

fn powers_of_two(most: u64) -> impl Iterator<Item = u64> {
    (0..u64::BITS)
        .map(|power| 1 << power)
        .take_while(move |&n| n <= most)
}

/// The options of each kind, with nothing divided.
fn undivided(scenario: &Scenario) -> Parallelism {
    let own = scenario.parallelism;
    Parallelism {
        dp: DataParallel {
            kind: DataParallelKind::None,
            size: None,
            rank: 0,
            shard_size: None,
            replicate_size: None,
            ..own.dp
        },
        tp: TensorParallel { size: 1, ..own.tp },
        pp: PipelineParallel {
            size: 1,
            rank: None,
            microbatches: None,
            ..own.pp
        },
        cp: ContextParallel {
            size: 1,
            rank: 0,
            ..own.cp
        },
        ep: own.ep,
    }
}

/// Ways to divide a job among `gpus` GPUs: matrices among GPUs of a node, layers, the sequence, and training state
/// among GPUs that see different data.
fn divisions(scenario: &Scenario, gpus: u64) -> Vec<Parallelism> {
    let none = scenario.parallelism;
    if gpus <= 1 {
        return vec![none];
    }
    let node = scenario.hardware.gpus_per_node;
    let divides = |ranks: &u64| gpus.is_multiple_of(*ranks);
    let mut all = Vec::new();
    for tp in powers_of_two(node.min(gpus)).filter(divides) {
        for pp in powers_of_two(gpus / tp).filter(|pp| divides(&(tp * pp))) {
            let mut parallelism = none;
            parallelism.tp.size = tp;
            parallelism.pp.size = pp;
            match (gpus / tp / pp, tp * pp) {
                (1, _) => all.push(parallelism),
                (_, 1) => all.extend(among_data(&parallelism)),
                _ => all.push(fully_sharded(&parallelism, true)),
            }
        }
    }
    for cp in powers_of_two(gpus).skip(1).filter(divides) {
        let mut parallelism = none;
        parallelism.cp.size = cp;
        all.push(fully_sharded(&parallelism, true));
    }
    all
}

fn fully_sharded(to: &Parallelism, reshards: bool) -> Parallelism {
    let mut to = *to;
    to.dp.kind = DataParallelKind::Fsdp2;
    to.dp.fsdp = Fsdp {
        reshard_after_forward: reshards,
        ..to.dp.fsdp
    };
    to
}

/// Ways to divide training state among ranks that see different data.
fn among_data(to: &Parallelism) -> Vec<Parallelism> {
    let mut ddp = *to;
    ddp.dp.kind = DataParallelKind::Ddp;
    let zero = |stage| {
        let mut zero = *to;
        zero.dp.kind = DataParallelKind::DeepSpeedZero;
        zero.dp.zero = Zero {
            stage,
            ..to.dp.zero
        };
        zero
    };
    let sharded = [true, false].map(|reshards| fully_sharded(to, reshards));
    let mut all = vec![ddp];
    all.extend(sharded);
    all.extend([1, 2, 3].map(zero));
    all
}

/// The scenario, and the same with states or parameters in host RAM.
fn on_host(scenario: &Scenario, options: &PlanOptions) -> Vec<Scenario> {
    let mut all = vec![scenario.clone()];
    let dp = &scenario.parallelism.dp;
    if !options.frees(Freedom::Offload) || !scenario.offload.is_none() || dp.offloads() {
        return all;
    }
    let mut add = |change: fn(&mut Scenario)| {
        let mut to = scenario.clone();
        change(&mut to);
        all.push(to);
    };
    match (dp.kind, dp.zero.stage) {
        (DataParallelKind::None, _) if scenario.parallelism.model_ranks() == 1 => {
            add(|to| to.offload.optimizer_states = true);
        }
        (DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2, _) => {
            add(|to| to.parallelism.dp.fsdp.cpu_offload = true);
        }
        (DataParallelKind::DeepSpeedZero, stage) => {
            add(|to| to.parallelism.dp.zero.offload_optimizer = OffloadDevice::Cpu);
            if stage == 3 {
                add(|to| {
                    to.parallelism.dp.zero.offload_optimizer = OffloadDevice::Cpu;
                    to.parallelism.dp.zero.offload_param = OffloadDevice::Cpu;
                });
            }
        }
        _ => {}
    }
    all
}
