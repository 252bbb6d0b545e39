//! Mamba 2's recurrence, chunk by chunk, without a kernel of its own (`mamba2_chunk_scan`,
//! `models/mamba2/modeling_mamba2.py`, transformers 5.23).
//!
//! B samples, S tokens, H heads of P columns, G groups, N columns of a state, C chunks of L tokens.

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The inputs of a scan.
pub(crate) struct Scan<'a> {
    /// `[B, S, H, P]`.
    pub(crate) states: Tensor,
    /// `[B, S, H]`.
    pub(crate) time_step: Tensor,
    /// A: `[H]` in float32.
    pub(crate) decay: &'a Tensor,
    /// B and C: `[B, S, G, N]`.
    pub(crate) inputs: [Tensor; 2],
    /// D: `[H]`.
    pub(crate) skip: &'a Tensor,
    /// `[H]`.
    pub(crate) bias: &'a Tensor,
    /// L.
    pub(crate) chunk: u64,
}

/// `[B, S, H, P]` in float32, and, where there is a cache that keeps the last, the states at the ends
/// of chunks.
#[allow(clippy::too_many_lines, reason = "it reads as the function it mirrors")]
pub(crate) fn scan(t: &Tape, given: Scan) -> (Tensor, Option<Tensor>) {
    let Scan {
        states,
        time_step,
        decay,
        inputs: [b, c],
        skip,
        bias,
        chunk,
    } = given;
    let [batch, seq, heads, columns] = [0, 1, 2, 3].map(|axis| states.dim(axis));
    let groups = b.dim(2);
    let padded = seq.next_multiple_of(chunk);
    let time_step = {
        let positive = {
            let shifted = {
                let bias = t.to(bias, time_step.dtype());
                t.add(&time_step, &bias)
            };
            t.softplus(&shifted)
        };
        t.clamp(&positive, 2)
    };
    let wide = t.to(&states, DType::Float32);
    drop(states);
    let of_heads = |x: &Tensor| {
        let wide = t.to(x, DType::Float32);
        t.repeat_interleave(&wide, 2, heads / groups)
    };
    let (b, c) = {
        let b = of_heads(&b);
        (b, of_heads(&c))
    };
    let skipped = {
        let skip = t.unsqueeze(skip, 1);
        t.mul(&skip, &padded_to(t, &wide, padded))
    };
    let states = {
        let time_step = t.to(&t.unsqueeze(&time_step, 3), DType::Float32);
        t.mul(&wide, &time_step)
    };
    drop(wide);
    let decay = {
        let wide = t.to(&time_step, DType::Float32);
        t.mul(decay, &wide)
    };
    let chunks = padded / chunk;
    let chunked = |x: &Tensor| in_chunks(t, x, chunk);
    let (states, decay, b, c) = {
        let whole = [chunked(&states), chunked(&decay), chunked(&b), chunked(&c)];
        drop((states, decay, b, c));
        let [states, decay, b, c] = whole;
        (states, t.permute(&decay, &[0, 3, 1, 2]), b, c)
    };
    let sums = t.running_sum(&decay);
    let last = |x: &Tensor| t.unsqueeze(x, x.shape().rank());
    let within = {
        let lower = segment_sum(t, decay.clone());
        t.exp(&lower)
    };
    // bclhn, bcshn -> bclsh
    let scores = {
        let product = t.contracted((&c, &[0, 1, 3, 2, 4]), (&b, &[0, 1, 3, 4, 2]), 3, false);
        t.permute(&product, &[0, 1, 3, 4, 2])
    };
    let weights = t.mul(&scores, &t.permute(&within, &[0, 2, 3, 4, 1]));
    // bclsh, bcshp -> bclhp
    let diagonal = {
        let left: (&Tensor, &[usize]) = (&weights, &[0, 1, 4, 2, 3]);
        let product = t.contracted(left, (&states, &[0, 1, 3, 2, 4]), 3, false);
        t.permute(&product, &[0, 1, 3, 2, 4])
    };
    let to_end = {
        let rest = {
            let end = t.slice(&sums, -1, chunk - 1, chunk);
            t.sub(&end, &sums)
        };
        t.exp(&rest)
    };
    let decayed = t.mul(&b, &last(&t.permute(&to_end, &[0, 2, 3, 1])));
    // bclhn, bclhp -> bchpn, of which the right one is multiplied with the left one.
    let ends = t.contracted(
        (&states, &[0, 1, 3, 4, 2]),
        (&decayed, &[0, 1, 3, 2, 4]),
        3,
        true,
    );
    let zeros = {
        let mut shape = *ends.shape();
        shape.dims_mut()[1] = 1;
        t.empty("zeros_like", shape, ends.dtype())
    };
    let ends = {
        let all = t.cat(&[&zeros, &ends], 1);
        drop(ends);
        all
    };
    let between = {
        let lower = {
            let totals = t.select(&sums, 3);
            let mut shape = *totals.shape();
            shape.dims_mut()[2] += 1;
            segment_sum(t, t.pad(&totals, shape))
        };
        let decays = t.exp(&lower);
        t.transpose(&decays, 1, 3)
    };
    // bzch, bzhpn -> bchpn
    let begins = {
        let left: (&Tensor, &[usize]) = (&between, &[0, 3, 2, 1]);
        let product = t.contracted(left, (&ends, &[0, 2, 1, 3, 4]), 2, false);
        t.slice(&t.permute(&product, &[0, 2, 1, 3, 4]), 1, 0, chunks)
    };
    drop(ends);
    let from_start = t.exp(&sums);
    // bclhn, bchpn -> bclhp
    let carried = {
        let left: (&Tensor, &[usize]) = (&c, &[0, 1, 3, 2, 4]);
        let product = t.contracted(left, (&begins, &[0, 1, 2, 4, 3]), 3, false);
        t.permute(&product, &[0, 1, 3, 2, 4])
    };
    let between_chunks = t.mul(&carried, &last(&t.permute(&from_start, &[0, 2, 3, 1])));
    let out = {
        let flat = {
            let sum = t.add(&diagonal, &between_chunks);
            let rows = t.contiguous(&sum);
            drop(sum);
            t.reshape(&rows, [batch, padded, heads, columns])
        };
        t.add(&flat, &skipped)
    };
    drop((states, time_step, decay, b, c, skipped, sums, within));
    drop((scores, weights, diagonal, to_end, decayed, zeros, between));
    let kept = t.has_cache().then(|| begins.clone());
    drop((begins, from_start, carried, between_chunks));
    let out = if padded > seq {
        t.slice(&out, 1, 0, seq)
    } else {
        out
    };
    (out, kept)
}

