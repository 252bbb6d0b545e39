//! Settings of several GPUs without effect in a scenario, and why.

use crate::ask::{
    DataParallel, DataParallelKind, ExpertParallelKind, RecomputeGranularity, Scenario,
    TensorParallelKind,
};
use crate::resolve::Idle;

/// Why a setting of parallelism, of processes on a GPU, or of Megatron-Core, has no effect, if it has none. What divides something
/// can always be asked for on more than one GPU.
pub fn idle(scenario: &Scenario, key: &str) -> Option<Idle> {
    let of_megatron = key.starts_with("recompute.") || key == "attention_softmax_in_fp32";
    let hardware = &scenario.hardware;
    if key == "hardware.processes_per_gpu" && hardware.processes_by_gpu.is_some() {
        return Some(Idle::ByGpu);
    }
    if !of_megatron && !key.starts_with("parallelism.") {
        return None;
    }
    let one_gpu = hardware.nodes.saturating_mul(hardware.gpus_per_node) <= 1;
    let all = &scenario.parallelism;
    let (axis, setting) = match key.strip_prefix("parallelism.") {
        Some(key) => key.split_once('.').unwrap_or(("", key)),
        None => ("", key),
    };
    let size = match axis {
        "dp" => all.dp.size.unwrap_or(1),
        "tp" => all.tp.size,
        "pp" => all.pp.size,
        "cp" => all.cp.size,
        "ep" => all.ep.size,
        _ => 1,
    };
    let megatron = all.dp.kind == DataParallelKind::Megatron
        || (all.tp.size > 1 && all.tp.kind == TensorParallelKind::Megatron)
        || (all.ep.size > 1 && all.ep.kind == ExpertParallelKind::Megatron);
    let when = |without: bool, reason: Idle| without.then_some(reason);
    match (axis, setting) {
        (_, "size") if one_gpu && size <= 1 => Some(Idle::OneGpu),
        ("dp", "kind") | ("tp" | "pp" | "cp" | "ep", "size") => None,
        ("dp", setting) => idle_data(&all.dp, setting, one_gpu),
        ("pp", "overlap_p2p") | ("ep", "dispatcher" | "capacity_factor") if !megatron => {
            Some(Idle::NotMegatron)
        }
        // Megatron-Core's step has micro-batches without a pipeline, too, and its experts have room on one rank.
        ("pp", "microbatches") | ("ep", "dispatcher" | "capacity_factor") if megatron => None,
        ("tp", _) => when(size <= 1, Idle::NotTensor),
        ("pp", _) => when(size <= 1, Idle::NotPipeline),
        ("cp", _) => when(size <= 1, Idle::NotContext),
        ("ep", _) => when(size <= 1, Idle::NotExpert),
        (_, "recompute.granularity") => when(
            !megatron && scenario.recompute.granularity == RecomputeGranularity::None,
            Idle::NotMegatron,
        ),
        _ => when(!megatron, Idle::NotMegatron),
    }
}

/// Settings of data parallelism without effect.
fn idle_data(dp: &DataParallel, setting: &str, one_gpu: bool) -> Option<Idle> {
    use DataParallelKind::{Ddp, DeepSpeedZero, Fsdp1, Fsdp2, Megatron, None as Nobody};
    let unless =
        |kinds: &[DataParallelKind], reason: Idle| (!kinds.contains(&dp.kind)).then_some(reason);
    match setting {
        "size" | "no_sync" => (dp.kind == Nobody).then_some(Idle::NotDataParallel),
        "rank" if dp.kind == Nobody => Some(Idle::NotDataParallel),
        "rank" => one_gpu.then_some(Idle::OneGpu),
        "pin_memory" => (!dp.offloads()).then_some(Idle::NothingOffloaded),
        "shard_size" | "replicate_size" | "cpu_offload" => unless(&[Fsdp1, Fsdp2], Idle::NotFsdp),
        "mixed_precision.param" | "mixed_precision.reduce" | "cpu_ram_efficient_loading" => {
            unless(&[Fsdp1, Fsdp2], Idle::NotFsdp)
        }
        "mixed_precision.output"
        | "mixed_precision.cast_forward_inputs"
        | "reshard_after_forward"
        | "reshard_root_after_forward"
        | "wrap_embeddings"
        | "explicit_prefetch"
        | "plan" => unless(&[Fsdp2], Idle::NotFsdp2),
        "sharding_strategy"
        | "use_orig_params"
        | "backward_prefetch"
        | "forward_prefetch"
        | "limit_all_gathers"
        | "wrap_trainable_leaves"
        | "built_on_cpu" => unless(&[Fsdp1], Idle::NotFsdp1),
        "gradient_as_bucket_view"
        | "bucket_cap_mb"
        | "static_graph"
        | "find_unused_parameters"
        | "comm_hook"
        | "zero_redundancy_optimizer.parameters_as_bucket_view" => unless(&[Ddp], Idle::NotDdp),
        "distributed_optimizer"
        | "grad_reduce_in_fp32"
        | "overlap_grad_reduce"
        | "overlap_param_gather"
        | "bucket_size" => unless(&[Megatron], Idle::NotMegatron),
        _ if dp.kind != DeepSpeedZero => Some(Idle::NotZero),
        setting => {
            let of_stage_3 = setting.starts_with("stage3_")
                || matches!(
                    setting,
                    "offload_param" | "sub_group_size" | "zero_hpz_partition_size"
                );
            (of_stage_3 && dp.zero.stage < 3).then_some(Idle::NotStage3)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(hardware: &Value, parallelism: &Value, key: &str) -> Option<Idle> {
        let scenario = json!({"hardware": hardware, "parallelism": parallelism});
        idle(&serde_json::from_value(scenario).expect("a scenario"), key)
    }

    #[test]
    fn on_one_gpu_sizes_are_idle_but_what_shards_can_be_asked_for() {
        let one = json!({});
        let tensor = "parallelism.tp.size";
        assert_eq!(of(&one, &json!({}), tensor), Some(Idle::OneGpu));
        assert_eq!(of(&one, &json!({}), "parallelism.dp.kind"), None);
        assert_eq!(of(&json!({"gpus_per_node": 8}), &json!({}), tensor), None);
        // A setting of the scenario can be taken back.
        assert_eq!(of(&one, &json!({"tp": {"size": 2}}), tensor), None);
    }

    #[test]
    fn options_of_another_kind_say_whose_they_are() {
        let of = |kind: &str, setting: &str| {
            let dp = json!({"dp": {"kind": kind}});
            of(
                &json!({"gpus_per_node": 8}),
                &dp,
                &format!("parallelism.dp.{setting}"),
            )
        };
        assert_eq!(of("fsdp2", "reshard_after_forward"), None);
        assert_eq!(of("fsdp2", "mixed_precision.param"), None);
        assert_eq!(of("fsdp2", "bucket_cap_mb"), Some(Idle::NotDdp));
        assert_eq!(of("fsdp2", "stage"), Some(Idle::NotZero));
        assert_eq!(of("deepspeed_zero", "stage"), None);
        let live = "stage3_max_live_parameters";
        assert_eq!(of("deepspeed_zero", live), Some(Idle::NotStage3));
        assert_eq!(of("none", "distributed_optimizer"), Some(Idle::NotMegatron));
    }
}
