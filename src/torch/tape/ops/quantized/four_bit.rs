//! Products with weights that are held in four bits.
//!
//! Source: bitsandbytes 0.50, `autograd/_functions.py` and `backends/cuda/ops.py`.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Elements that share a scale.
const BLOCK: u64 = 64;
/// Rows from which on the weight is always brought back to full width (`_gemm_4bit_custom_max_m`).
const FUSED_ROWS: u64 = 1536;
/// Columns of the weight that a block of the fused kernel takes.
const FUSED_COLUMNS: u64 = 64;
/// Weights below this many elements are small.
const SMALL_WEIGHT: u64 = 4 << 20;

/// A frozen weight in four bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FourBit {
    /// Rows of the weight.
    pub outputs: u64,
    /// Columns of the weight.
    pub inputs: u64,
    /// The dtype that it had before.
    pub dtype: DType,
    /// Whether its scales are quantized too.
    pub double: bool,
    /// Whether products with few rows run in one kernel (bitsandbytes 0.50; not in 0.45).
    pub fuses_few_rows: bool,
}

impl FourBit {
    /// Blocks with a scale each.
    pub fn blocks(&self) -> u64 {
        (self.outputs * self.inputs).div_ceil(BLOCK)
    }

    fn shape(&self) -> Shape {
        Shape::from([self.outputs, self.inputs])
    }
}

impl Tape {
    /// `bitsandbytes.matmul_4bit(x, weight, bias)`: `[.., inputs]` to `[.., outputs]`. Saves
    /// nothing; the weight is brought back to full width for each product.
    pub fn matmul_4bit(&self, x: &Tensor, weight: FourBit, bias: Option<&Tensor>) -> Tensor {
        let grad_mode = self.set_grad_enabled(false);
        let out = self.gemm_4bit(x, weight, bias);
        self.set_grad_enabled(grad_mode);
        if !self.records(&[x]) {
            return out;
        }
        let from = *x.shape();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let full = t.to(&t.dequantize_4bit(weight), g.dtype());
                let rows = g.numel() / weight.outputs.max(1);
                let flat = t.reshape(g, [rows, weight.outputs]);
                let grad = t.mm(&flat, &full);
                smallvec![Some(t.unsafe_view(&grad, from))]
            }),
        )
    }

    /// `bitsandbytes::gemm_4bit`: a fused kernel for few rows, else a product with the weight at
    /// full width.
    fn gemm_4bit(&self, x: &Tensor, weight: FourBit, bias: Option<&Tensor>) -> Tensor {
        const OP: &str = "gemm_4bit";
        if !weight.fuses_few_rows {
            let full = self.to(&self.dequantize_4bit(weight), x.dtype());
            return self.linear(x, &full, bias);
        }
        let rows = x.numel() / x.dim(-1).max(1);
        if is_fused(rows, weight, x.dtype(), self.backend().multiprocessors) {
            let mut shape = *x.shape();
            let last = shape.rank() - 1;
            shape.dims_mut()[last] = weight.outputs;
            self.computes(&[rows, weight.inputs, weight.outputs]);
            return self.empty(OP, shape, x.dtype());
        }
        let scales = || self.empty(OP, Shape::from([weight.blocks()]), DType::Float32);
        let _scales = weight.double.then(|| [scales(), scales()]);
        let full = self.empty(OP, weight.shape(), x.dtype());
        self.as_one_operation(|| self.linear(x, &full, bias))
    }

    /// `dequantize_4bit`: the weight at full width, in the dtype that it had.
    pub fn dequantize_4bit(&self, weight: FourBit) -> Tensor {
        let scales = Shape::from([weight.blocks()]);
        let _scales = weight
            .double
            .then(|| self.empty("dequantize_blockwise", scales, DType::Float32));
        self.empty("dequantize_4bit", weight.shape(), weight.dtype)
    }
}

/// `_gemm_4bit_use_custom_cuda` of compute capability 8.0.
fn is_fused(rows: u64, weight: FourBit, dtype: DType, multiprocessors: u64) -> bool {
    let (n, k) = (weight.outputs, weight.inputs);
    if rows > FUSED_ROWS || k % BLOCK != 0 {
        return false;
    }
    if rows <= 4 {
        return true;
    }
    if dtype == DType::Float32 {
        return rows < 8;
    }
    let blocks = n.div_ceil(FUSED_COLUMNS);
    // Whether the kernel's blocks fill less than this share of the multiprocessors.
    let below = |numerator, denominator| blocks * denominator < multiprocessors * numerator;
    if n * k < SMALL_WEIGHT {
        let most = if k * 2 < n {
            if below(1, 3) { FUSED_ROWS } else { 512 }
        } else if blocks * 4 <= multiprocessors {
            match k >= n {
                true if blocks * 8 <= multiprocessors => 32,
                true => 128,
                false => 384,
            }
        } else if blocks * 2 <= multiprocessors {
            16
        } else {
            0
        };
        return rows <= most;
    }
    if rows < 8 {
        let tall = k > n && below(3, 4);
        let square = k == n && below(3, 5);
        return !(rows >= 6 && blocks >= 48 && (tall || square));
    }
    let most = if blocks >= multiprocessors * 3 {
        128
    } else if blocks >= multiprocessors {
        if k < n { 64 } else { 32 }
    } else if (k >= n * 3 && blocks * 4 > multiprocessors)
        || (k == n && blocks >= 48 && below(3, 5))
    {
        0
    } else if below(1, 2) && k <= n {
        128
    } else if below(1, 2) && blocks * 3 >= multiprocessors {
        0
    } else if blocks >= multiprocessors / 2 && k < n {
        128
    } else {
        16
    };
    rows <= most
}
