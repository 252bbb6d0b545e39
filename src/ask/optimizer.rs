//! What can be asked of optimizers.

use super::scenario::{Optimizer, OptimizerImpl, OptimizerName};

impl OptimizerName {
    /// The implementations of its step on CUDA, the default first (torch 2.15,
    /// `torch/optim/*.py`; transformers 5.23, `optimization.py`).
    pub const fn implementations(self) -> &'static [OptimizerImpl] {
        use OptimizerImpl::{Compiled, ForLoop, Foreach, Fused, None};
        match self {
            Self::AdamW | Self::Adam | Self::Sgd | Self::Adagrad => &[Foreach, Fused, ForLoop],
            Self::Adafactor | Self::RmsProp | Self::Adadelta | Self::Adamax | Self::NAdam => {
                &[Foreach, ForLoop]
            }
            Self::ScheduleFreeAdamW | Self::ScheduleFreeSgd => &[Foreach, ForLoop],
            Self::TorchAo8bit | Self::TorchAo4bit | Self::TorchAoFp8 => &[Compiled],
            Self::AdafactorTransformers
            | Self::Lion
            | Self::Muon
            | Self::AdamMini
            | Self::Apollo
            | Self::ApolloMini
            | Self::Lomo
            | Self::AdaLomo => &[ForLoop],
            Self::AdamW8bit
            | Self::PagedAdamW8bit
            | Self::PagedAdamW32bit
            | Self::AdamW32bitBitsAndBytes
            | Self::Lion8bit
            | Self::Sgd8bit => &[Fused],
            Self::None => &[None],
        }
    }

    /// Whether it is torchao's.
    pub const fn is_of_torchao(self) -> bool {
        matches!(
            self,
            Self::TorchAo8bit | Self::TorchAo4bit | Self::TorchAoFp8
        )
    }

    /// Whether it works in a low rank.
    pub const fn has_rank(self) -> bool {
        matches!(self, Self::Apollo | Self::ApolloMini)
    }

    /// Whether it applies gradients within backward, by itself.
    pub const fn fuses_backward(self) -> bool {
        matches!(self, Self::Lomo | Self::AdaLomo)
    }

    /// Whether it is of a library beside PyTorch, transformers and bitsandbytes that is estimated on one GPU.
    pub const fn is_of_others(self) -> bool {
        self.is_of_torchao()
            || self.has_rank()
            || self.fuses_backward()
            || matches!(
                self,
                Self::AdamMini | Self::ScheduleFreeAdamW | Self::ScheduleFreeSgd
            )
    }

    /// Whether it has momentum as an option.
    pub const fn has_momentum(self) -> bool {
        matches!(self, Self::Sgd | Self::RmsProp | Self::Sgd8bit)
    }

    /// Whether it has amsgrad as an option.
    pub const fn has_amsgrad(self) -> bool {
        matches!(self, Self::AdamW | Self::Adam)
    }
}

impl Optimizer {
    /// Tensors of a parameter's size that Adam and SGD keep for it (torch 2.15,
    /// `torch/optim/{adam,sgd}.py`).
    pub fn moments(&self) -> u64 {
        match self.name {
            OptimizerName::AdamW | OptimizerName::Adam => 2 + u64::from(self.amsgrad),
            OptimizerName::Sgd => u64::from(self.momentum != 0.0),
            _ => 0,
        }
    }
}
