//! Decisions of the GPU and of the framework's version about operations.

use crate::ask::{Framework, LigerVersion};
use crate::device::{
    CUBLASLT_WORKSPACE, asked_workspace, cublas_workspace, threads_per_multiprocessor,
};
use crate::model::ResolvedSpec;
use crate::tape::{Backend, FlaVersion, LigerRelease};

/// The facts that the tape asks for.
pub fn backend(spec: &ResolvedSpec) -> Backend {
    let newest = spec.framework == Framework::Torch215Transformers523;
    let recent = spec.framework.has_transformers_5();
    Backend {
        gemm_workspace: asked_workspace(spec.scenario.cublas_workspace_config.as_deref())
            .unwrap_or_else(|| cublas_workspace(spec.device.compute_capability, recent)),
        gemm_bias_workspace: CUBLASLT_WORKSPACE,
        gemm_workspace_persistent: !newest,
        gemm_bias_workspace_persistent: spec.framework == Framework::Torch211Transformers523,
        bias_may_be_matrix: newest,
        multiprocessors: spec.device.multiprocessors,
        threads_per_multiprocessor: threads_per_multiprocessor(spec.device.compute_capability),
        sorts_by_needed_bits: recent,
        sampling_is_recent: recent,
        sdpa_broadcasts_heads: newest,
        flash_keeps_generator: recent,
        efficient_keeps_generator: newest,
        foreach_norm_packs_chunks: newest,
        functions_release_gradients: recent,
        kept_casts_get_gradients: recent,
        grouped_mm_waits: !matches!(spec.device.compute_capability / 10, 9 | 10),
        rms_norm_is_fused: recent,
        liger: match spec.scenario.liger_version {
            _ if !recent => LigerRelease::V0510,
            Some(LigerVersion::V081) => LigerRelease::V081,
            None => LigerRelease::V085,
        },
        fla: if recent {
            FlaVersion::V060
        } else {
            FlaVersion::V022
        },
    }
}
