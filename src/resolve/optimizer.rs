//! Checks of the optimizer: implementations that exist and options that it has.

use super::Modules;
use crate::ask::{
    Finding, Framework, MasterWeights, Message, OptimizerImpl, OptimizerName, Precision, Scenario,
    message,
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
                message!(optimizer::implementation, name, given, all),
            )
            .with_fix("optimizer.impl", implementations[0].name()),
        );
    }
    if !(0.0..1.0).contains(&optimizer.momentum) {
        let momentum = optimizer.momentum;
        findings.push(
            Finding::error(
                "optimizer.momentum",
                message!(optimizer::momentum, momentum),
            )
            .with_fix("optimizer.momentum", if momentum < 0.0 { 0.0 } else { 0.9 }),
        );
    }
    if optimizer.name == OptimizerName::Muon && !scenario.framework.has_transformers_5() {
        let framework = scenario.framework.name();
        findings.push(
            Finding::error("optimizer.name", message!(optimizer::muon, framework))
                .with_fix("framework", Framework::default().name()),
        );
    }
    if optimizer.name == OptimizerName::Adagrad
        && optimizer.implementation == OptimizerImpl::Fused
        && !scenario.framework.has_transformers_5()
    {
        let framework = scenario.framework.name();
        findings.push(
            Finding::error(
                "optimizer.impl",
                message!(optimizer::fused_adagrad, framework),
            )
            .with_fix("optimizer.impl", OptimizerImpl::Foreach.name()),
        );
    }
    if optimizer.name == OptimizerName::Sgd8bit && optimizer.momentum == 0.0 {
        findings.push(
            Finding::error(
                "optimizer.momentum",
                message!(optimizer::sgd_8bit_without_momentum),
            )
            .with_fix("optimizer.momentum", 0.9),
        );
    }
    check_in_backward(scenario, findings);
    check_master_weights(scenario, findings);
    let mut no_effect = |key: &str| {
        findings.push(Finding::notice(
            key,
            message!(optimizer::without_effect, key, name),
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
                message!(optimizer::sgd_8bit_small_parameters),
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
    let mut refuse = |key: &str, why: Message, fix: serde_json::Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let none = || MasterWeights::None.name().into();
    if !matches!(scenario.precision, Precision::Bf16 | Precision::Fp16) {
        refuse(
            "precision",
            message!(optimizer::master_weights_in_full_precision),
            Precision::Bf16.name().into(),
        );
    }
    if !optimizer.name.has_amsgrad() {
        refuse(
            "optimizer.name",
            message!(optimizer::master_weights_of_others),
            OptimizerName::AdamW.name().into(),
        );
    }
    if scenario.quantization.is_on() {
        refuse(
            "optimizer.master_weights",
            message!(optimizer::master_weights_over_quantized),
            none(),
        );
    }
    let fused = optimizer.implementation == OptimizerImpl::Fused;
    if optimizer.master_weights == MasterWeights::Megatron && fused && optimizer.amsgrad {
        refuse(
            "optimizer.amsgrad",
            message!(optimizer::master_weights_amsgrad),
            false.into(),
        );
    }
    if optimizer.in_backward || scenario.offload.optimizer_states {
        refuse(
            "optimizer.master_weights",
            message!(optimizer::master_weights_step),
            none(),
        );
    }
}

/// A step inside the backward pass sees one gradient, once.
fn check_in_backward(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !scenario.optimizer.in_backward {
        return;
    }
    let mut refuse = |key: &str, why: Message, fix: serde_json::Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    if scenario.gradient_accumulation_steps > 1 {
        refuse(
            "gradient_accumulation_steps",
            message!(optimizer::backward_accumulates),
            1.into(),
        );
    }
    if scenario.clip_grad_norm {
        refuse(
            "clip_grad_norm",
            message!(optimizer::backward_clips),
            false.into(),
        );
    }
    if scenario.precision == Precision::AmpFp16 {
        refuse(
            "precision",
            message!(optimizer::backward_scales),
            Precision::AmpBf16.name().into(),
        );
    }
    if scenario.optimizer.name == OptimizerName::None {
        refuse(
            "optimizer.in_backward",
            message!(optimizer::backward_without),
            false.into(),
        );
    }
}
