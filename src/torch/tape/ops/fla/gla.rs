//! `chunk_gla` (`fla/ops/gla/chunk.py`).

use super::chunk::CHUNK;
use super::packing::Chunks;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Keys up to this width are loaded at once; wider ones are split.
const WHOLE_KEYS: u64 = 256;
/// Columns of a piece of split keys.
const KEY_PIECE: u64 = 128;
/// Tokens of a piece of a chunk.
const SUB_CHUNK: u64 = 16;

impl Tape {
    /// `chunk_gla(q, k, v, g)`: q, k and the log of the decay g `[B, T, H, K]`, v `[B, T, H, V]`, to
    /// `[B, T, H, V]`, of which each sample packs `sequences`. Saves q, k, v, g (its sums instead, when it is in float32) and the scores
    /// within chunks; the states of the chunks are computed again in backward.
    pub fn chunk_gla(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        g: &Tensor,
        sequences: u64,
    ) -> Tensor {
        const OP: &str = "chunk_gla";
        let ([q_, k_, v_, g_], sums, scores, out) = self.unrecorded(|| {
            let [q, k, v, g] = [q, k, v, g].map(|x| self.contiguous(x).detach());
            self.chunk_indices_named(&q);
            self.chunk_indices(Chunks::Of(CHUNK), q.dim(1));
            let sums = self.empty(OP, *g.shape(), DType::Float32);
            self.chunk_offsets(CHUNK);
            let states = self.chunk_states(OP, &k, &v, k.dtype(), sequences);
            self.states_at_the_end(OP, &k, &v, sequences);
            let scores = self.within_chunks(OP, &k, DType::Float32);
            if k.dim(3) > WHOLE_KEYS {
                let pieces = k.dim(3).div_ceil(KEY_PIECE);
                let rows = k.dim(0) * k.dim(1) * k.dim(2);
                drop(self.empty(OP, Shape::from([pieces, rows, SUB_CHUNK]), DType::Float32));
            }
            let out = self.empty(OP, *v.shape(), v.dtype());
            drop(states);
            ([q, k, v, g], sums, scores, out)
        });
        if !self.records(&[q, k, v, g]) {
            return out;
        }
        let summed = g.dtype() == DType::Float32;
        let kept = if summed { &sums } else { &g_ };
        let saved = [&q_, &k_, &v_, kept, &scores].map(|x| self.save(x));
        drop((q_, k_, v_, g_, sums, scores));
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let [q, k, v, kept, scores] = saved.each_ref().map(|saved| saved.unpack(t));
            let g = t.contiguous(g);
            t.chunk_gla_backward([&q, &k, &v, &kept], &scores, &g, (summed, sequences))
        };
        let [out] = self.function(&[q, k, v, g], [out], Box::new(backward));
        out
    }

    fn chunk_gla_backward(
        &self,
        [q, k, v, kept]: [&Tensor; 4],
        _scores: &Tensor,
        g: &Tensor,
        (summed, sequences): (bool, u64),
    ) -> Grads {
        const OP: &str = "chunk_gla_backward";
        self.chunk_indices(Chunks::Of(CHUNK), k.dim(1));
        self.chunk_offsets(CHUNK);
        let wide = |x: &Tensor| self.empty(OP, *x.shape(), DType::Float32);
        let (dq, dk, dv, dg) = {
            let _sums = (!summed).then(|| wide(kept));
            let _states = self.chunk_states(OP, k, v, DType::Float32, sequences);
            let _state_gradients = self.chunk_states(OP, k, v, DType::Float32, sequences);
            let dv = self.empty(OP, *g.shape(), g.dtype());
            let _score_gradients = self.within_chunks(OP, v, DType::Float32);
            let _within = (wide(q), wide(k));
            let dg = wide(kept);
            (wide(q), wide(k), dv, dg)
        };
        let grads = (
            self.cast_or_same(&dq, q.dtype()),
            self.cast_or_same(&dk, k.dtype()),
            self.cast_or_same(&dv, v.dtype()),
        );
        smallvec![Some(grads.0), Some(grads.1), Some(grads.2), Some(dg)]
    }
}
