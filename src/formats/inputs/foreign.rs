//! Messages of programs other than PyTorch, each with its owner, so that nobody looks for an answer here.

use super::plain::Span;

/// Words of other programs' failures, in lower case, and whose they are. Their names alone decide nothing: logs of
/// PyTorch's programs are full of TensorFlow's warnings.
const MARKS: &[(&str, &str)] = &[
    ("resource_exhausted", "JAX or TensorFlow"),
    ("xlaruntimeerror", "JAX"),
    ("jaxlib.xla_extension", "JAX"),
    (
        "resourceexhaustederror: out of memory error on gpu",
        "PaddlePaddle",
    ),
    ("resourceexhaustederror", "TensorFlow"),
    ("oom when allocating tensor", "TensorFlow"),
    ("bfc_allocator", "TensorFlow or JAX"),
    ("ran out of memory trying to allocate", "TensorFlow or JAX"),
    ("from device: cuda_error_out_of_memory", "TensorFlow or JAX"),
    ("ran out of memory in memory space", "XLA"),
    ("cupy.cuda.memory", "CuPy"),
    ("cupy_backends", "CuPy"),
    ("pooled_storage_manager", "MXNet"),
    ("mxneterror", "MXNet"),
    ("ggml_", "llama.cpp"),
    ("ggml-", "llama.cpp"),
    ("llama_model_load", "llama.cpp"),
    ("requires more system memory", "Ollama"),
    ("java.lang.outofmemoryerror", "Java"),
    ("java heap space", "Java"),
    ("javascript heap out of memory", "Node.js"),
    ("onnxruntimeerror", "ONNX Runtime"),
    ("[trt] [e]", "TensorRT"),
    ("[metal::malloc]", "MLX"),
    ("memory isn't enough and alloc failed", "MindSpore"),
    ("rmm::out_of_memory", "RAPIDS"),
    ("rmm::bad_alloc", "RAPIDS"),
    ("[metal] command buffer execution failed", "MLX"),
    (
        "out of resource: shared memory",
        "Triton: a kernel's shared memory on the chip",
    ),
];

/// The owner of a message, where it is none of ours.
pub(super) fn owner(text: Span) -> Option<&'static str> {
    let mark = MARKS.iter().find(|(words, _)| text.has(words));
    mark.map(|(_, owner)| *owner)
}
