//! Checks of the optimizer: implementations that exist and options that it has.

use super::Modules;
use crate::ask::{
    Finding, Framework, MasterWeights, OptimizerImpl, OptimizerName, Precision, Scenario,
};
use crate::model::Module;
use crate::units::DType;

/// Checks an optimizer.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let optimizer = &scenario.optimizer;
    let name = optimizer.name.name();
    let implementations = optimizer.name.implementations();
    if !implementations.contains(&optimizer.implementation) {
        let given = optimizer.implementation.name();
        let all = implementations
            .iter()
            .map(|i| i.name())
            .collect::<Vec<_>>()
            .join(", ");
        findings.push(
            Finding::error(
                "optimizer.impl",
                format!("{name} has no implementation {given:?}; it has {all}."),
                format!("{name} 没有 {given:?} 实现；可选：{all}。"),
            )
            .with_fix("optimizer.impl", implementations[0].name()),
        );
    }
    if !(0.0..1.0).contains(&optimizer.momentum) {
        let momentum = optimizer.momentum;
        findings.push(
            Finding::error(
                "optimizer.momentum",
                format!("momentum is {momentum}; it must be at least 0 and below 1."),
                format!("momentum 为 {momentum}；必须不小于 0 且小于 1。"),
            )
            .with_fix("optimizer.momentum", if momentum < 0.0 { 0.0 } else { 0.9 }),
        );
    }
    if optimizer.name == OptimizerName::Muon && scenario.framework != Framework::default() {
        let framework = scenario.framework.name();
        findings.push(
            Finding::error(
                "optimizer.name",
                format!("torch.optim.Muon exists since PyTorch 2.9; {framework} does not have it."),
                format!("torch.optim.Muon 自 PyTorch 2.9 起提供；{framework} 中没有。"),
            )
            .with_fix("framework", Framework::default().name()),
        );
    }
    if optimizer.name == OptimizerName::Adagrad
        && optimizer.implementation == OptimizerImpl::Fused
        && scenario.framework != Framework::default()
    {
        let framework = scenario.framework.name();
        findings.push(
            Finding::error(
                "optimizer.impl",
                format!("{framework} has no fused Adagrad on CUDA."),
                format!("{framework} 没有 CUDA 上的 fused Adagrad。"),
            )
            .with_fix("optimizer.impl", OptimizerImpl::Foreach.name()),
        );
    }
    if optimizer.name == OptimizerName::Sgd8bit && optimizer.momentum == 0.0 {
        findings.push(
            Finding::error(
                "optimizer.momentum",
                "bitsandbytes has no 8-bit SGD without momentum.",
                "bitsandbytes 的 8 位 SGD 必须使用动量。",
            )
            .with_fix("optimizer.momentum", 0.9),
        );
    }
    check_in_backward(scenario, findings);
    check_master_weights(scenario, findings);
    let mut no_effect = |key: &str| {
        findings.push(Finding::notice(
            key,
            format!("{key} has no effect: {name} does not have that option."),
            format!("{key} 不起作用：{name} 没有该选项。"),
        ));
    };
    if optimizer.momentum != 0.0 && !optimizer.name.has_momentum() {
        no_effect("optimizer.momentum");
    }
    if optimizer.amsgrad && !optimizer.name.has_amsgrad() {
        no_effect("optimizer.amsgrad");
    }
    if optimizer.relative_step && optimizer.name != OptimizerName::AdafactorTransformers {
        no_effect("optimizer.relative_step");
    }
}

