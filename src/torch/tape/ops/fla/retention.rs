//! `chunk_retention` (`fla/ops/retention/chunk.py`, `fla/ops/simple_gla/chunk.py`), and the rotary
//! embedding in one kernel (`fla/modules/rotary.py`).

use super::FlaVersion;
use super::chunk::CHUNK;
use super::packing::Chunks;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

const OP: &str = "chunk_retention";
const BACKWARD: &str = "chunk_retention_backward";
/// Tokens that a program of the rotary embedding takes at most.
const ROTARY_BLOCK: u64 = 128;
/// Bytes of a number of Python on the device.
const NUMBER: u64 = 8;

impl Tape {
    /// `chunk_retention(q, k, v)`, or `fused_recurrent_retention`, `one_by_one`: q and k `[B, T, H, K]`, v `[B, T, H, V]`, to `[B, T, H, V]`. Saves
    /// q, k, v and the logs of the decays: one a head in 0.6.0, one a token and head in 0.2.2.
    pub fn retention(&self, [q, k, v]: [&Tensor; 3], sequences: u64, one_by_one: bool) -> Tensor {
        let recent = self.backend().fla == FlaVersion::V060;
        // The logs as the caller holds them.
        let (logs, decays) = self.unrecorded(|| self.retention_decays(q, recent));
        if one_by_one {
            return self.fused_recurrent([q, k, v, &decays], sequences);
        }
        let (given, kept, out) = self.unrecorded(|| {
            let given = [q, k, v].map(|x| self.contiguous(x).detach());
            let kept = self.empty(OP, *decays.shape(), DType::Float32);
            let [_, k, v] = &given;
            self.chunk_indices_named(k);
            self.chunk_offsets(CHUNK);
            let states = self.chunk_states(OP, k, v, k.dtype(), sequences);
            self.states_at_the_end(OP, k, v, sequences);
            let out = self.empty(OP, *v.shape(), v.dtype());
            drop(states);
            (given, kept, out)
        });
        if !self.records(&[q, k, v]) {
            return out;
        }
        let [q_, k_, v_] = &given;
        let saved = [q_, k_, v_, &kept].map(|x| self.save(x));
        drop((given, kept));
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let [q, k, v, decays] = saved.each_ref().map(|saved| saved.unpack(t));
            let g = t.contiguous(g);
            t.retention_backward([&q, &k, &v], &decays, &g, (recent, sequences))
        };
        let [out] = self.function(&[q, k, v], [out], Box::new(backward));
        drop((logs, decays));
        out
    }

    /// `(1 - 2 ** (-5 - arange(H))).log()`, of every token in 0.2.2.
    fn retention_decays(&self, q: &Tensor, recent: bool) -> (Tensor, Tensor) {
        let heads = Shape::from([q.dim(2)]);
        let each = || self.empty(OP, heads, DType::Float32);
        let two = (!recent).then(|| self.empty("new_tensor", Shape::new(&[]), DType::Float32));
        let power = {
            let exponents = {
                let _range = each();
                each()
            };
            let power = each();
            // A number to the power of a tensor becomes a tensor first.
            drop(recent.then(|| self.scratch(OP, NUMBER)));
            drop(exponents);
            power
        };
        drop(two);
        let rest = each();
        drop(power);
        let logs = each();
        drop(rest);
        if recent {
            return (logs.clone(), logs);
        }
        let tokens = Shape::from([q.dim(0), q.dim(1), q.dim(2)]);
        let of_tokens = self.empty("clone", tokens, DType::Float32);
        (logs, of_tokens)
    }

    fn retention_backward(
        &self,
        [q, k, v]: [&Tensor; 3],
        decays: &Tensor,
        g: &Tensor,
        (recent, sequences): (bool, u64),
    ) -> Grads {
        /// Columns of the keys that a program sees on compute capability 8.0
        /// (`check_shared_mem()`).
        const KEY_BLOCK: u64 = 64;
        let states = self.chunk_states(BACKWARD, k, v, DType::Float32, sequences);
        let state_gradients = self.chunk_states(BACKWARD, k, v, DType::Float32, sequences);
        let dq = self.empty(BACKWARD, *q.shape(), q.dtype());
        let dk = self.empty(BACKWARD, *k.shape(), k.dtype());
        let mut d_decays = None;
        if !recent {
            let blocks = k
                .dim(3)
                .div_ceil(k.dim(3).next_power_of_two().min(KEY_BLOCK));
            let shape = Shape::from([blocks, decays.numel()]);
            let parts = self.empty(BACKWARD, shape, DType::Float32);
            let whole = Shape::from([1, decays.numel()]);
            d_decays = Some(self.reduce("sum", &parts, whole, DType::Float32));
        }
        let dv = self.empty(BACKWARD, *g.shape(), g.dtype());
        drop((states, state_gradients));
        if !recent {
            d_decays.replace(self.empty(BACKWARD, *decays.shape(), DType::Float32));
        }
        drop(d_decays);
        smallvec![Some(dq), Some(dk), Some(dv)]
    }

    /// `rotary_embedding(x, cos, sin)`: x `[B, T, H, D]`. Saves cos and sin.
    pub fn fused_rotary(&self, x: &Tensor, cos: &Tensor, sin: &Tensor) -> Tensor {
        let out = self.unrecorded(|| {
            let x = self.contiguous(x);
            let each = x.dim(1).div_ceil(self.backend().multiprocessors);
            let size = each.next_power_of_two().min(ROTARY_BLOCK);
            self.chunk_indices(Chunks::Of(size), x.dim(1));
            self.empty("rotary_embedding", *x.shape(), x.dtype())
        });
        if !self.records(&[x]) {
            return out;
        }
        let saved = [cos, sin].map(|x| self.save(x));
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let _saved = saved.each_ref().map(|saved| saved.unpack(t));
            let given = t.contiguous(g);
            let copy = t.empty("clone", *given.shape(), given.dtype());
            smallvec![Some(t.empty(
                "rotary_embedding",
                *copy.shape(),
                copy.dtype()
            ))]
        };
        let [out] = self.function(&[x], [out], Box::new(backward));
        out
    }
}
