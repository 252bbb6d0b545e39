//! Other tools' formulas in words.

use super::{ByteUnits, Language, Term, amount};
use crate::report::{Method, Other, Quantity, Reason};

/// The formula's name.
pub fn method_name(method: Method, language: Language) -> &'static str {
    match (method, language) {
        (Method::RuleOfThumb, Language::English) => "Rule of thumb (Hugging Face blog)",
        (Method::RuleOfThumb, Language::Chinese) => "经验法则（Hugging Face 博客）",
        (Method::Accelerate, _) => "accelerate estimate-memory",
        (Method::Korthikanti, Language::English) => "Korthikanti et al. 2022",
        (Method::Korthikanti, Language::Chinese) => "Korthikanti 等，2022",
        (Method::Megatron, _) => "Megatron-LM",
        (Method::DeepSpeed, _) => "DeepSpeed ZeRO-2",
    }
}

/// The publication of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name for people.
    pub name: &'static str,
    /// The address of its text or code.
    pub address: &'static str,
}

/// The publication of a formula.
pub const fn method_source(method: Method) -> Source {
    let (name, address) = match method {
        Method::RuleOfThumb => (
            "huggingface.co/blog/train_memory",
            "https://huggingface.co/blog/train_memory",
        ),
        Method::Accelerate => (
            "accelerate, commands/estimate.py",
            "https://github.com/huggingface/accelerate/blob/main/src/accelerate/commands/estimate.py",
        ),
        Method::Korthikanti => (
            "arxiv.org/abs/2205.05198",
            "https://arxiv.org/abs/2205.05198",
        ),
        Method::Megatron => (
            "Megatron-LM, theoretical_memory_usage.py",
            "https://github.com/NVIDIA/Megatron-LM/blob/main/megatron/training/theoretical_memory_usage.py",
        ),
        Method::DeepSpeed => (
            "DeepSpeed, zero/stage_1_and_2.py",
            "https://github.com/deepspeedai/DeepSpeed/blob/master/deepspeed/runtime/zero/stage_1_and_2.py",
        ),
    };
    Source { name, address }
}

impl Term for Quantity {
    fn term(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Total, Language::English) => "peak allocated",
            (Self::Total, Language::Chinese) => "已分配峰值",
            (Self::ModelStates, Language::English) => "model states",
            (Self::ModelStates, Language::Chinese) => "模型状态",
            (Self::Activations, Language::English) => "activations",
            (Self::Activations, Language::Chinese) => "激活值",
        }
    }
}

fn reason(reason: Reason, language: Language) -> &'static str {
    match (reason, language) {
        (Reason::NoActivations, Language::English) => "no activations and no logits in it",
        (Reason::NoActivations, Language::Chinese) => "不含激活值和 logits",
        (Reason::Regression, Language::English) => {
            "activations from a regression over the number of parameters, in which bytes in fp32 are taken for elements, whatever attention and checkpointing are"
        }
        (Reason::Regression, Language::Chinese) => {
            "激活值来自对参数量的回归（把 fp32 的字节当作元素个数），不考虑注意力实现和重计算"
        }
        (Reason::MasterWeights, Language::English) => {
            "fp16 training with fp32 master weights and gradients, 18 to 20 bytes a parameter"
        }
        (Reason::MasterWeights, Language::Chinese) => {
            "按 fp16 训练加 fp32 主权重和梯度计，每个参数 18 至 20 字节"
        }
        (Reason::GptLayer, Language::English) => {
            "layers as GPT's in 16 bits: feed-forward of four times the hidden size, GELU, dropout"
        }
        (Reason::GptLayer, Language::Chinese) => {
            "按 16 位的 GPT 层计：前馈为隐藏维度的四倍，含 GELU 和 dropout"
        }
        (Reason::NoLogits, Language::English) => "logits and the loss are left out",
        (Reason::NoLogits, Language::Chinese) => "不含 logits 和损失",
        (Reason::NoCheckpointing, Language::English) => "activation checkpointing is left out",
        (Reason::NoCheckpointing, Language::Chinese) => "未考虑激活重计算",
        (Reason::AssumesAdam, Language::English) => "Adam's two states are taken for granted",
        (Reason::AssumesAdam, Language::Chinese) => "默认使用 Adam 的两个状态",
        (Reason::AllTrained, Language::English) => "all parameters are taken as trained",
        (Reason::AllTrained, Language::Chinese) => "默认训练全部参数",
    }
}

/// The formula's quantity with its bytes, and the simulation's.
pub fn other_figures(other: &Other, units: ByteUnits, language: Language) -> String {
    let quantity = other.quantity.term(language);
    let (says, here) = (amount(other.says, units), amount(other.here, units));
    match language {
        Language::English => format!("{quantity}: {says}; here {here}"),
        Language::Chinese => format!("{quantity}：{says}；本工具 {here}"),
    }
}

/// Why they differ.
pub fn other_reasons(other: &Other, language: Language) -> String {
    let reasons = other.reasons.iter().map(|&r| reason(r, language));
    let reasons: Vec<&str> = reasons.collect();
    match language {
        Language::English => format!("{}.", reasons.join("; ")),
        Language::Chinese => format!("{}。", reasons.join("；")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_said_in_both_languages() {
        for &one in Reason::ALL {
            assert!(reason(one, Language::English).is_ascii());
            assert!(!reason(one, Language::Chinese).is_ascii());
        }
        for &method in Method::ALL {
            let Source { name, address } = method_source(method);
            assert!(!name.is_empty() && address.starts_with("https://"));
            for language in [Language::English, Language::Chinese] {
                assert!(!method_name(method, language).is_empty());
            }
        }
    }
}