/// Scans one token after those in the `kept` states `[B, H, P, N]` (`mamba2_selective_state_update`): `[B, H, P]`.
pub(crate) fn step(t: &Tape, given: Scan, kept: &Tensor) -> Tensor {
    let Scan {
        states,
        time_step,
        decay,
        inputs: [b, c],
        skip,
        bias,
        ..
    } = given;
    let [batch, heads, columns, size] = [0, 1, 2, 3].map(|axis| kept.dim(axis));
    let groups = b.dim(2);
    let states = t.view(&states, [batch, heads, columns]);
    let of_columns = |x: &Tensor| t.expand(&t.unsqueeze(x, 1), [heads, columns]);
    let time_step = {
        let shifted = {
            let each = t.transpose(&time_step, 1, 2);
            let each = t.expand(&each, [batch, heads, columns]);
            let bias = t.to(&of_columns(bias), time_step.dtype());
            t.add(&each, &bias)
        };
        t.softplus(&shifted)
    };
    let time_step = t.unsqueeze(&time_step, 3);
    let decayed = {
        let product = {
            let wide = t.to(&time_step, DType::Float32);
            let decay = t.unsqueeze(&t.unsqueeze(decay, 1), 2);
            t.mul(&wide, &t.expand(&decay, [heads, columns, size]))
        };
        t.exp(&product)
    };
    let of_heads = |x: &Tensor| {
        let x = t.view(x, [batch, groups, 1, size]);
        t.contiguous(&t.expand(&x, [batch, groups, heads / groups, size]))
    };
    let b = of_heads(&b);
    let rows = t.mul(&time_step, &t.view(&b, [batch, heads, 1, size]));
    let added = t.mul(&rows, &t.unsqueeze(&states, 3));
    let next = {
        let rest = t.mul(kept, &decayed);
        t.add(&rest, &added)
    };
    drop(t.to(&next, kept.dtype()));
    let c = of_heads(&c);
    let next = {
        let narrow = t.to(&next, c.dtype());
        drop(next);
        narrow
    };
    let out = {
        let left = t.view(&next, [batch * heads, columns, size]);
        t.batched(&left, &t.view(&c, [batch * heads, size, 1]))
    };
    let out = t.view(&out, [batch, heads, columns]);
    let sum = {
        let skipped = t.mul(&states, &of_columns(skip));
        t.add(&out, &skipped)
    };
    let narrow = t.to(&sum, out.dtype());
    drop((sum, out, time_step, decayed, b, rows, added, next, c));
    narrow
}

/// `[B, S, ..]` to `[B, padded, ..]`.
pub(crate) fn padded_to(t: &Tape, x: &Tensor, padded: u64) -> Tensor {
    let mut shape = *x.shape();
    shape.dims_mut()[1] = padded;
    t.pad(x, shape)
}

/// `[B, S, ..]`, padded to whole chunks, to `[B, C, chunk, ..]`.
pub(crate) fn in_chunks(t: &Tape, x: &Tensor, chunk: u64) -> Tensor {
    let dims = x.shape().dims();
    let chunks = dims[1].div_ceil(chunk);
    let mut shape = smallvec::SmallVec::<[u64; 5]>::from_slice(&[dims[0], chunks, chunk]);
    shape.extend_from_slice(&dims[2..]);
    t.reshape(&padded_to(t, x, chunks * chunk), Shape::new(&shape))
}

/// `segment_sum`: `[.., L]` to sums `[.., L, L]` below the diagonal.
pub(crate) fn segment_sum(t: &Tape, x: Tensor) -> Tensor {
    let n = x.dim(-1);
    let square = Shape::from([n, n]);
    let triangle = || {
        let _ones = t.empty("ones", square, DType::Bool);
        t.empty("tril", square, DType::Bool)
    };
    let others = |_: &Tensor| t.empty("bitwise_not", square, DType::Bool);
    let rank = x.shape().rank();
    let mut shape = smallvec::SmallVec::<[u64; 5]>::from_slice(x.shape().dims());
    shape.push(n);
    let columns = t.expand(&t.unsqueeze(&x, rank), Shape::new(&shape));
    drop(x);
    let mask = triangle();
    let filled = t.masked_fill(&columns, &others(&mask));
    drop(columns);
    let sums = t.running_sum(&filled);
    let mask = {
        let lower = triangle();
        drop(mask);
        lower
    };
    let out = t.masked_fill(&sums, &others(&mask));
    drop(sums);
    drop(filled);
    out
}
