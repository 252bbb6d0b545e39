//! `causal_conv1d` (`fla/modules/causal_conv1d/ops.py`; `fla/modules/convolution.py` in 0.2.2).

use super::FlaVersion;
use super::packing::Chunks;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Tokens that a program takes at most.
const LARGEST_BLOCK: u64 = 64;
/// The fewest tokens that 0.2.2 spreads over the multiprocessors.
const SMALLEST: u64 = 16;

impl Tape {
    /// `causal_conv1d(x, weight, activation)`: x `[B, T, D]` and weight `[D, W]` to `[B, T, D]`, one
    /// convolution a column. `sequences` are packed in each sample. Saves x and the weight; with an
    /// activation backward computes the result before it again.
    pub fn causal_conv(
        &self,
        x: &Tensor,
        weight: &Tensor,
        activated: bool,
        sequences: u64,
    ) -> Tensor {
        const OP: &str = "causal_conv1d";
        const BACKWARD: &str = "causal_conv1d_backward";
        let recent = self.backend().fla == FlaVersion::V060;
        let chunks = if recent {
            Chunks::Named(LARGEST_BLOCK)
        } else {
            Chunks::Of(self.tokens_of_a_block(x))
        };
        let count = x.dim(0) * sequences;
        let state = Shape::from([count, weight.dim(0), weight.dim(1)]);
        if !recent {
            self.convolution_state("new_zeros", state, x.dtype());
        }
        self.chunk_indices(chunks, x.dim(1));
        let (kept, out) = self.unrecorded(|| {
            let x = self.contiguous(x).detach();
            let out = self.empty(OP, *x.shape(), x.dtype());
            if recent {
                self.convolution_state(OP, state, x.dtype());
            }
            (x, out)
        });
        if !self.records(&[x, weight]) {
            return out;
        }
        let saved = [self.save(&kept), self.save(weight)];
        drop(kept);
        let blocks = x.dim(0) * self.blocks_of_tokens(x, sequences);
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let [x, weight] = saved.each_ref().map(|saved| saved.unpack(t));
            t.chunk_indices(chunks, x.dim(1));
            let _g = t.contiguous(g);
            let _before = activated.then(|| t.empty(BACKWARD, *x.shape(), x.dtype()));
            let dx = t.empty(BACKWARD, *x.shape(), x.dtype());
            let elements = Shape::from([blocks, weight.dim(0), weight.dim(1)]);
            let parts = t.empty(BACKWARD, elements, DType::Float32);
            let dw = {
                let shape = Shape::from([1, weight.dim(0), weight.dim(1)]);
                let sum = t.reduce("sum", &parts, shape, DType::Float32);
                t.cast_or_same(&sum, weight.dtype())
            };
            let dw = dw.detach_as(*weight.shape(), weight.strides());
            drop(parts);
            smallvec![Some(dx), Some(dw)]
        };
        let [out] = self.function(&[x, weight], [out], Box::new(backward));
        out
    }

    /// One token of each sequence, through a convolution that keeps the last ones in place
    /// (`causal_conv1d_update`): x to the same. Where nothing was kept, there is nothing but zeros.
    pub fn causal_conv_step(&self, x: &Tensor, weight: &Tensor, sequences: u64) -> Tensor {
        let state = Shape::from([x.dim(0) * sequences, weight.dim(0), weight.dim(1)]);
        let first = self.tokens_seen_by_layer() == 0;
        let _zeros =
            (first && !self.has_cache()).then(|| self.empty("new_zeros", state, x.dtype()));
        if first {
            self.convolution_state("new_zeros", state, x.dtype());
        }
        let x = self.contiguous(x);
        self.empty("causal_conv1d_update", *x.shape(), x.dtype())
    }

    /// Programs along the tokens of a sample.
    fn blocks_of_tokens(&self, x: &Tensor, sequences: u64) -> u64 {
        let block = self.tokens_of_a_block(x);
        sequences * (x.dim(1) / sequences).div_ceil(block)
    }

    fn tokens_of_a_block(&self, x: &Tensor) -> u64 {
        match self.backend().fla {
            FlaVersion::V060 => LARGEST_BLOCK,
            FlaVersion::V022 => {
                let tokens = (x.dim(0) * x.dim(1)).max(SMALLEST);
                let each = tokens.div_ceil(self.backend().multiprocessors);
                each.next_power_of_two().min(LARGEST_BLOCK)
            }
        }
    }
}
