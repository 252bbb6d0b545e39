//! Steps of optimizers over parameters of which ranks have parts.

use super::divides::{divides_experts, divides_modules};
use crate::ask::{
    DataParallelKind, Finding, OptimizerImpl, OptimizerName, Plan, Program, Scenario, message,
};

/// Whether trained parameters are `DTensor`s: parts of parameters that FSDP2 shards, or of modules and experts that
/// ranks divide.
fn trains_parts(scenario: &Scenario) -> bool {
    let dp = scenario.parallelism.dp;
    // Adapters that come to what transformers has sharded are whole.
    let whole = dp.fsdp.plan == Plan::Transformers && scenario.lora.is_some();
    let sharded = dp.kind == DataParallelKind::Fsdp2 && !whole;
    sharded || divides_experts(scenario) || divides_modules(scenario)
}

/// Refuses optimizers whose steps fail on `DTensor`s.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !trains_parts(scenario) || scenario.program != Program::Training {
        return;
    }
    let optimizer = &scenario.optimizer;
    match optimizer.name {
        // Steps in place over partial norms, and operations on `DTensor`s and tensors together (torch 2.15,
        // transformers 5.23, bitsandbytes 0.50).
        OptimizerName::Adafactor
        | OptimizerName::AdafactorTransformers
        | OptimizerName::AdamW8bit
        | OptimizerName::PagedAdamW8bit
        | OptimizerName::PagedAdamW32bit
        | OptimizerName::AdamW32bitBitsAndBytes
        | OptimizerName::Lion8bit
        | OptimizerName::Sgd8bit => {
            let name = optimizer.name.name();
            let finding = Finding::error(
                "optimizer.name",
                message!(parallelism::steps_of_parts, name),
            );
            findings.push(finding.with_fix("optimizer.name", OptimizerName::AdamW.name()));
        }
        // `pointwise_ops` (`torch/distributed/tensor/_ops/_pointwise_ops.py`, torch 2.15).
        OptimizerName::Sgd | OptimizerName::Adagrad
            if optimizer.implementation == OptimizerImpl::Fused =>
        {
            let finding = Finding::error("optimizer.impl", message!(parallelism::fused_step));
            findings.push(finding.with_fix("optimizer.impl", OptimizerImpl::Foreach.name()));
        }
        _ => {}
    }
}

/// Whether a step is estimated: of momentum that is made of gradients as they are, and of others where FSDP2 has
/// reduced them to parts.
pub(super) fn is_estimated(scenario: &Scenario) -> bool {
    let sharded = scenario.parallelism.dp.kind == DataParallelKind::Fsdp2;
    let optimizer = &scenario.optimizer;
    match optimizer.name {
        OptimizerName::Adam | OptimizerName::AdamW => {
            sharded || !optimizer.amsgrad || optimizer.implementation != OptimizerImpl::ForLoop
        }
        OptimizerName::Sgd => sharded || optimizer.momentum == 0.0 || !optimizer.weight_decay,
        OptimizerName::RmsProp
        | OptimizerName::Adagrad
        | OptimizerName::Adadelta
        | OptimizerName::Adamax
        | OptimizerName::NAdam
        | OptimizerName::Lion => sharded,
        OptimizerName::None => true,
        _ => false,
    }
}
