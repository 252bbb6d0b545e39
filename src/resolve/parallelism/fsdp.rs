//! PyTorch's fully sharded data parallelism.

use super::refusal::not_estimated;
use crate::ask::{AdapterDtype, DataParallelKind, Finding, Plan, Scenario, message};
use crate::units::DType;

const KEY: &str = "parallelism.dp.wrap_trainable_leaves";

/// Refuses groups of FSDP2 that are not estimated yet: those of embeddings and of the head.
pub(super) fn refuse_groups(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = scenario.parallelism.dp;
    if dp.kind != DataParallelKind::Fsdp2 {
        return;
    }
    let what = message!(parallelism::embedding_groups);
    if dp.fsdp.wrap_embeddings {
        findings.push(not_estimated(
            "parallelism.dp.wrap_embeddings",
            &what,
            false,
        ));
    }
    if dp.fsdp.plan == Plan::Transformers {
        let usual = Plan::Usual.name();
        findings.push(not_estimated("parallelism.dp.plan", &what, usual));
    }
}

/// Refuses what FSDP1 cannot flatten: parameters of different dtypes, and with `use_orig_params` off those
/// of which some are trained, in one flat parameter.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = scenario.parallelism.dp;
    let Some(lora) = scenario
        .lora
        .as_ref()
        .filter(|_| dp.kind == DataParallelKind::Fsdp1)
    else {
        return;
    };
    let differs =
        lora.adapter_dtype == AdapterDtype::Fp32 && scenario.weights_dtype() != DType::Float32;
    if dp.fsdp.wrap_trainable_leaves || (dp.fsdp.use_orig_params && !differs) {
        return;
    }
    let why = if differs {
        message!(parallelism::flat_dtypes)
    } else {
        message!(parallelism::flat_frozen)
    };
    findings.push(Finding::error(KEY, why).with_fix(KEY, true));
}
