//! Temporaries of kernels that copy between many tensors and one buffer: tables of numbers that say
//! which block of threads copies what.
//!
//! Source: `aten/src/ATen/native/cuda/TensorShape.cu` (`pack_vecs` and its callers), torch 2.15.

use crate::tape::{Category, Storage, Tape, Tensor};
use crate::units::{DType, Shape};

/// Bytes that a block of threads copies at once (`TILE_SIZE`).
const TILE: u64 = 2048;

/// `torch.split_with_sizes_copy(..., out=...)`: a buffer of `chunks` equal chunks, each of which has these
/// bytes of each tensor, is copied out.
pub(super) fn copy_out(t: &Tape, bytes: &[u64], chunks: u64) {
    let backend = t.backend();
    let most = backend.multiprocessors * backend.threads_per_multiprocessor / 128 * 2;
    let blocks = |tile: u64| bytes.iter().map(|bytes| bytes.div_ceil(tile)).sum::<u64>();
    let factor = (blocks(TILE) * chunks).div_ceil(most.max(1));
    let root = factor.isqrt();
    let chunks_a_block = root + u64::from(root * root < factor);
    let rounds = factor.div_ceil(chunks_a_block.clamp(1, chunks));
    let tensors = bytes.len() as u64;
    table(t, 4 * tensors + 1 + blocks(TILE * rounds.max(1)));
}

/// `fsdp::chunk_cat_mixed_dtype`: gradients are copied into a buffer of `ranks` chunks, each of which gets `parts`
/// elements of each, in the dtype of the buffer. One kernel does that where they have that dtype, or bfloat16 and
/// the buffer float32; other gradients of one dtype are padded and joined, others of several are cast first.
///
/// Source: `torch/csrc/distributed/fsdp/ChunkCat.{cpp,cu}`, `_chunk_cat_out_cuda`
/// (`aten/src/ATen/native/cuda/TensorShape.cu`), torch 2.15.
pub(super) fn copy_in(t: &Tape, gradients: &[Tensor], (parts, ranks): (&[u64], u64), dtype: DType) {
    let differs = |gradient: &&Tensor| gradient.dtype() != dtype;
    let casts = dtype == DType::Float32;
    let others = gradients.iter().filter(differs);
    let is_one_kernel =
        (others.clone()).all(|gradient| casts && gradient.dtype() == DType::BFloat16);
    let given = gradients.first().map(Tensor::dtype);
    let is_mixed = gradients
        .iter()
        .any(|gradient| given != Some(gradient.dtype()));
    if !is_one_kernel && !is_mixed {
        let whole = gradients.iter().zip(parts);
        let padded = whole.filter(|(gradient, part)| gradient.numel() < *part * ranks);
        let padded: Vec<Storage> = padded
            .map(|(gradient, part)| {
                let shape = Shape::from([part * ranks]);
                t.hold(
                    "constant_pad_nd",
                    &shape,
                    gradient.dtype(),
                    Category::Temporaries,
                )
            })
            .collect();
        drop(padded);
        return;
    }
    let cast: Vec<Tensor> = (others.filter(|_| !is_one_kernel))
        .map(|gradient| t.to(gradient, dtype))
        .collect();
    let blocks = parts
        .iter()
        .map(|part| (part * dtype.size()).div_ceil(TILE));
    let ends = if is_one_kernel && is_mixed { 0 } else { 2 };
    table(t, blocks.sum::<u64>() + 6 * parts.len() as u64 + ends);
    drop(cast);
}

fn table(t: &Tape, numbers: u64) {
    let shape = Shape::from([numbers]);
    drop(t.hold("_to_copy", &shape, DType::Int64, Category::Temporaries));
}
