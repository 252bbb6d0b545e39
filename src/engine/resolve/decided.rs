//! The settings on which it depends whether others have an effect.

use super::Idle;
use crate::ask::{DataParallelKind, Program, Scenario};

/// The key of the setting that decides whether the one with `key` has an effect, which it has not because of `idle`.
pub fn decided_by(scenario: &Scenario, key: &str, idle: Idle) -> &'static str {
    let without_adapters = scenario.lora.is_none();
    match idle {
        Idle::LinearModel
        | Idle::Images
        | Idle::NoAttention
        | Idle::NoImages
        | Idle::NoDecoder
        | Idle::OneTask
        | Idle::NoGraph
        | Idle::Graph
        | Idle::NoExperts
        | Idle::NoModules
        | Idle::NoLiger => "model",
        Idle::ForwardOnly if scenario.program == Program::Training => "loss",
        Idle::ForwardOnly => "program",
        Idle::NoOptimizer | Idle::OneImplementation | Idle::NoSuchOption => "optimizer.name",
        Idle::NoWorkers => "dataloader.num_workers",
        Idle::NothingOffloaded => match (key, scenario.parallelism.dp.kind) {
            ("activation_offload.streams", _) => "activation_offload.kind",
            ("parallelism.dp.pin_memory", DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2) => {
                "parallelism.dp.cpu_offload"
            }
            ("parallelism.dp.pin_memory", DataParallelKind::DeepSpeedZero) => {
                "parallelism.dp.offload_optimizer"
            }
            ("parallelism.dp.pin_memory", _) => "parallelism.dp.kind",
            _ => "offload.optimizer_states",
        },
        Idle::NotSdpa => "attention",
        Idle::NotCheckpointed | Idle::NotSelective => "activation_checkpointing",
        Idle::NoEvaluation if scenario.program == Program::Forward => "program",
        Idle::NoEvaluation | Idle::NotTrainer | Idle::NotGenerating => "evaluation.kind",
        Idle::NotPacked => "packing.kind",
        Idle::SameLengths if key == "dataset.lengths" => "packing.kind",
        Idle::SameLengths => "dataset.lengths",
        Idle::NotOfObjective => "objective.kind",
        Idle::NotQuantized if !without_adapters => "quantization.type",
        Idle::NoAdapters | Idle::NotQuantized => "lora",
        Idle::NotPrepared => "quantization.prepare_for_kbit_training",
        Idle::NotAutocast => "precision",
        Idle::NoKernels => "liger_kernel",
        Idle::OtherDataset => "dataset.mode",
        Idle::OneGpu => "hardware.gpus_per_node",
        Idle::NotStage3 => "parallelism.dp.stage",
        Idle::NotDataParallel
        | Idle::NotDdp
        | Idle::NotFsdp
        | Idle::NotFsdp1
        | Idle::NotFsdp2
        | Idle::NotZero
        | Idle::NotMegatron => "parallelism.dp.kind",
        Idle::NotTensor => "parallelism.tp.size",
        Idle::NotPipeline => "parallelism.pp.size",
        Idle::NotContext => "parallelism.cp.size",
        Idle::NotExpert => "parallelism.ep.size",
        Idle::ByGpu => "hardware.processes_by_gpu",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::idle;

    #[test]
    fn what_decides_has_an_effect_itself_or_says_what_decides_it() {
        let scenario = Scenario::default();
        for key in [
            "lora.r",
            "quantization.double",
            "parallelism.dp.stage3_max_live_parameters",
            "parallelism.pp.schedule",
            "parallelism.dp.pin_memory",
            "evaluation.num_beams",
            "objective.beta",
            "checkpoint_every",
        ] {
            let mut at = key;
            let mut rounds = 0;
            while let Some(reason) = idle(&scenario, at) {
                let by = decided_by(&scenario, at, reason);
                assert_ne!(by, at, "{key}");
                at = by;
                rounds += 1;
                assert!(rounds < 4, "{key}");
            }
            assert!(rounds > 0, "{key}");
        }
    }
}
