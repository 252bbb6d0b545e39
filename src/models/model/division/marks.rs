//! Megatron-Core's marks of parameters.

/// The marks of one parameter (`core/tensor_parallel/layers.py`, `core/models/common/language_module`,
/// megatron-core 0.16.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterMarks {
    /// Whether ranks that divide experts have it apart (`allreduce` is false).
    pub is_expert: bool,
    /// Whether ranks that divide the sequence each have a part of its gradient (`sequence_parallel`).
    pub sums_sequence: bool,
    /// Whether the first and the last stage share it (`shared_embedding`).
    pub is_shared_embedding: bool,
    /// Whether it is the last stage's copy of that, which norms leave out (`shared`).
    pub is_copy: bool,
}
