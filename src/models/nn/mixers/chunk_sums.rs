//! Mamba 2's recurrence, chunk by chunk, by products that are made whole and summed (`torch_forward`,
//! `fla/layers/mamba2.py`, and `models/{mamba2,bamba}/modeling_*.py` of transformers 4).
//!
//! B samples, S tokens, H heads of P columns, G groups, N columns of a state, C chunks of L tokens.

use super::chunk_scan::{in_chunks, padded_to, segment_sum};
use super::decay_rate::decay_rate;
use crate::model::ScanHeads;
use crate::nn::build::Facts;
use crate::tape::{FlaVersion, Tape, Tensor};
use crate::units::DType;

/// The inputs of a scan.
pub(crate) struct Scanned {
    /// `[B, S, H P]`.
    pub(crate) states: Tensor,
    /// `[B, S, H]`.
    pub(crate) time_step: Tensor,
    /// B and C: `[B, S, G N]`.
    pub(crate) inputs: [Tensor; 2],
}

impl Scanned {
    /// Of columns `[B, S, H P + 2 G N]`, whose widths are H P and G N.
    pub(crate) fn of(t: &Tape, mixed: &Tensor, time_step: Tensor, widths: [u64; 2]) -> Self {
        let [inner, of_groups] = widths;
        let [states, b, c] = t.split(mixed, [inner, of_groups, of_groups], -1);
        Self {
            states,
            time_step,
            inputs: [b, c],
        }
    }
}

/// Parameters of the heads.
pub(crate) struct Rates {
    /// `[H]`.
    pub(crate) a_log: Tensor,
    /// `[H]`.
    pub(crate) dt_bias: Tensor,
    /// D: `[H]`.
    pub(crate) skip: Tensor,
}

