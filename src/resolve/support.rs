//! What is not estimated itself, but something close to it. When the engine learns one of these,
//! its entry here goes.

use crate::ask::{Attention, Finding, Precision, Scenario, SdpaBackend};
use crate::model::{Architecture, DeviceFacts};

/// The compute capability of the GPUs whose choice of attention kernels the engine follows, and
/// the least that `FlashAttention` needs.
const AMPERE: u32 = 80;

/// Warns of what is estimated like something close to it.
pub(crate) fn check_closeness(
    scenario: &Scenario,
    architecture: &Architecture,
    device: &DeviceFacts,
    findings: &mut Vec<Finding>,
) {
    let hardware = &scenario.hardware;
    if hardware.gpus_per_node > 1 || hardware.nodes > 1 {
        findings.push(Finding::warning(
            "hardware.gpus_per_node",
            "Each GPU is estimated as a copy of its own; of what data parallelism adds, \
             NCCL's own memory is counted as it is at the median of published measurements, gradient \
             buckets are not counted yet.",
            "每块 GPU 按独立副本估算；数据并行额外占用的显存中，NCCL 自身占用按公开实测值的中位数计入，梯度桶尚未计入。",
        ));
    }
    if !scenario.host.cuda {
        findings.push(Finding::notice(
            "host.cuda",
            "Without CUDA it trains on the CPU: the tensors of the GPU's side are counted in host RAM, and no GPU memory is needed. PyTorch's own choice of optimizer step there is for_loop.",
            "未使用 CUDA 时在 CPU 上训练：GPU 一侧的张量计入主机内存，不占用显存。此时 PyTorch 默认使用 for_loop 优化器实现。",
        ));
    }
    if scenario.precision == Precision::Fp16 {
        findings.push(
            Finding::notice(
                "precision",
                "Pure fp16 trains without a gradient scaler, which refuses fp16 gradients; amp_fp16 has one.",
                "纯 fp16 训练无法使用梯度缩放（GradScaler 不接受 fp16 梯度）；amp_fp16 可以。",
            )
            .with_fix("precision", Precision::AmpFp16.name()),
        );
    }
    if matches!(architecture, Architecture::Linear(_)) {
        return;
    }
    let chosen = scenario.sdpa_backend != Some(SdpaBackend::Math);
    if device.compute_capability < AMPERE
        && scenario.attention == Attention::Sdpa
        && scenario.precision != Precision::Fp32
        && chosen
    {
        findings.push(Finding::warning(
            "hardware.gpu",
            "Before Ampere sdpa takes other kernels in 16-bit precisions; attention is estimated \
             with those of newer GPUs, which may be too little.",
            "Ampere 之前的 GPU 在 16 位精度下使用其他 sdpa 内核；此处按较新 GPU 的内核估算，可能偏低。",
        ));
    }
}
