//! PyTorch's fully sharded data parallelism.

use crate::ask::{AdapterDtype, DataParallelKind, Finding, Scenario, message};
use crate::units::DType;

const KEY: &str = "parallelism.dp.wrap_trainable_leaves";

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
