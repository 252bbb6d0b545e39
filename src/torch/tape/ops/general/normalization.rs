//! Normalization with and without weights, over any dimensions.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.batch_norm` of `[B, C, ..]` in training or with the statistics that it keeps
    /// (`aten/src/ATen/native/cuda/Normalization.cu`). Saves x, the weight, kept statistics where it uses them, and, in
    /// float32, mean and reciprocal deviation of each channel.
    pub fn normalize_channels(
        &self,
        x: &Tensor,
        [weight, bias]: [Option<&Tensor>; 2],
        training: bool,
    ) -> Tensor {
        const OP: &str = "native_batch_norm";
        const BACKWARD: &str = "native_batch_norm_backward";
        let inputs: smallvec::SmallVec<[&Tensor; 3]> =
            [Some(x), weight, bias].into_iter().flatten().collect();
        let saved = self
            .records(&inputs)
            .then(|| (self.save(x), weight.map(|weight| self.save(weight))));
        let channels = Shape::from([x.dim(1)]);
        let out = self.like(OP, x);
        let statistics =
            training.then(|| [(); 2].map(|()| self.empty(OP, channels, DType::Float32)));
        let Some((saved, saved_weight)) = saved else {
            return out;
        };
        let statistics = statistics.map(|each| each.map(|each| self.save(&each)));
        let needs: smallvec::SmallVec<[bool; 3]> =
            inputs.iter().map(|x| x.requires_grad()).collect();
        let dtype = weight.or(bias).map_or(x.dtype(), Tensor::dtype);
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let x = saved.unpack(t);
                let _weight = saved_weight.as_ref().map(|weight| weight.unpack(t));
                let _statistics = statistics
                    .as_ref()
                    .map(|each| each.each_ref().map(|s| s.unpack(t)));
                let of_x = needs[0].then(|| t.like(BACKWARD, &x));
                let mut grads: Grads = smallvec![of_x];
                for needed in &needs[1..] {
                    grads.push(needed.then(|| t.empty(BACKWARD, channels, dtype)));
                }
                drop(g.clone());
                grads
            }),
        )
    }

    /// `torch.nn.functional.layer_norm` over the last `dimensions`: as [`Tape::layer_norm`] of rows.
    pub fn normalize_last(
        &self,
        x: &Tensor,
        [weight, bias]: [Option<&Tensor>; 2],
        dimensions: usize,
    ) -> Tensor {
        if dimensions == 1 {
            return self.layer_norm(x, weight, bias);
        }
        let dims = x.shape().dims();
        let (rows, inner) = dims.split_at(dims.len().saturating_sub(dimensions));
        let [rows, inner] = [rows, inner].map(|sizes| sizes.iter().product::<u64>());
        let flat = |x: Option<&Tensor>| x.map(|x| self.view(x, [inner]));
        let seen = self.reshape(x, [rows, inner]);
        let (weight, bias) = (flat(weight), flat(bias));
        let out = self.layer_norm(&seen, weight.as_ref(), bias.as_ref());
        self.view(&out, *x.shape())
    }

    /// `torch.prelu(x, weight)`, under autocast in low precision (`_prelu_kernel`). Saves x and the weight, whose
    /// gradient is as large as x before it is summed.
    pub fn prelu(&self, x: &Tensor, weight: &Tensor) -> Tensor {
        const OP: &str = "_prelu_kernel";
        const BACKWARD: &str = "_prelu_kernel_backward";
        let weight = self.cast_down(weight);
        let x = &self.cast_down(x);
        self.without_autocast(|| {
            let mut shape: smallvec::SmallVec<[u64; 6]> = smallvec![1; x.shape().rank()];
            if let Some(channels) = shape.get_mut(1) {
                *channels = weight.numel();
            }
            let weight = if x.shape().rank() > 1 || weight.numel() == 1 {
                self.view(&weight, Shape::new(&shape))
            } else {
                weight.clone()
            };
            let inputs = [x, &weight];
            let saved = self
                .records(&inputs)
                .then(|| inputs.map(|kept| self.save(kept)));
            let out = self.like(OP, x);
            let Some(saved) = saved else { return out };
            self.attach(
                &inputs,
                out,
                Box::new(move |t, g| {
                    let Some(g) = &g[0] else { return Grads::new() };
                    let [x, _weight] = saved.each_ref().map(|saved| saved.unpack(t));
                    let both = [(); 2].map(|()| t.elementwise(BACKWARD, &[g, &x], g.dtype()));
                    both.map(Some).into_iter().collect()
                }),
            )
        })
    }
}
