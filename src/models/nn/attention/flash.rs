//! Attention of the flash-attn package as transformers calls it.
//!
//! Source: transformers 5.23 and 4.51, `modeling_flash_attention_utils.py` and
//! `integrations/flash_attention.py`.

use super::options::AttentionOptions;
use crate::model::Transformers;
use crate::tape::{Packed, Tape, Tensor};
use crate::units::{DType, Shape};

/// `flash_attention_forward`: q `[B, A, S, D]`, k and v `[B, K, S, D]` to `[B, S, A, D]`. With a
/// padding mask the tokens are packed first; every token counts as one that is no padding. In its place there
/// may be where the sequences of one row begin, in 32-bit integers. Values that are
/// narrower than keys are padded to their width, and the result is cut to that of the values.
pub(crate) fn attend(
    t: &Tape,
    options: AttentionOptions,
    all: [&Tensor; 3],
    mask: Option<&Tensor>,
) -> Tensor {
    let columns = all[2].dim(3);
    let [q, k, v] = taken(t, options, all);
    let given = mask.filter(|given| given.dtype() == DType::Int32);
    let out = if given.is_some() {
        in_one_row(t, options, [&q, &k, &v], given)
    } else if mask.is_some() {
        packed(t, options, [&q, &k, &v])
    } else {
        if options.positions_given {
            look_for_packed(t, options, &q);
        }
        if options.packed > 1 && q.dim(0) == 1 {
            in_one_row(t, options, [&q, &k, &v], None)
        } else {
            t.flash_attn(&q, &k, &v, None, options.dropout)
        }
    };
    if columns == out.dim(3) {
        out
    } else {
        t.slice(&out, -1, 0, columns)
    }
}

/// Packed sequences of one row `[1, S, A, D]`: where they begin is given or found in their positions
/// (`_prepare_from_posids`).
fn in_one_row(
    t: &Tape,
    options: AttentionOptions,
    all: [&Tensor; 3],
    given: Option<&Tensor>,
) -> Tensor {
    let [q, k, v] = all.map(|x| {
        let rows = [x.dim(1), x.dim(2), x.dim(3)];
        if given.is_some() {
            t.reshape(x, rows)
        } else {
            t.view(&t.contiguous(x), rows)
        }
    });
    let boundaries = match given {
        Some(boundaries) => boundaries.clone(),
        None => boundaries(t, q.dim(0), options.packed),
    };
    let sequences = Packed {
        boundaries: &boundaries,
        count: options.packed,
    };
    let out = t.flash_attn(&q, &k, &v, Some(&sequences), options.dropout);
    t.unsqueeze(&out, 0)
}

/// The beginnings of `n` sequences of `s` tokens and the end of the last (`prepare_fa_kwargs_from_position_ids`).
fn boundaries(t: &Tape, s: u64, n: u64) -> Tensor {
    let numbers = |op, n, dtype| t.empty(op, Shape::from([n]), dtype);
    let first = {
        let _least = numbers("min", 1, DType::Int64);
        numbers("eq", s, DType::Bool)
    };
    t.synchronize_stream();
    let begin = numbers("nonzero", n, DType::Int64);
    drop(first);
    let boundaries = {
        let _begin = numbers("_to_copy", n, DType::Int32);
        let _end = numbers("tensor", 1, DType::Int32);
        numbers("cat", n + 1, DType::Int32)
    };
    drop(begin);
    let lengths = numbers("diff", n, DType::Int32);
    let longest = numbers("max", 1, DType::Int32);
    drop((lengths, longest));
    boundaries
}

/// Attends within sequences that lie in one list: q, k and v `[1, A, n, D]` to `[1, n, A, D]`.
pub(crate) fn attend_in_list(
    t: &Tape,
    options: AttentionOptions,
    all: [&Tensor; 3],
    sequences: &Packed,
) -> Tensor {
    let [q, k, v] = taken(t, options, all);
    let [q, k, v] = [q, k, v].map(|x| t.reshape(&x, [x.dim(1), x.dim(2), x.dim(3)]));
    let out = t.flash_attn(&q, &k, &v, Some(sequences), options.dropout);
    t.unsqueeze(&out, 0)
}

/// Heads `[B, A, S, D]` as the package takes them: `[B, S, A, D]`, in 16 bits.
fn taken(t: &Tape, options: AttentionOptions, all: [&Tensor; 3]) -> [Tensor; 3] {
    let wide = all[0].dtype() == DType::Float32;
    let target = t.autocast_dtype().unwrap_or(options.flash_dtype);
    let columns = all[0].dim(3);
    let given = all.map(|x| {
        let rows = t.transpose(x, 1, 2);
        if rows.dim(3) == columns {
            return rows;
        }
        t.pad(
            &rows,
            [rows.dim(0), rows.dim(1), rows.dim(2), columns].into(),
        )
    });
    given
        .each_ref()
        .map(|x| if wide { t.to(x, target) } else { x.clone() })
}

/// `_upad_input`, `flash_attn_varlen_func` and `pad_input`.
fn packed(t: &Tape, options: AttentionOptions, [q, k, v]: [&Tensor; 3]) -> Tensor {
    let (b, s) = (q.dim(0), q.dim(1));
    let tokens = b * s;
    t.synchronize_stream();
    let rows = t.empty("nonzero", Shape::from([tokens]), DType::Int64);
    let boundaries = t.empty("cumsum", Shape::from([b + 1]), DType::Int32);
    let unpadded = |x: &Tensor| {
        let flat = t.reshape(x, [tokens, x.dim(2), x.dim(3)]);
        t.index_rows(&flat, &rows)
    };
    let (k, v) = (unpadded(k), unpadded(v));
    let q = unpadded(q);
    let sequences = Packed {
        boundaries: &boundaries,
        count: b,
    };
    let out = t.flash_attn(&q, &k, &v, Some(&sequences), options.dropout);
    let padded = t.put_rows(&out, &rows, tokens);
    t.view(&padded, [b, s, out.dim(1), out.dim(2)])
}

/// Whether positions `[1, S]` begin anew within a sample: since transformers 5 looked at for a
/// single sample, before for any number of them.
fn look_for_packed(t: &Tape, options: AttentionOptions, q: &Tensor) {
    let (b, s) = (q.dim(0), q.dim(1));
    let positions = |op, n, dtype| t.empty(op, Shape::from([n]), dtype);
    if options.facts.transformers != Transformers::V5 {
        let differences = positions("diff", s - 1, DType::Int64);
        let rising = positions("ge", s - 1, DType::Bool);
        drop(differences);
        let _all = positions("all", 1, DType::Bool);
        drop(rising);
        return;
    }
    if b > 1 {
        return;
    }
    let range = positions("arange", s, DType::Int64);
    let least = positions("min", 1, DType::Int64);
    let rising = positions("add", s, DType::Int64);
    drop((range, least));
    let sum = {
        let absolute = {
            let _difference = positions("sub", s, DType::Int64);
            positions("abs", s, DType::Int64)
        };
        let sum = positions("sum", 1, DType::Int64);
        drop(absolute);
        sum
    };
    let _any = positions("_to_copy", 1, DType::Bool);
    drop((sum, rising));
}
