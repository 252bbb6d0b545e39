//! Options that are not estimated themselves, but by something close to them. When the engine learns one of these,
//! its entry here goes.

use crate::ask::{Attention, DataParallelKind, Finding, Precision, Scenario, SdpaBackend, message};
use crate::model::{Architecture, DeviceFacts};

/// The compute capability of the GPUs whose choice of attention kernels the engine follows, and
/// the least that `FlashAttention` needs.
const AMPERE: u32 = 80;

/// Warns of settings that are estimated like another one close to them.
pub(crate) fn check_closeness(
    scenario: &Scenario,
    architecture: &Architecture,
    device: &DeviceFacts,
    findings: &mut Vec<Finding>,
) {
    let hardware = &scenario.hardware;
    let parallelism = scenario.parallelism;
    let mesh = parallelism.mesh(hardware);
    if parallelism.dp.kind == DataParallelKind::None && mesh.dp > 1 {
        findings.push(Finding::warning(
            "hardware.gpus_per_node",
            message!(closeness::several_gpus),
        ));
    }
    if !scenario.host.cuda {
        findings.push(Finding::notice(
            "host.cuda",
            message!(closeness::without_cuda),
        ));
    }
    if scenario.precision == Precision::Fp16 {
        findings.push(
            Finding::notice("precision", message!(closeness::no_scaler))
                .with_fix("precision", Precision::AmpFp16.name()),
        );
    }
    if matches!(
        architecture,
        Architecture::Linear(_) | Architecture::Exported(_)
    ) {
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
            message!(closeness::before_ampere),
        ));
    }
}
