//! Products with weights that are held in eight bits (`LLM.int8()`).
//!
//! Source: bitsandbytes 0.50, `autograd/_functions.py` (`MatMul8bitLt`) and `backends/*/ops.py`;
//! what 0.45 does differently is asked of [`EightBit`].

use crate::tape::graph::{Edge, Grads};
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, Shape};
use smallvec::smallvec;
use std::rc::Rc;

/// A frozen weight in eight bits with a scale a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EightBit {
    /// Rows of the weight.
    pub outputs: u64,
    /// Columns of the weight.
    pub inputs: u64,
    /// Whether the sums in 32-bit integers live as long as the product is computed (bitsandbytes
    /// 0.45), or only until they are scaled (0.50).
    pub keeps_sums: bool,
}

impl Tape {
    /// `bitsandbytes.matmul(x, weight, bias)` with a threshold that no column of x exceeds:
    /// `[.., inputs]` to `[.., outputs]` in the dtype of x. Its node holds x until the graph dies,
    /// as checkpointing does not drop it.
    pub fn matmul_8bit(&self, x: &Tensor, weight: EightBit) -> Tensor {
        let grad_mode = self.set_grad_enabled(false);
        let flat = self.reshape(x, [x.numel() / x.dim(-1).max(1), x.dim(-1)]);
        let out = self.gemm_8bit(&flat, weight);
        self.set_grad_enabled(grad_mode);
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = weight.outputs;
        let out = out.detach_as(shape, layout::contiguous(&shape));
        if !self.records(&[x]) {
            return out;
        }
        let from = *x.shape();
        let dtype = x.dtype();
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let rows = g.numel() / weight.outputs.max(1);
            let flat = t.contiguous(&t.reshape(g, [rows, weight.outputs]));
            let full = t.empty(
                "_to_copy",
                Shape::from([weight.outputs, weight.inputs]),
                dtype,
            );
            drop(t.empty("mul", Shape::from([weight.outputs]), DType::Float32));
            let flat = t.to(&flat, dtype);
            let grad = t.mm(&flat, &full);
            smallvec![Some(t.view(&grad, from))]
        };
        let node = self.node_with(&[x], Box::new(backward), Some(Rc::new(flat)));
        out.with_edge(Edge::Node(node, 0))
    }

    /// `int8_vectorwise_dequant`: the weight in float32.
    pub fn dequantize_8bit(&self, weight: EightBit) -> Tensor {
        let full = Shape::from([weight.outputs, weight.inputs]);
        let _scaled = self.empty("mul", full, DType::Float32);
        self.empty("mul", full, DType::Float32)
    }

    /// x `[N, inputs]` in eight bits times the weight, in the dtype of x `[N, outputs]`.
    fn gemm_8bit(&self, x: &Tensor, weight: EightBit) -> Tensor {
        let n = x.dim(0);
        let _scales = {
            let half = self.to(x, DType::Float16);
            let scales = self.empty("int8_vectorwise_quant", Shape::from([n]), DType::Float32);
            let rows = self.empty("int8_vectorwise_quant", *x.shape(), DType::UInt8);
            let outliers = {
                let _magnitudes = self.like("abs", &half);
                self.empty("ge", *x.shape(), DType::Bool)
            };
            drop(self.reduce("any", &outliers, Shape::new(&[]), DType::Bool));
            self.synchronize_stream();
            (rows, scales)
        };
        let out = Shape::from([n, weight.outputs]);
        self.computes(&[n, weight.inputs, weight.outputs]);
        let mut sums = Some(self.empty("int8_linear_matmul", out, DType::Int32));
        let half = self.empty("int8_mm_dequant", out, DType::Float16);
        let result = self.to(&half, x.dtype());
        if !weight.keeps_sums {
            sums = None;
        }
        drop((half, sums));
        result
    }
}
