//! Failures beside the caching allocator: libraries that allocate by themselves, and a word alone.

use super::facts::Facts;
use super::kind::Kind;
use super::plain::Span;
use super::size::leading;

/// The place of NCCL's memory.
const OUTSIDE: &str = "gpu, outside the caching allocator";

/// Words of libraries that could not allocate, in lower case.
const WORDS: &[(&str, Kind)] = &[
    ("cublas_status_alloc_failed", Kind::Cublas),
    // A handle that cannot be made is a workspace that cannot be allocated.
    ("cublas_status_not_initialized", Kind::Cublas),
    ("hipblas_status_alloc_failed", Kind::Cublas),
    ("rocblas_status_memory_error", Kind::Cublas),
    ("cudnn_status_alloc_failed", Kind::Cudnn),
    ("cudnn_status_not_initialized", Kind::Cudnn),
    ("cudnn_status_internal_error", Kind::Cudnn),
    ("unable to find a valid cudnn algorithm", Kind::Cudnn),
    ("unable to find an engine to execute", Kind::Cudnn),
    ("miopenstatusallocfailed", Kind::Cudnn),
    ("cusolver_status_alloc_failed", Kind::Cusolver),
    ("cusolver_status_internal_error", Kind::Cusolver),
    ("cusparse_status_alloc_failed", Kind::Cusolver),
    ("cusparse_status_insufficient_resources", Kind::Cusolver),
    ("cufft_alloc_failed", Kind::Cusolver),
];

/// Reads the message of a library.
pub(super) fn read(text: Span) -> Option<(Kind, Facts)> {
    if let Some(facts) = nccl(text) {
        return Some((Kind::Nccl, facts));
    }
    let found = WORDS.iter().find(|(words, _)| text.has(words))?;
    Some((found.1, Facts::default()))
}

/// `NCCL WARN Cuda failure 2 'out of memory'`, `NCCL WARN Failed to CUDA calloc 6291456 bytes`
/// (`src/include/alloc.h` and `checks.h` of NCCL 2.4 to 2.27; RCCL writes Hip).
fn nccl(text: Span) -> Option<Facts> {
    let calloc = ["failed to cuda calloc", "failed to hip calloc"];
    let calloc = calloc.into_iter().find_map(|words| text.after(words));
    let failure = ["cuda failure", "hip failure"].into_iter();
    let failure = failure
        .filter_map(|words| text.after(words))
        .any(|span| span.first(30).has("out of memory"));
    if calloc.is_none() && !failure {
        return None;
    }
    let amount = calloc.and_then(|span| {
        let text = span.text.trim_start();
        let text = text.strip_prefix("async").unwrap_or(text);
        leading(text)?.bytes()
    });
    Some(Facts {
        requested: amount,
        place: Some(OUTSIDE),
        ..Facts::default()
    })
}

/// How soon the reason of an error follows.
const NEAR: usize = 120;

/// A word alone, in lower case, from the most telling on: the driver's, or that of a caching allocator.
const BARE: &[(&str, Kind)] = &[
    ("cuda runtime err", Kind::Cuda0),
    ("thcudacheck fail", Kind::Cuda0),
    ("hip error: out of memory", Kind::Hip),
    ("hiperroroutofmemory", Kind::Hip),
    ("hip out of memory", Kind::Hip),
    ("npu out of memory", Kind::Npu),
    ("xpu out of memory", Kind::Xpu),
    ("ur_result_error_out_of_device_memory", Kind::Xpu),
    ("ur_result_error_out_of_resources", Kind::Xpu),
    ("pi_error_out_of_resources", Kind::Xpu),
    ("mps backend out of memory", Kind::Mps),
    ("callbackerroroutofmemory", Kind::Mps),
    ("cuda error: out of memory", Kind::CudaDriver),
    ("cuda driver error: out of memory", Kind::CudaDriver),
    ("cuda error", Kind::CudaDriver),
    ("cuda_error_out_of_memory", Kind::CudaDriver),
    ("cudaerrormemoryallocation", Kind::CudaDriver),
    ("[cuda]: out of memory", Kind::CudaDriver),
    ("cuda out of memory", Kind::CudaBare),
    ("cuda oom", Kind::CudaBare),
    ("outofmemoryerror", Kind::CudaBare),
    ("error out of memory at line", Kind::CudaBare),
    ("ran out of memory on your gpu", Kind::CudaBare),
];

/// A failure of which nothing but the word is said.
pub(super) fn bare(text: Span) -> Option<(Kind, Facts)> {
    let found = BARE.iter().find(|(words, _)| {
        // Words of any error are of this one where it follows.
        let any = matches!(
            *words,
            "cuda runtime err" | "thcudacheck fail" | "cuda error"
        );
        let near = text.after(words).map(|span| span.first(NEAR));
        near.is_some_and(|near| !any || near.has("out of memory"))
    })?;
    Some((found.1, Facts::default()))
}
