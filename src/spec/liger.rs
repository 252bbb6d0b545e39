//! Liger kernels: which replace what, and for which models.

use super::{Architecture, DecoderType, Finding, ImageConfig, Loss, Scenario, closest};
use crate::units::names;

names! {
    /// The kernels, named as the arguments of `apply_liger_kernel_to_*` are.
    LigerKernel {
        /// All that the model has, as `apply_liger_kernel_to_*` without arguments.
        All = "all",
        /// Rotary embeddings, in place.
        Rope = "rope",
        /// RMS norms that keep their input only.
        RmsNorm = "rms_norm",
        /// The gated product of `SiLU`.
        Swiglu = "swiglu",
        /// The gated product of `GELU`.
        Geglu = "geglu",
        /// A loss whose gradient takes the place of the logits.
        CrossEntropy = "cross_entropy",
        /// A loss that computes logits piece by piece.
        FusedLinearCrossEntropy = "fused_linear_cross_entropy",
    }
}

/// The kernels that a run uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a kernel by itself")]
pub struct LigerKernels {
    /// Rotary embeddings.
    pub rope: bool,
    /// RMS norms.
    pub rms_norm: bool,
    /// Gated products.
    pub gated: bool,
    /// The loss from logits.
    pub cross_entropy: bool,
    /// The loss from hidden states.
    pub fused_linear_cross_entropy: bool,
}

/// The kernels of a scenario, as far as they exist for the model.
pub(super) fn resolve(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) -> LigerKernels {
    let asked = &scenario.liger_kernel;
    if asked.is_empty() {
        return LigerKernels::default();
    }
    let Some(glu) = gated_product(architecture) else {
        let packed = architecture.images().and_then(ImageConfig::packed);
        // `model/output_classes.py`, liger-kernel 0.8.5, reads a class that is no more.
        let (english, chinese) = match packed {
            Some(_) => (
                "Liger 0.8.5 fails on Qwen-VL of transformers 5.23, whose classes it imports by former names.",
                "Liger 0.8.5 以旧名称导入 Qwen-VL 的类，在 transformers 5.23 上会报错。",
            ),
            None => (
                "Liger has no kernels for this model, or they are not estimated yet.",
                "Liger 没有适用于该模型的内核，或尚未支持估算。",
            ),
        };
        findings.push(
            Finding::error("liger_kernel", english, chinese)
                .with_fix("liger_kernel", serde_json::json!([])),
        );
        return LigerKernels::default();
    };
    let mut kernels = LigerKernels::default();
    for name in asked {
        match LigerKernel::from_name(name) {
            Some(LigerKernel::All) => {
                kernels = LigerKernels {
                    rope: true,
                    rms_norm: true,
                    gated: true,
                    cross_entropy: kernels.cross_entropy,
                    fused_linear_cross_entropy: true,
                }
            }
            Some(LigerKernel::Rope) => kernels.rope = true,
            Some(LigerKernel::RmsNorm) => kernels.rms_norm = true,
            Some(kernel @ (LigerKernel::Swiglu | LigerKernel::Geglu)) => {
                kernels.gated |= kernel == glu;
                if kernel != glu {
                    findings.push(without_effect(asked, kernel));
                }
            }
            Some(LigerKernel::CrossEntropy) => kernels.cross_entropy = true,
            Some(LigerKernel::FusedLinearCrossEntropy) => {
                kernels.fused_linear_cross_entropy = true;
            }
            None => findings.push(unknown(asked, name)),
        }
    }
    check_loss(scenario, &mut kernels, findings);
    kernels
}

/// The gated product of a model that Liger knows.
pub(super) fn gated_product(architecture: &Architecture) -> Option<LigerKernel> {
    let Architecture::Decoder(config) = architecture else {
        return None;
    };
    match config.model_type {
        _ if config.images.is_some() => None,
        DecoderType::Llama
        | DecoderType::Mistral
        | DecoderType::Qwen2
        | DecoderType::Qwen3
        | DecoderType::Olmo2
        | DecoderType::Phi3 => Some(LigerKernel::Swiglu),
        DecoderType::Gemma | DecoderType::Gemma2 | DecoderType::Gemma3 => Some(LigerKernel::Geglu),
        _ => None,
    }
}

fn without(asked: &[String], name: &str) -> serde_json::Value {
    let rest: Vec<&String> = asked.iter().filter(|other| *other != name).collect();
    serde_json::json!(rest)
}

fn without_effect(asked: &[String], kernel: LigerKernel) -> Finding {
    let name = kernel.name();
    Finding::notice(
        "liger_kernel",
        format!("The Liger kernel {name} has no effect: the model has no such product."),
        format!("Liger 内核 {name} 不起作用：该模型没有这种运算。"),
    )
    .with_fix("liger_kernel", without(asked, name))
}

fn unknown(asked: &[String], name: &str) -> Finding {
    let shown: String = name.chars().take(40).collect();
    let all: Vec<&str> = LigerKernel::ALL
        .iter()
        .map(|kernel| kernel.name())
        .collect();
    let near = closest(name, all.iter().copied());
    let fixed: Vec<&str> = asked
        .iter()
        .filter_map(|other| if other == name { near } else { Some(other) })
        .collect();
    let all = all.join(", ");
    Finding::error(
        "liger_kernel",
        format!("There is no Liger kernel {shown:?}; there are {all}."),
        format!("没有名为 {shown:?} 的 Liger 内核；可选：{all}。"),
    )
    .with_fix("liger_kernel", serde_json::json!(fixed))
}

fn check_loss(scenario: &Scenario, kernels: &mut LigerKernels, findings: &mut Vec<Finding>) {
    let name = LigerKernel::CrossEntropy.name();
    if kernels.cross_entropy && kernels.fused_linear_cross_entropy {
        findings.push(
            Finding::error(
                "liger_kernel",
                "Liger's cross_entropy and fused_linear_cross_entropy exclude each other.",
                "Liger 的 cross_entropy 与 fused_linear_cross_entropy 互斥。",
            )
            .with_fix("liger_kernel", without(&scenario.liger_kernel, name)),
        );
    }
    let loss = kernels.cross_entropy || kernels.fused_linear_cross_entropy;
    if loss && scenario.loss != Loss::Labels {
        findings.push(Finding::notice(
            "liger_kernel",
            "Liger's losses have no effect: the model does not compute the loss from labels.",
            "Liger 的损失内核不起作用：损失不是由模型按标签计算。",
        ));
        kernels.cross_entropy = false;
        kernels.fused_linear_cross_entropy = false;
    }
}
