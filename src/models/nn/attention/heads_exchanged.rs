//! Attention over a sequence whose parts are on several ranks, each of which attends with some of the heads:
//! `UlyssesSPAttentionHF` (`deepspeed/runtime/sequence_parallel/ulysses_sp.py`, 0.19.8).

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// q `[B, A, L, D]`, k and v `[B, K, L, D]` of this rank's L tokens to `[B, L, A, D]`; `attend` attends with the
/// heads of this rank to all tokens.
pub(super) fn attend(
    t: &Tape,
    all: [&Tensor; 3],
    ranks: u64,
    attend: impl FnOnce([&Tensor; 3]) -> Tensor,
) -> Tensor {
    let [b, heads, tokens, columns] = [0, 1, 2, 3].map(|i| all[0].dim(i));
    let rows = all.map(|x| t.permute(x, &[2, 0, 1, 3]));
    // The positions of all tokens, gathered.
    let places = |op, tokens| t.empty(op, Shape::from([b, tokens]), DType::Int64);
    let gathered: Vec<Tensor> = (0..ranks).map(|_| places("empty_like", tokens)).collect();
    let positions = places("cat", tokens * ranks);
    let [q, k, v] = rows.map(|x| combined(t, &x, ranks));
    // Each is a variable that gets another layout.
    let by_heads = |x: Tensor| t.contiguous(&t.permute(&x, &[1, 2, 0, 3]));
    let (q, k, v) = (by_heads(q), by_heads(k), by_heads(v));
    let attended = {
        let out = attend([&q, &k, &v]);
        let rows = t.transpose(&out, 0, 1);
        t.reshape(&rows, [tokens * ranks, b, heads / ranks * columns])
    };
    let out = partitioned(t, &attended, ranks);
    let out = t.transpose(&out, 0, 1);
    let out = t.view(&out, [b, tokens, heads, columns]);
    drop(positions);
    for part in gathered.into_iter().rev() {
        drop(part);
    }
    drop(attended);
    out
}

/// `combine_sequence`: `[L, B, heads, D]` of some tokens and all heads to `[S, B, heads / ranks, D]` of all
/// tokens; where there are fewer heads of keys than ranks they are repeated.
fn combined(t: &Tape, x: &Tensor, ranks: u64) -> Tensor {
    let [tokens, b, heads, columns] = [0, 1, 2, 3].map(|i| x.dim(i));
    let repeated = (heads < ranks).then(|| t.repeat_interleave(x, 2, ranks / heads));
    let x = repeated.as_ref().unwrap_or(x);
    let own = x.dim(2) / ranks;
    let parts = t.reshape(x, [tokens, b, ranks, own, columns]);
    let parts = t.contiguous(&t.permute(&parts, &[2, 0, 1, 3, 4]));
    drop(repeated);
    let out = t.exchanged(&parts, ranks);
    t.reshape(&out, [tokens * ranks, b, own, columns])
}

/// `_partition_global_sequence`: `[S, B, H / ranks]` of all tokens to `[L, B, H]` of some of them.
fn partitioned(t: &Tape, x: &Tensor, ranks: u64) -> Tensor {
    let [tokens, b, columns] = [0, 1, 2].map(|i| x.dim(i));
    let parts = t.reshape(x, [ranks, tokens / ranks, b, columns]);
    let parts = t.contiguous(&parts);
    let out = t.exchanged(&parts, ranks);
    let rows = t.permute(&out, &[1, 2, 0, 3]);
    t.contiguous(&t.reshape(&rows, [tokens / ranks, b, ranks * columns]))
}
