//! Normalization with statistics of its own.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.layer_norm(x, [size], weight, bias)` over the last dimension
    /// (`aten/src/ATen/native/cuda/layer_norm_kernel.cu`, torch 2.15). Saves x, weight, bias and, in
    /// float32, mean and reciprocal deviation of each row.
    pub fn layer_norm(&self, x: &Tensor, weight: Option<&Tensor>, bias: Option<&Tensor>) -> Tensor {
        const OP: &str = "native_layer_norm";
        const BACKWARD: &str = "native_layer_norm_backward";
        // C++ evaluates the casts from the last argument to the first.
        let bias = bias.map(|bias| self.cast_up(bias));
        let weight = weight.map(|weight| self.cast_up(weight));
        let x = &self.cast_up(x);
        let inputs: smallvec::SmallVec<[&Tensor; 3]> = [Some(x), weight.as_ref(), bias.as_ref()]
            .into_iter()
            .flatten()
            .collect();
        let records = self.records(&inputs);
        let saved = records.then(|| self.save(x));
        let in_rows = self.contiguous(x);
        let out = self.empty(OP, *x.shape(), x.dtype());
        let rows = Shape::from([x.numel() / x.dim(-1).max(1)]);
        let statistics = [(); 2].map(|()| self.empty(OP, rows, DType::Float32));
        drop(in_rows);
        let Some(saved) = saved else { return out };
        let statistics = statistics.map(|rows| self.save(&rows));
        let shape = *x.shape();
        let dtype = x.dtype();
        let parameters: smallvec::SmallVec<[_; 2]> = inputs[1..]
            .iter()
            .map(|p| (*p.shape(), p.dtype(), p.requires_grad()))
            .collect();
        let affine: smallvec::SmallVec<[_; 2]> = inputs[1..].iter().map(|p| self.save(p)).collect();
        let need_x = x.requires_grad();
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _bias = affine.get(1).map(|bias| bias.unpack(t));
                let x = saved.unpack(t);
                let _weight = affine.first().map(|weight| weight.unpack(t));
                let _statistics = statistics.each_ref().map(|s| s.unpack(t));
                let _rows = t.contiguous(&x);
                let needed = need_x && t.asks(0);
                let mut grads: Grads = smallvec![needed.then(|| t.empty(BACKWARD, shape, dtype))];
                grads.extend((1..).zip(&parameters).map(|(i, &(shape, dtype, needed))| {
                    (needed && t.asks(i)).then(|| t.empty(BACKWARD, shape, dtype))
                }));
                drop(t.contiguous(g));
                grads
            }),
        )
    }

    /// [`Tape::layer_norm`] in the low precision of the autocast region, if there is one, to which x,
    /// weight and bias are cast first.
    pub fn layer_norm_narrow(&self, x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
        let Some(dtype) = self.autocast_dtype() else {
            return self.layer_norm(x, Some(weight), Some(bias));
        };
        let [x, weight, bias] = [x, weight, bias].map(|x| self.to(x, dtype));
        self.without_autocast(|| self.layer_norm(&x, Some(&weight), Some(&bias)))
    }

    /// `torch.nn.functional.rms_norm(x, [size], weight)` over the last dimension, under autocast in
    /// float32: one kernel in torch
    /// 2.15 (`_fused_rms_norm`), which saves x, the weight and, in float32, the reciprocal deviation
    /// of each row; written out in torch 2.6 and where the weight has another dtype than x
    /// (`aten/src/ATen/native/layer_norm.cpp`).
    pub fn rms_norm(&self, x: &Tensor, weight: Option<&Tensor>) -> Tensor {
        const OP: &str = "_fused_rms_norm";
        const BACKWARD: &str = "_fused_rms_norm_backward";
        let x = &self.cast_up(x);
        let weight = weight.map(|weight| self.cast_up(weight));
        let weight = weight.as_ref();
        let mixed = weight.is_some_and(|weight| weight.dtype() != x.dtype());
        if mixed || !self.backend().rms_norm_is_fused {
            return self.rms_norm_written_out(x, weight);
        }
        let inputs: smallvec::SmallVec<[&Tensor; 2]> =
            [Some(x), weight].into_iter().flatten().collect();
        let saved = self.records(&inputs).then(|| {
            inputs
                .iter()
                .map(|x| self.save(x))
                .collect::<smallvec::SmallVec<[_; 2]>>()
        });
        let compact = self.contiguous(&x.detach());
        let out = self.empty(OP, *x.shape(), x.dtype());
        let rows = Shape::from([x.numel() / x.dim(-1).max(1)]);
        let deviation = self.empty(OP, rows, DType::Float32);
        drop(compact);
        let Some(saved) = saved else { return out };
        let deviation = self.save(&deviation);
        let needed: smallvec::SmallVec<[bool; 2]> =
            inputs.iter().map(|x| x.requires_grad()).collect();
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else {
                    return Grads::new();
                };
                let saved: smallvec::SmallVec<[Tensor; 2]> =
                    saved.iter().map(|saved| saved.unpack(t)).collect();
                let _deviation = deviation.unpack(t);
                let _compact = [Some(g), saved.first()].map(|x| x.map(|x| t.contiguous(x)));
                let each = saved.iter().zip(&needed).enumerate();
                each.map(|(i, (x, &needed))| {
                    (needed && t.asks(i)).then(|| t.empty(BACKWARD, *x.shape(), x.dtype()))
                })
                .collect()
            }),
        )
    }

    fn rms_norm_written_out(&self, x: &Tensor, weight: Option<&Tensor>) -> Tensor {
        let dtype = x.dtype();
        let wide = self.to(x, DType::Float32);
        let scale = {
            let mean = {
                let square = self.square(&wide);
                let mean = self.mean_last(&square);
                (mean, square)
            };
            self.rsqrt(&mean.0)
        };
        let normalized = {
            let normalized = self.mul(&wide, &scale);
            drop((wide, scale));
            self.to(&normalized, dtype)
        };
        match weight {
            Some(weight) => self.mul(&normalized, weight),
            None => normalized,
        }
    }
}
