//! Workspaces that PyTorch allocates for libraries.

/// `cuBLAS` workspace by default on compute capability below 9.0: `:4096:2:16:8` of
/// `CUBLAS_WORKSPACE_CONFIG`, that is 2 x 4096 KiB + 8 x 16 KiB.
///
/// Source: aten/src/ATen/cuda/CublasHandlePool.cpp, `getChosenWorkspaceSize`, PyTorch 2.6 and
/// 2.15. Confidence: measured.
const CUBLAS_WORKSPACE: u64 = 2 * 4096 * 1024 + 8 * 16 * 1024;

/// `cuBLAS` workspace on compute capability 9.0 and above: 4096 x 8 KiB.
///
/// Source and confidence as [`CUBLAS_WORKSPACE`].
const CUBLAS_WORKSPACE_SM90: u64 = 4096 * 8 * 1024;

/// `cuBLASLt` workspace of a product with a bias, by default: 1024 KiB on every device.
///
/// Source: aten/src/ATen/cuda/CUDABlas.cpp, `_parseChosenWorkspaceSize`, PyTorch 2.6 and 2.15.
/// Confidence: measured on compute capability 8.0 and 9.0.
pub const CUBLASLT_WORKSPACE: u64 = 1024 * 1024;

/// Bytes of the workspace that a `cuBLAS` handle gets on a device of this compute capability,
/// times ten as in 80 for an A100.
pub fn cublas_workspace(compute_capability: u32) -> u64 {
    if compute_capability >= 90 {
        CUBLAS_WORKSPACE_SM90
    } else {
        CUBLAS_WORKSPACE
    }
}
