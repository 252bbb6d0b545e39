//! Operations beside convolutions, over images `[B, C, H, W]`.

use super::convolution::{BACKWARD, OP, Window};
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.batch_norm` in training, or with the statistics that it keeps
    /// (`aten/src/ATen/native/cuda/Normalization.cu`, torch 2.15, where cuDNN is off). Saves x, the weight
    /// and, in float32, mean and reciprocal deviation of each channel.
    pub fn batch_norm(&self, x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
        const OP: &str = "native_batch_norm";
        const BACKWARD: &str = "native_batch_norm_backward";
        let inputs = [x, weight, bias];
        let saved = self
            .records(&inputs)
            .then(|| [x, weight].map(|x| self.save(x)));
        let out = self.like(OP, x);
        let statistics = self
            .is_training()
            .then(|| [(); 2].map(|()| self.empty(OP, *weight.shape(), DType::Float32)));
        let Some(saved) = saved else { return out };
        let statistics = statistics.map(|each| each.map(|each| self.save(&each)));
        let needs = inputs.map(Tensor::requires_grad);
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, weight] = saved.each_ref().map(|saved| saved.unpack(t));
                let _statistics = statistics
                    .as_ref()
                    .map(|each| each.each_ref().map(|s| s.unpack(t)));
                let of_x = needs[0].then(|| t.like(BACKWARD, &x));
                let of_channels = |needed: bool| {
                    needed.then(|| t.empty(BACKWARD, *weight.shape(), weight.dtype()))
                };
                drop(g.clone());
                smallvec![of_x, of_channels(needs[1]), of_channels(needs[2])]
            }),
        )
    }

    /// `torch.nn.functional.max_pool2d(x, 3, stride=2, padding=1)`
    /// (`aten/src/ATen/native/cuda/DilatedMaxPool2d.cu`, torch 2.15). Saves x and where the largest are.
    pub fn max_pool(&self, x: &Tensor) -> Tensor {
        const OP: &str = "max_pool2d_with_indices";
        let half = |n: u64| n.saturating_sub(1) / 2 + 1;
        let shape = Shape::from([x.dim(0), x.dim(1), half(x.dim(2)), half(x.dim(3))]);
        let records = self.records(&[x]);
        let out = self.empty(OP, shape, x.dtype());
        let places = self.empty(OP, shape, DType::Int64);
        if !records {
            return out;
        }
        let saved = [x, &places].map(|x| self.save(x));
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, _places] = saved.each_ref().map(|saved| saved.unpack(t));
                let _g = t.contiguous(g);
                smallvec![Some(t.empty(
                    "max_pool2d_with_indices_backward",
                    *x.shape(),
                    x.dtype()
                ))]
            }),
        )
    }

    /// `torch.nn.functional.conv2d(x, weight, bias, padding=..., groups=C)` of `[B, C, H, W]` and
    /// `[C, 1, h, w]`, with a result of the same size (`aten/src/ATen/native/cuda/DepthwiseConv2d.cu`,
    /// torch 2.15). Saves x and the weight.
    pub fn depthwise_conv2d(&self, x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let bias = &self.cast_down(bias);
        let weight = &self.cast_down(weight);
        let x = &self.cast_down(x);
        let inputs = [x, weight, bias];
        let saved = self
            .records(&inputs)
            .then(|| [x, weight].map(|x| self.save(x)));
        let whole = self.contiguous(x);
        let out = self.empty(OP, *x.shape(), x.dtype());
        drop(whole);
        let Some(saved) = saved else { return out };
        let needs = inputs.map(Tensor::requires_grad);
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, weight] = saved.each_ref().map(|saved| saved.unpack(t));
                let whole = t.contiguous(g);
                let of_weight = needs[1].then(|| {
                    let _x = t.contiguous(&x);
                    t.empty(BACKWARD, *weight.shape(), weight.dtype())
                });
                let of_x = needs[0].then(|| t.empty(BACKWARD, *x.shape(), x.dtype()));
                drop(whole);
                let of_bias = needs[2].then(|| {
                    let sum = t.reduce(BACKWARD, g, [1, x.dim(1), 1, 1].into(), g.dtype());
                    sum.view_with([x.dim(1)].into(), Shape::from([1]), None)
                });
                smallvec![of_x, of_weight, of_bias]
            }),
        )
    }

    /// A convolution without bias that keeps the image's size but for its stride.
    pub fn conv2d_same(&self, x: &Tensor, weight: &Tensor, stride: u64) -> Tensor {
        let window = Window {
            stride: [stride; 2],
            padding: [weight.dim(2) / 2, weight.dim(3) / 2],
        };
        self.conv2d(x, weight, None, window)
    }

    /// `torch.nn.functional.interpolate(x, size=..., mode="bilinear")` of `[B, C, H, W]` to the size that it
    /// has: a copy. Saves nothing.
    pub fn upsample_bilinear(&self, x: &Tensor) -> Tensor {
        let out = self.like("upsample_bilinear2d", x);
        self.with_nothing_saved(x, out, |t, g| t.like("upsample_bilinear2d_backward", g))
    }

    /// `torch.linalg.vector_norm(x, dim=(1, 2), keepdim=True)` of `[B, H, W, C]`, under autocast in
    /// float32: `[B, 1, 1, C]`. Saves x and its result.
    pub fn length_of_channels(&self, x: &Tensor) -> Tensor {
        let wide = self.autocast_dtype().map(|_| DType::Float32);
        let shape = Shape::from([x.dim(0), 1, 1, x.dim(3)]);
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.reduce("linalg_vector_norm", x, shape, wide.unwrap_or(x.dtype()));
        let Some(saved) = saved else { return out };
        let norm = self.save(&out.detach());
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let (x, norm) = (saved.unpack(t), norm.unpack(t));
                smallvec![Some(t.along_lengths(g, &x, &norm))]
            }),
        )
    }
}