/// `[B, S, H P]` in float32, and what lives on as local variables of the layer before and after it.
#[allow(clippy::too_many_lines, reason = "it reads as the function it mirrors")]
pub(crate) fn scan(
    t: &Tape,
    facts: Facts,
    heads: ScanHeads,
    rates: &Rates,
    given: Scanned,
) -> (Tensor, [Vec<Tensor>; 2]) {
    let Scanned {
        states,
        time_step,
        inputs: [b, c],
    } = given;
    let (batch, seq) = (states.dim(0), states.dim(1));
    let ScanHeads {
        count,
        columns,
        groups,
        chunk,
    } = heads;
    let padded = seq.next_multiple_of(chunk);
    // `x[:, :, ...]`: as many whole dimensions.
    let all = |x: &Tensor, dims| facts.index_all(t, x, dims);
    let last = |x: &Tensor| t.unsqueeze(x, x.shape().rank());
    let decay = decay_rate(t, &rates.a_log);
    let time_step = {
        let shifted = t.add(&time_step, &rates.dt_bias);
        drop(time_step);
        let positive = t.softplus(&shifted);
        drop(shifted);
        t.clamp(&positive, 2)
    };
    let wide = |x: &Tensor, heads: u64| {
        let parts = t.reshape(x, [batch, seq, heads, x.dim(2) / heads]);
        t.to(&parts, DType::Float32)
    };
    let states = wide(&states, count);
    let (b, c) = {
        let (own_b, own_c) = (wide(&b, groups), wide(&c, groups));
        let b = t.repeat_along(&own_b, 2, count / groups);
        drop(own_b);
        (b, t.repeat_along(&own_c, 2, count / groups))
    };
    let skipped = {
        let skip = last(&all(&rates.skip, 0));
        let skip = match t.backend().fla {
            FlaVersion::V022 => skip,
            FlaVersion::V060 => t.expand(&skip, [count, columns]),
        };
        t.mul(&skip, &padded_to(t, &states, padded))
    };
    let states = {
        let scaled = t.mul(&states, &last(&time_step));
        drop(states);
        scaled
    };
    let decay = {
        let scaled = t.mul(&decay, &time_step);
        drop(decay);
        scaled
    };
    let chunks = padded / chunk;
    let chunked = |x: &Tensor| in_chunks(t, x, chunk);
    let (states, decay, b, c) = {
        let whole = [&states, &decay, &b, &c].map(chunked);
        drop((states, decay, b, c));
        let [states, decay, b, c] = whole;
        (states, t.permute(&decay, &[0, 3, 1, 2]), b, c)
    };
    let sums = t.running_sum(&decay);
    let within = {
        let lower = segment_sum(t, decay.clone());
        t.exp(&lower)
    };
    let mut held = vec![skipped.clone(), sums.clone(), within.clone()];
    // Each token with each one of its chunk: [B, C, L, L, H, N].
    let pairs = {
        let rows = t.unsqueeze(&all(&c, 3), 3);
        t.mul(&rows, &t.unsqueeze(&all(&b, 2), 2))
    };
    let scores = t.sum_dim(&pairs, 5, false);
    held.push(pairs);
    let weighted = {
        let within = last(&t.permute(&within, &[0, 2, 3, 4, 1]));
        t.mul(&last(&scores), &within)
    };
    let weights = t.sum_dim(&weighted, 5, false);
    held.extend([scores, weighted]);
    let diagonal = {
        let product = t.mul(&last(&weights), &t.unsqueeze(&all(&states, 2), 2));
        t.sum_dim(&product, 3, false)
    };
    let to_end = {
        let rest = {
            let end = t.slice(&all(&sums, 3), -1, chunk - 1, chunk);
            t.sub(&end, &sums)
        };
        t.exp(&rest)
    };
    let decayed = t.mul(&b, &last(&t.permute(&to_end, &[0, 2, 3, 1])));
    let ends = {
        let product = {
            let rows = all(&t.unsqueeze(&decayed, 4), 1);
            t.mul(&rows, &last(&states))
        };
        t.sum_dim(&product, 2, false)
    };
    let zeros = {
        let mut shape = *ends.shape();
        shape.dims_mut()[1] = 1;
        t.empty("zeros_like", shape, ends.dtype())
    };
    let ends = {
        let joined = t.cat(&[&zeros, &ends], 1);
        drop(ends);
        joined
    };
    held.extend([weights, diagonal.clone(), to_end, decayed, zeros]);
    let between = {
        let lower = {
            let totals = t.select(&all(&sums, 3), 3);
            let mut shape = *totals.shape();
            shape.dims_mut()[2] += 1;
            segment_sum(t, t.pad(&totals, shape))
        };
        let decays = t.exp(&lower);
        t.transpose(&decays, 1, 3)
    };
    let carried = {
        let every = {
            let product = t.mul(&last(&last(&between)), &t.unsqueeze(&all(&ends, 2), 2));
            t.sum_dim(&product, 1, false)
        };
        drop(ends);
        let begins = t.slice(&all(&every, 1), 1, 0, chunks);
        held.extend([between, every]);
        let from_start = t.exp(&sums);
        let product = {
            let rows = all(&t.unsqueeze(&c, 4), 1);
            t.mul(&rows, &t.unsqueeze(&all(&begins, 2), 2))
        };
        let carried = {
            let sum = t.sum_dim(&product, 5, false);
            t.mul(&sum, &last(&t.permute(&from_start, &[0, 2, 3, 1])))
        };
        held.extend([from_start, product]);
        carried
    };
    let out = {
        let sum = t.add(&diagonal, &carried);
        held.push(carried);
        let flat = t.reshape(&sum, [batch, padded, count, columns]);
        drop(sum);
        t.add(&flat, &skipped)
    };
    let out = if padded > seq {
        all(&t.slice(&all(&out, 1), 1, 0, seq), 2)
    } else {
        out
    };
    let out = t.reshape(&out, [batch, seq, count * columns]);
    (out, [vec![time_step, states, b, c, decay], held])
}
