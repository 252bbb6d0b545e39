//! Checks of the optimizer: implementations that exist and options that it has.

use super::{Finding, Optimizer, OptimizerImpl, OptimizerName};

impl OptimizerName {
    /// The implementations of its step on CUDA, the default first (torch 2.15,
    /// `torch/optim/*.py`; transformers 5.23, `optimization.py`).
    pub const fn implementations(self) -> &'static [OptimizerImpl] {
        use OptimizerImpl::{ForLoop, Foreach, Fused, None};
        match self {
            Self::AdamW | Self::Adam | Self::Sgd => &[Foreach, Fused, ForLoop],
            Self::Adafactor
            | Self::RmsProp
            | Self::Adagrad
            | Self::Adadelta
            | Self::Adamax
            | Self::NAdam => &[Foreach, ForLoop],
            Self::AdafactorTransformers => &[ForLoop],
            Self::None => &[None],
        }
    }

    /// Whether it has momentum as an option.
    pub const fn has_momentum(self) -> bool {
        matches!(self, Self::Sgd | Self::RmsProp)
    }

    /// Whether it has amsgrad as an option.
    pub const fn has_amsgrad(self) -> bool {
        matches!(self, Self::AdamW | Self::Adam)
    }
}

/// Checks an optimizer.
pub(super) fn check(optimizer: &Optimizer, findings: &mut Vec<Finding>) {
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
