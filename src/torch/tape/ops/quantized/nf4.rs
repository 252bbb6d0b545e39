//! Products with weights that torchao's `NF4Tensor` holds in four bits.
//!
//! Source: torchao 0.10, `dtypes/nf4tensor.py`, which torchtune 0.6.1 runs.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Elements that share a scale (`block_size`).
const BLOCK: u64 = 64;
/// Scales that share one of their own (`scaler_block_size`).
const SCALES: u64 = 256;
/// Values of the code.
const CODE: u64 = 16;

/// A frozen weight of `NF4Tensor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nf4 {
    /// Rows of the weight.
    pub outputs: u64,
    /// Columns of the weight.
    pub inputs: u64,
    /// The dtype that it had before.
    pub dtype: DType,
}

impl Nf4 {
    /// Scales of the weight.
    fn scales(&self) -> u64 {
        (self.outputs * self.inputs).div_ceil(BLOCK)
    }

    /// Shapes and dtypes of the tensors that hold it: two elements a byte, the mean of scales, the scales of scales,
    /// scales, the code.
    pub fn parts(&self) -> [(Shape, DType); 5] {
        [
            (Shape::from([self.outputs * self.inputs / 2]), DType::UInt8),
            (Shape::new(&[]), self.dtype),
            (Shape::from([self.scales().div_ceil(SCALES)]), self.dtype),
            (Shape::from([self.scales()]), DType::UInt8),
            (Shape::from([CODE]), self.dtype),
        ]
    }
}

impl Tape {
    /// `linear_nf4(x, weight)`: `[.., inputs]` to `[.., outputs]`. Saves the weight as it is `packed`, which is brought back to
    /// full width for each product.
    pub fn linear_nf4(&self, x: &Tensor, weight: Nf4, packed: &Tensor) -> Tensor {
        let grad_mode = self.set_grad_enabled(false);
        let out = {
            let full = self.to(&self.original_nf4(weight), x.dtype());
            self.linear(x, &full, None)
        };
        self.set_grad_enabled(grad_mode);
        if !self.records(&[x]) {
            return out;
        }
        let from = *x.shape();
        let saved = self.save(packed);
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _packed = saved.unpack(t);
                let full = t.to(&t.original_nf4(weight), g.dtype());
                let flat = t.reshape(g, [g.numel() / weight.outputs.max(1), weight.outputs]);
                let grad = t.mm(&flat, &full);
                smallvec![Some(t.unsafe_view(&grad, from))]
            }),
        )
    }

    /// `NF4Tensor.get_original_weight`: the weight at full width, in the dtype that it had.
    pub fn original_nf4(&self, weight: Nf4) -> Tensor {
        let half = Shape::from([weight.outputs * weight.inputs / 2]);
        // Each element's place in the code.
        let indices = |op| {
            let bits = self.empty(op, half, DType::UInt8);
            let indices = self.empty("_to_copy", half, DType::Int64);
            drop(bits);
            indices
        };
        let places = [indices("bitwise_right_shift"), indices("bitwise_and")];
        let made = |op| self.empty(op, half, weight.dtype);
        let values = [made("index"), made("index")];
        let scales = {
            let shape = Shape::from([weight.scales()]);
            let _quotients = self.empty("div", shape, weight.dtype);
            self.empty("add", shape, weight.dtype)
        };
        let scaled = || {
            let _repeated = made("clone");
            made("mul")
        };
        let scaled = [scaled(), scaled()];
        let shape = Shape::from([weight.outputs, weight.inputs]);
        let full = self.empty("stack", shape, weight.dtype);
        drop((places, values, scales, scaled));
        full
    }
}
