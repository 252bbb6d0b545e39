//! Checks of the optimizer: implementations that exist and options that it has.

use super::Modules;
use crate::ask::{
    AdamMiniBlocks, DataParallelKind, Finding, Framework, MasterWeights, Message, OptimizerImpl,
    OptimizerName, Precision, Scenario, WIDTH, check_range, message,
};
use crate::model::{Architecture, Module};
use crate::units::{DType, Shape};

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
    check_others(scenario, findings);
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
    if optimizer.rank.is_some() && !optimizer.name.has_rank() {
        no_effect("optimizer.rank");
    }
    if optimizer.bf16_stochastic_round && !optimizer.name.is_of_torchao() {
        no_effect("optimizer.bf16_stochastic_round");
    }
    if optimizer.relative_step && optimizer.name != OptimizerName::AdafactorTransformers {
        no_effect("optimizer.relative_step");
    }
}

/// Optimizers of libraries beside PyTorch: where they are estimated, and what excludes a step within backward.
fn check_others(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let optimizer = &scenario.optimizer;
    let name = optimizer.name;
    if let Some(rank) = optimizer.rank {
        check_range("optimizer.rank", rank, &WIDTH, findings);
    }
    if !name.is_of_others() {
        return;
    }
    let adamw = || OptimizerName::AdamW.name().into();
    let parallelism = &scenario.parallelism;
    let fuses = name.fuses_backward();
    let dp = parallelism.dp.kind;
    let parts = dp == DataParallelKind::Fsdp2 && name.is_of_torchao();
    if parts {
        let why = message!(optimizer::torchao_parts, name = name.name());
        let finding = Finding::warning("optimizer.name", why);
        findings.push(finding.with_fix("optimizer.name", OptimizerName::AdamW.name()));
    }
    let mut refuse = |key: &str, why: Message, fix: serde_json::Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let alone = dp == DataParallelKind::None || dp == DataParallelKind::Ddp && !fuses;
    let sizes = [
        parallelism.tp.size,
        parallelism.pp.size,
        if parts { 1 } else { parallelism.cp.size },
        parallelism.ep.size,
    ];
    if !(alone || parts) || sizes.into_iter().any(|size| size > 1) {
        let name = name.name();
        refuse("optimizer.name", message!(optimizer::alone, name), adamw());
    }
    if scenario.framework != Framework::default() {
        let framework = Framework::default().name();
        let name = name.name();
        let why = message!(optimizer::recent, name, framework);
        refuse("framework", why, framework.into());
    }
    if optimizer.in_backward {
        let name = name.name();
        let why = message!(optimizer::backward_by_itself, name);
        refuse("optimizer.in_backward", why, false.into());
    }
    if !fuses {
        return;
    }
    if scenario.gradient_accumulation_steps > 1 {
        let why = message!(optimizer::backward_accumulates);
        refuse("gradient_accumulation_steps", why, 1.into());
    }
    if scenario.clip_grad_norm {
        let why = message!(optimizer::backward_clips);
        refuse("clip_grad_norm", why, false.into());
    }
    if scenario.precision == Precision::AmpFp16 {
        let why = message!(optimizer::backward_scales);
        refuse("precision", why, Precision::AmpBf16.name().into());
    }
    let partly = scenario.lora.is_some() || !scenario.frozen.is_empty();
    if partly && name == OptimizerName::AdaLomo {
        refuse(
            "optimizer.name",
            message!(optimizer::adalomo_whole),
            adamw(),
        );
    }
}

/// Adam-mini views queries and keys as heads of `hidden_size * hidden_size / heads` elements, which fails for
/// others; it is estimated for decoders.
pub(crate) fn check_heads(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    if scenario.optimizer.name != OptimizerName::AdamMini {
        return;
    }
    let fits = matches!(architecture, Architecture::Decoder(config) if {
        let hidden = config.hidden_size;
        let head = hidden * hidden / config.num_attention_heads.max(1);
        let heads = [config.num_attention_heads, config.num_key_value_heads];
        heads.into_iter().all(|n| n.saturating_mul(config.head_dim).saturating_mul(hidden).is_multiple_of(head.max(1)))
    });
    let why = if scenario.lora.is_some() {
        message!(optimizer::adam_mini_whole)
    } else if fits {
        return;
    } else {
        message!(optimizer::adam_mini_heads)
    };
    findings.push(
        Finding::error("optimizer.name", why)
            .with_fix("optimizer.name", OptimizerName::AdamW.name()),
    );
}

/// Refuses optimizers that fail over the shape of a parameter: Adam-mini where what it takes for queries and keys by their names has
/// no whole number of heads, or what it takes for a matrix is none; `AdaLOMO` where a parameter has more than two dimensions.
pub(crate) fn check_shapes(
    scenario: &Scenario,
    architecture: &Architecture,
    modules: &Modules<'_>,
    findings: &mut Vec<Finding>,
) {
    let name = scenario.optimizer.name;
    if !matches!(name, OptimizerName::AdaLomo | OptimizerName::AdamMini) || scenario.lora.is_some()
    {
        return;
    }
    if let Some(path) = fails_over(scenario, architecture, modules) {
        let why = message!(optimizer::fails_over, name = name.name(), path);
        findings.push(
            Finding::error("optimizer.name", why)
                .with_fix("optimizer.name", OptimizerName::AdamW.name()),
        );
    }
}

/// The first parameter over whose shape the optimizer fails.
fn fails_over(
    scenario: &Scenario,
    architecture: &Architecture,
    modules: &Modules<'_>,
) -> Option<String> {
    let head = match architecture {
        Architecture::Decoder(config) => {
            config.hidden_size * config.hidden_size / config.num_attention_heads.max(1)
        }
        _ => 1,
    };
    let fails = |path: &str, shape: &Shape| match scenario.optimizer.name {
        OptimizerName::AdaLomo => shape.rank() > 2,
        OptimizerName::AdamMini => match AdamMiniBlocks::of(path) {
            AdamMiniBlocks::Heads => !shape.numel().is_multiple_of(head.max(1)),
            AdamMiniBlocks::Rows => shape.rank() != 2,
            AdamMiniBlocks::Elements | AdamMiniBlocks::Whole => false,
        },
        _ => false,
    };
    let is_frozen = |path: &str| scenario.frozen.iter().any(|part| path.contains(part));
    modules.iter().find_map(|module| {
        let mut parameters = module.parameters.iter().zip(module.parameter_paths());
        parameters
            .find_map(|(own, path)| (!is_frozen(&path) && fails(&path, &own.shape)).then_some(path))
    })
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