/// 8-bit SGD steps parameters of fewer elements in 32 bits, with kernels that take no gradients in
/// bfloat16 (`min_8bit_size`, `str2optimizer32bit`, bitsandbytes 0.45 and 0.50): norms and biases are
/// as small in most models, routers in some.
pub(crate) fn check_small(scenario: &Scenario, modules: &Modules<'_>, findings: &mut Vec<Finding>) {
    const SMALLEST: u64 = 4096;
    let narrow = scenario.lora.is_none() && scenario.weights_dtype() == DType::BFloat16;
    if scenario.optimizer.name != OptimizerName::Sgd8bit || !narrow {
        return;
    }
    let frozen = |path: &str| scenario.frozen.iter().any(|part| path.contains(part));
    let steps_small = |module: &Module| {
        let parameters = module.parameters.iter().zip(module.parameter_paths());
        let mut small = parameters.filter(|(own, _)| own.shape.numel() < SMALLEST);
        small.any(|(_, path)| !frozen(&path))
    };
    if modules.iter().any(steps_small) {
        findings.push(
            Finding::error(
                "optimizer.name",
                "bitsandbytes fails to step parameters of less than 4096 elements, like those of norms, with sgd_8bit and gradients in bf16; use sgd, or another precision.",
                "对于不足 4096 个元素的参数（如归一化层），bitsandbytes 的 sgd_8bit 无法处理 bf16 梯度；请使用 sgd 或其他精度。",
            )
            .with_fix("optimizer.name", OptimizerName::Sgd.name()),
        );
    }
}

/// Master weights are Adam's, beside weights in half precision.
fn check_master_weights(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let optimizer = &scenario.optimizer;
    if optimizer.master_weights == MasterWeights::None {
        return;
    }
    let mut refuse = |key: &str, what: &str, what_zh: &str, fix: serde_json::Value| {
        findings.push(
            Finding::error(
                key,
                format!("optimizer.master_weights {what}."),
                format!("optimizer.master_weights {what_zh}。"),
            )
            .with_fix(key, fix),
        );
    };
    let none = || MasterWeights::None.name().into();
    if !matches!(scenario.precision, Precision::Bf16 | Precision::Fp16) {
        refuse(
            "precision",
            "are copies of weights in half precision: precision must be bf16 or fp16",
            "是半精度权重的副本：precision 必须为 bf16 或 fp16",
            Precision::Bf16.name().into(),
        );
    }
    if !optimizer.name.has_amsgrad() {
        refuse(
            "optimizer.name",
            "are estimated for adam and adamw only",
            "目前只支持 adam 和 adamw",
            OptimizerName::AdamW.name().into(),
        );
    }
    if scenario.quantization.is_on() {
        refuse(
            "optimizer.master_weights",
            "are not estimated with a quantized base yet",
            "暂不支持与量化基座同时使用",
            none(),
        );
    }
    let fused = optimizer.implementation == OptimizerImpl::Fused;
    if optimizer.master_weights == MasterWeights::Megatron && fused && optimizer.amsgrad {
        refuse(
            "optimizer.amsgrad",
            "of Megatron are stepped over by apex's FusedAdam, which has no amsgrad",
            "由 Megatron 使用 apex 的 FusedAdam 更新，它不支持 amsgrad",
            false.into(),
        );
    }
    if optimizer.in_backward || scenario.offload.optimizer_states {
        refuse(
            "optimizer.master_weights",
            "need an optimizer that steps on the device after backward",
            "要求优化器在反向传播之后于显卡上更新",
            none(),
        );
    }
}

/// A step inside the backward pass sees one gradient, once.
fn check_in_backward(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !scenario.optimizer.in_backward {
        return;
    }
    let mut refuse = |key: &str, what: &str, what_zh: &str, fix: serde_json::Value| {
        findings.push(
            Finding::error(
                key,
                format!("The optimizer steps inside backward, so {what}."),
                format!("优化器在反向传播中更新，因此{what_zh}。"),
            )
            .with_fix(key, fix),
        );
    };
    if scenario.gradient_accumulation_steps > 1 {
        refuse(
            "gradient_accumulation_steps",
            "gradients cannot be accumulated",
            "无法累积梯度",
            1.into(),
        );
    }
    if scenario.clip_grad_norm {
        refuse(
            "clip_grad_norm",
            "the norm of all gradients is never known",
            "无法得到全部梯度的范数",
            false.into(),
        );
    }
    if scenario.precision == Precision::AmpFp16 {
        refuse(
            "precision",
            "a gradient scaler cannot look at all gradients first",
            "梯度缩放器无法先检查全部梯度",
            Precision::AmpBf16.name().into(),
        );
    }
    if scenario.optimizer.name == OptimizerName::None {
        refuse(
            "optimizer.in_backward",
            "there must be one",
            "必须选择一个优化器",
            false.into(),
        );
    }
}
