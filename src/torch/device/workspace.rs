//! Workspaces that PyTorch allocates for libraries.

/// `cuBLAS` workspace by default on compute capability below 9.0: `:4096:2:16:8` of
/// `CUBLAS_WORKSPACE_CONFIG`, that is 2 x 4096 KiB + 8 x 16 KiB.
///
/// Source: aten/src/ATen/cuda/CublasHandlePool.cpp, `getChosenWorkspaceSize`, PyTorch 2.6 and
/// 2.15. Confidence: measured.
const CUBLAS_WORKSPACE: u64 = 2 * 4096 * 1024 + 8 * 16 * 1024;

/// `cuBLAS` workspace on Hopper, and since PyTorch 2.7 on Blackwell: 4096 x 8 KiB.
///
/// Source and confidence as [`CUBLAS_WORKSPACE`]; Blackwell is read from the source (`use32mb`).
const CUBLAS_WORKSPACE_LARGE: u64 = 4096 * 8 * 1024;

/// `cuBLASLt` workspace of a product with a bias, by default: 1024 KiB on every device.
///
/// Source: aten/src/ATen/cuda/CUDABlas.cpp, `_parseChosenWorkspaceSize`, PyTorch 2.6 and 2.15.
/// Confidence: measured on compute capability 8.0 and 9.0.
pub const CUBLASLT_WORKSPACE: u64 = 1024 * 1024;

/// Bytes of the workspace that a `cuBLAS` handle gets on a device of this compute capability,
/// times ten as in 80 for an A100. Before PyTorch 2.7 only Hopper had the large one.
pub fn cublas_workspace(compute_capability: u32, knows_blackwell: bool) -> u64 {
    let is_large = match compute_capability {
        90 => true,
        newer => newer > 90 && knows_blackwell,
    };
    if is_large {
        CUBLAS_WORKSPACE_LARGE
    } else {
        CUBLAS_WORKSPACE
    }
}

/// Bytes of the workspace that `CUBLAS_WORKSPACE_CONFIG` asks for: pairs of a size in KiB and a number, as in `:4096:8`; none
/// where it says nothing that is understood (`parseChosenWorkspaceSize`, CublasHandlePool.cpp, PyTorch 2.15).
pub fn asked_workspace(config: Option<&str>) -> Option<u64> {
    let mut numbers = config?.split(':').filter(|part| !part.is_empty());
    let mut total: u64 = 0;
    while let Some(size) = numbers.next() {
        let (size, count): (u64, u64) = (size.parse().ok()?, numbers.next()?.parse().ok()?);
        total = total.checked_add(size.checked_mul(count)?.checked_mul(1024)?)?;
    }
    (1..=MOST).contains(&total).then_some(total)
}

/// Beyond this no workspace is asked for: 64 GiB.
const MOST: u64 = 64 << 30;

/// `maxThreadsPerMultiProcessor` by compute capability (CUDA C++ Programming Guide, table of
/// technical specifications).
pub fn threads_per_multiprocessor(compute_capability: u32) -> u64 {
    match compute_capability {
        75 => 1024,
        86 | 87 | 89 | 120 => 1536,
        _ => 2048,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MIB;

    #[test]
    fn hopper_and_with_recent_pytorch_blackwell_have_32_mib() {
        assert_eq!(cublas_workspace(80, true), 8_519_680);
        assert_eq!(cublas_workspace(89, true), 8_519_680);
        assert_eq!(cublas_workspace(90, false), 32 * MIB);
        assert_eq!(cublas_workspace(100, true), 32 * MIB);
        assert_eq!(cublas_workspace(120, true), 32 * MIB);
        assert_eq!(cublas_workspace(120, false), 8_519_680);
    }
}
