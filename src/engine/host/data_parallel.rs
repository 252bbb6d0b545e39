//! Host memory of a rank's share under FSDP and DeepSpeed.
//!
//! Sources: `deepspeed/runtime/zero/{stage_1_and_2,stage3,partition_parameters}.py` of DeepSpeed
//! 0.19.8; `torch/distributed/fsdp/_flat_param.py` and `_fully_shard/_fsdp_param.py` of torch
//! 2.15. Each is equal to the byte to the measurement of `tests/oracle/host/offload.py`. Pinned memory is never given
//! back to the system, so memory that was pinned for a moment stays.

use super::job::HostParameter;
use super::offload::{Offloaded, step_temporaries};
use crate::ask::{DataParallelKind, OffloadDevice};
use crate::model::ResolvedSpec;
use crate::units::{Bytes, DType};
use std::collections::BTreeMap;

/// Bytes of fp32, in which DeepSpeed keeps master weights, their gradients and optimizer states.
const FP32: u64 = DType::Float32.size();
/// ZeRO-1 and 2 align the flat buffer of all parameters to this number of elements a rank
/// (`nccl_start_alignment_factor`).
const ZERO_ALIGNMENT: u64 = 2;

/// Elements after which ZeRO-3 begins another group (`sub_group_size`).
const ZERO_3_GROUP: u64 = 1_000_000_000;

/// Memory that is put together piece by piece.
struct Sums {
    pin: bool,
    offloaded: Offloaded,
}

impl Sums {
    /// Memory that is pinned unless the configuration says otherwise.
    fn add(&mut self, bytes: u64) {
        if self.pin {
            self.pin(bytes);
        } else {
            self.offloaded.pageable += Bytes(bytes);
        }
    }

    /// Memory that is always pinned; each tensor is rounded up to a power of two.
    fn pin(&mut self, bytes: u64) {
        self.offloaded.pinned += Bytes(bytes).power_of_two_ceil();
    }
}

/// Host memory of a rank under its wrapper.
pub(super) fn offloaded(spec: &ResolvedSpec, parameters: &[HostParameter]) -> Offloaded {
    let dp = spec.parallelism.dp;
    let mut sums = Sums {
        pin: dp.pin_memory,
        offloaded: Offloaded::default(),
    };
    match dp.kind {
        _ if !dp.offloads() => {}
        DataParallelKind::None | DataParallelKind::Ddp | DataParallelKind::Megatron => {}
        DataParallelKind::DeepSpeedZero if dp.zero.stage < 3 => {
            zero_1_and_2(spec, parameters, &mut sums);
        }
        DataParallelKind::DeepSpeedZero => zero_3(spec, parameters, &mut sums),
        DataParallelKind::Fsdp1 => fsdp1(spec, parameters, &mut sums),
        DataParallelKind::Fsdp2 => fsdp2(spec, parameters, &mut sums),
    }
    if spec.has_own_reference() {
        reference(spec, parameters, &mut sums);
    }
    sums.offloaded
}

/// Host memory of a rank for the reference model, which has the same parameters as the trained one, as TRL prepares
/// it with the same options (`prepare_fsdp`, `prepare_deepspeed`, `models/utils.py`, trl 1.16): `DeepSpeed` without an
/// optimizer, and so of the first stages nothing.
fn reference(spec: &ResolvedSpec, parameters: &[HostParameter], sums: &mut Sums) {
    let dp = spec.parallelism.dp;
    match dp.kind {
        DataParallelKind::Fsdp1 if dp.offloads() => {
            for share in of_layers(parameters) {
                sums.pin(share);
                sums.pin(share);
                // After a pass without gradients parameters have parts of `_cpu_grad` as theirs, which are written
                // back before the next (`_writeback_orig_params`).
                if dp.fsdp.use_orig_params {
                    sums.offloaded.pageable += Bytes(share);
                }
            }
        }
        DataParallelKind::Fsdp2 if dp.offloads() => {
            for parameter in parameters {
                sums.add(parameter.shard_bytes().get());
            }
        }
        DataParallelKind::DeepSpeedZero if dp.zero.offload_param == OffloadDevice::Cpu => {
            for parameter in parameters {
                sums.add(parameter.shard_elements() * spec.weights.size());
            }
        }
        _ => {}
    }
}

/// Bytes that rank 0 gathers of all shards to save the full state: the model, then the optimizer's
/// states. `None` where the model is whole on each rank.
///
/// Measured: `tests/oracle/host/offload.py`. DeepSpeed writes optimizer states as shards only.
pub(super) fn gathered(spec: &ResolvedSpec, parameters: &[HostParameter]) -> Option<Bytes> {
    let dp = spec.parallelism.dp;
    let whole = dp.kind == DataParallelKind::DeepSpeedZero && dp.zero.stage < 3;
    if whole || !dp.offloads() {
        return None;
    }
    if !spec.saves_full_state() {
        return Some(Bytes::ZERO);
    }
    let elements: u64 = parameters.iter().map(|p| p.elements).sum();
    if dp.kind == DataParallelKind::DeepSpeedZero {
        return Some(Bytes(elements * spec.weights.size()));
    }
    let model: Bytes = parameters.iter().map(|p| p.bytes).sum();
    let states: Bytes = trained(parameters).map(|p| p.bytes).sum();
    Some(model.max(states.times(spec.optimizer.moments())))
}

