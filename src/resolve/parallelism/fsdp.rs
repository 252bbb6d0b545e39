//! PyTorch's fully sharded data parallelism.

use crate::ask::{AdapterDtype, DataParallelKind, Finding, Scenario};
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
    let (english, chinese) = if differs {
        (
            "FSDP1 flattens parameters of one dtype only: adapters in float32 beside weights in 16 bits are units of their own (peft's fsdp_auto_wrap_policy).",
            "FSDP1 只能展平同一类型的参数：16 位权重旁的 float32 适配器须各自成为单元（peft 的 fsdp_auto_wrap_policy）。",
        )
    } else {
        (
            "With use_orig_params off FSDP1 flattens adapters apart from frozen weights only: they are units of their own (peft's fsdp_auto_wrap_policy).",
            "关闭 use_orig_params 时，FSDP1 不能把适配器与冻结权重展平在一起：适配器须各自成为单元（peft 的 fsdp_auto_wrap_policy）。",
        )
    };
    findings.push(Finding::error(KEY, english, chinese).with_fix(KEY, true));
}
