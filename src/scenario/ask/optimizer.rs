//! Settings of optimizers.

use super::omitted::{is_false, is_zero};
use crate::units::names;
use serde::{Deserialize, Serialize};

names! {
    /// The optimizers.
    OptimizerName {
        /// `torch.optim.AdamW`.
        AdamW = "adamw",
        /// `torch.optim.Adam`.
        Adam = "adam",
        /// `torch.optim.SGD`.
        Sgd = "sgd",
        /// `torch.optim.Adafactor`.
        Adafactor = "adafactor",
        /// `transformers.optimization.Adafactor`.
        AdafactorTransformers = "adafactor_transformers",
        /// `torch.optim.RMSprop`.
        RmsProp = "rmsprop",
        /// `torch.optim.Adagrad`.
        Adagrad = "adagrad",
        /// `torch.optim.Adadelta`.
        Adadelta = "adadelta",
        /// `torch.optim.Adamax`.
        Adamax = "adamax",
        /// `torch.optim.NAdam`.
        NAdam = "nadam",
        /// `lion_pytorch.Lion`.
        Lion = "lion",
        /// `torch.optim.Muon` over hidden matrices, `torch.optim.AdamW` over the rest.
        Muon = "muon",
        /// `bitsandbytes.optim.AdamW8bit`.
        AdamW8bit = "adamw_8bit",
        /// `bitsandbytes.optim.PagedAdamW8bit`.
        PagedAdamW8bit = "paged_adamw_8bit",
        /// `bitsandbytes.optim.PagedAdamW32bit`.
        PagedAdamW32bit = "paged_adamw_32bit",
        /// `bitsandbytes.optim.AdamW32bit`.
        AdamW32bitBitsAndBytes = "adamw_32bit_bitsandbytes",
        /// `bitsandbytes.optim.Lion8bit`.
        Lion8bit = "lion_8bit",
        /// `bitsandbytes.optim.SGD8bit`.
        Sgd8bit = "sgd_8bit",
        /// `torchao.optim.AdamW8bit`.
        TorchAo8bit = "torchao_adamw_8bit",
        /// `torchao.optim.AdamW4bit`.
        TorchAo4bit = "torchao_adamw_4bit",
        /// `torchao.optim.AdamWFp8`.
        TorchAoFp8 = "torchao_adamw_fp8",
        /// `adam_mini.Adam_mini`.
        AdamMini = "adam_mini",
        /// `apollo_torch.APOLLOAdamW`, scaled by columns.
        Apollo = "apollo_adamw",
        /// APOLLO in one rank, scaled as a whole.
        ApolloMini = "apollo_mini",
        /// `lomo_optim.Lomo`.
        Lomo = "lomo",
        /// `lomo_optim.AdaLomo`.
        AdaLomo = "adalomo",
        /// `schedulefree.AdamWScheduleFree`.
        ScheduleFreeAdamW = "schedule_free_adamw",
        /// `schedulefree.SGDScheduleFree`.
        ScheduleFreeSgd = "schedule_free_sgd",
        /// No optimizer: gradients only.
        None = "none",
    }
}

names! {
    /// How an optimizer's step is implemented.
    OptimizerImpl {
        /// Multi-tensor, PyTorch's default on CUDA.
        Foreach = "foreach",
        /// One fused kernel.
        Fused = "fused",
        /// One parameter after the other.
        ForLoop = "for_loop",
        /// The loop, compiled by `torch.compile`.
        Compiled = "compiled",
        /// There is no optimizer.
        None = "none",
    }
}

names! {
    /// Who keeps full-precision copies of weights in half precision.
    MasterWeights {
        /// Nobody: the optimizer works on the weights as they are.
        None = "none",
        /// DeepSpeed's engine without `ZeRO`.
        DeepSpeed = "deepspeed",
        /// Megatron-Core's optimizer, which is not distributed, with gradients in fp32.
        Megatron = "megatron",
    }
}

/// An optimizer and its options.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Optimizer {
    /// The optimizer.
    pub name: OptimizerName,
    /// The implementation of the step.
    #[serde(rename = "impl")]
    pub implementation: OptimizerImpl,
    /// SGD's momentum; 0 means none.
    #[serde(skip_serializing_if = "is_zero")]
    pub momentum: f64,
    /// Adam's third state.
    #[serde(skip_serializing_if = "is_false")]
    pub amsgrad: bool,
    /// L2 weight decay, which adds to the gradients (`AdamW` decays without needing memory).
    #[serde(skip_serializing_if = "is_false")]
    pub weight_decay: bool,
    /// transformers' Adafactor: learning rate from the step and the parameter's scale.
    #[serde(skip_serializing_if = "is_false")]
    pub relative_step: bool,
    /// APOLLO's rank; 128 when absent, of its mini form 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u64>,
    /// Whether torchao's write weights in bfloat16 with random rounding.
    #[serde(skip_serializing_if = "is_false")]
    pub bf16_stochastic_round: bool,
    /// Whether transformers' `Trainer` makes it: of parameters with weight decay and of those without as two groups, with
    /// embeddings' states in 32 bits beside bitsandbytes' 8-bit optimizers, in blocks of 256 beside torchao's 4-bit one.
    #[serde(skip_serializing_if = "is_false")]
    pub by_trainer: bool,
    /// Whether each parameter has an optimizer of its own that steps as soon as backward has its
    /// gradient, which is then dropped (`register_post_accumulate_grad_hook`).
    #[serde(skip_serializing_if = "is_false")]
    pub in_backward: bool,
    /// Full-precision copies of weights in half precision that it steps over.
    pub master_weights: MasterWeights,
}

impl Default for Optimizer {
    fn default() -> Self {
        Self {
            name: OptimizerName::AdamW,
            implementation: OptimizerImpl::Foreach,
            momentum: 0.0,
            amsgrad: false,
            weight_decay: false,
            relative_step: false,
            rank: None,
            bf16_stochastic_round: false,
            by_trainer: false,
            in_backward: false,
            master_weights: MasterWeights::None,
        }
    }
}

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

    /// Whether parameters in two groups, or those of embeddings, make a difference to it.
    pub const fn has_groups(self) -> bool {
        !self.fuses_backward() && !matches!(self, Self::None)
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

/// How Adam-mini divides a parameter into blocks, each with a second moment (`adam_mini/adam_mini.py`, adam-mini 1.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdamMiniBlocks {
    /// Each element by itself.
    Elements,
    /// As heads, each of as many elements.
    Heads,
    /// As rows of a matrix.
    Rows,
    /// As one.
    Whole,
}

impl AdamMiniBlocks {
    /// By what the name of a parameter, or of its module, holds, in this order.
    pub fn of(name: &str) -> Self {
        const HEADS: [&str; 6] = ["k_proj", "q_proj", "wq", "wk", "query", "key"];
        const ROWS: [&str; 15] = [
            "embed",
            "embd",
            "wte",
            "lm_head",
            "output",
            "final_layer",
            "wv",
            "v_proj",
            "value",
            "mlp",
            "linear",
            "feed_forward",
            "wo",
            "o_proj",
            "attn.proj",
        ];
        let name = name.to_lowercase();
        let holds = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if name.contains("bias") {
            Self::Elements
        } else if holds(&HEADS) {
            Self::Heads
        } else if holds(&ROWS) {
            Self::Rows
        } else {
            Self::Whole
        }
    }
}