fn trained(parameters: &[HostParameter]) -> impl Iterator<Item = &HostParameter> {
    parameters.iter().filter(|parameter| parameter.trained)
}

/// One flat buffer of all that is trained, cut in equal parts.
fn zero_1_and_2(spec: &ResolvedSpec, parameters: &[HostParameter], sums: &mut Sums) {
    let low = spec.weights.size();
    let all: u64 = trained(parameters).map(|p| p.elements).sum();
    let ranks = trained(parameters).next().map_or(1, HostParameter::ranks);
    let share = all.next_multiple_of(ZERO_ALIGNMENT * ranks) / ranks;
    let largest = trained(parameters).map(|p| p.elements).max().unwrap_or(0);
    // `single_partition_of_fp32_groups` and its gradient, the copy on the way to the device
    // (`param_buffer_of_bit16_for_cpu_offload_groups`), `temp_grad_buffer_for_cpu_offload`.
    sums.add(share * FP32);
    sums.add(share * FP32);
    sums.add(share * low);
    sums.add(largest * low);
    if spec.gradient_accumulation_steps > 1 {
        // `accumulated_grads_in_cpu`: whole gradients of the parameters that the share reaches.
        let mut before = 0;
        for parameter in trained(parameters) {
            if before < share {
                sums.add(parameter.elements * low);
            }
            before += parameter.elements;
        }
    }
    sums.offloaded.states = Bytes(share * FP32).times(spec.optimizer.moments());
}

/// Each parameter is cut in equal parts.
fn zero_3(spec: &ResolvedSpec, parameters: &[HostParameter], sums: &mut Sums) {
    let low = spec.weights.size();
    let cut = HostParameter::shard_elements;
    let share: u64 = trained(parameters).map(cut).sum();
    // `fp32_partitioned_groups_flat`, never pinned; their gradients, group by group;
    // `grad_partitions_flat_buffer`.
    sums.offloaded.pageable += Bytes(share * FP32);
    let mut group = 0;
    for elements in trained(parameters).map(cut) {
        group += elements;
        if group >= ZERO_3_GROUP {
            sums.add(group * FP32);
            group = 0;
        }
    }
    sums.add(group * FP32);
    sums.add(share * low);
    if spec.parallelism.dp.zero.offload_param == OffloadDevice::Cpu {
        // `param_groups_fp16_flat_cpu_memory`, always pinned. Trained parameters were pinned one by one before they
        // moved there; frozen ones stay where they are.
        sums.pin(share * low);
        for parameter in parameters {
            if sums.pin || !parameter.trained {
                sums.add(cut(parameter) * low);
            }
        }
    }
    sums.offloaded.states = Bytes(share * FP32).times(spec.optimizer.moments());
}

/// One flat parameter for each layer and one for the rest, cut in equal parts: bytes of each.
fn of_layers(parameters: &[HostParameter]) -> impl Iterator<Item = u64> + use<> {
    let ranks = parameters.first().map_or(1, HostParameter::ranks);
    let mut layers = BTreeMap::<u32, u64>::new();
    for parameter in parameters {
        *layers.entry(parameter.layer).or_default() += parameter.bytes.get();
    }
    layers.into_values().map(move |bytes| bytes.div_ceil(ranks))
}

/// Shares of flat parameters.
fn fsdp1(spec: &ResolvedSpec, parameters: &[HostParameter], sums: &mut Sums) {
    // `_local_shard` and `_cpu_grad`, pinned whatever the options say.
    for share in of_layers(parameters) {
        sums.pin(share);
        sums.pin(share);
    }
    step(spec, parameters, sums);
}

/// Each parameter is cut in equal parts.
fn fsdp2(spec: &ResolvedSpec, parameters: &[HostParameter], sums: &mut Sums) {
    for parameter in parameters {
        let share = parameter.shard_bytes().get();
        sums.add(share);
        if parameter.trained {
            sums.add(share);
        }
    }
    step(spec, parameters, sums);
}

/// The states of an optimizer of `torch.optim` over the shards, and its step.
fn step(spec: &ResolvedSpec, parameters: &[HostParameter], sums: &mut Sums) {
    let share = HostParameter::shard_bytes;
    let all: Bytes = trained(parameters).map(share).sum();
    let largest = trained(parameters).map(share).max().unwrap_or_default();
    let asked = spec.scenario.optimizer;
    sums.offloaded.states = all.times(asked.moments());
    sums.offloaded.step = step_temporaries(&asked, asked.implementation, largest, all);
}
