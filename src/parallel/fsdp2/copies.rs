//! What kernels that copy between many tensors and one buffer take for a moment: tables of numbers that say
//! which block of threads copies what.
//!
//! Source: `aten/src/ATen/native/cuda/TensorShape.cu` (`pack_vecs` and its callers), torch 2.15.

use crate::tape::{Category, Tape};
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

/// `torch._chunk_cat(..., out=...)`: tensors are copied into a buffer of chunks, each of which gets these
/// bytes of each tensor.
pub(super) fn copy_in(t: &Tape, bytes: impl Iterator<Item = u64>) {
    let (mut tensors, mut blocks) = (0, 0);
    for bytes in bytes {
        tensors += 1;
        blocks += bytes.div_ceil(TILE);
    }
    table(t, blocks + 6 * tensors + 2);
}

fn table(t: &Tape, numbers: u64) {
    let shape = Shape::from([numbers]);
    drop(t.hold("_to_copy", &shape, DType::Int64, Category::Temporaries));
}
