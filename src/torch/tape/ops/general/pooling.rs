//! Pooling, and interpolation of images.

use super::windows::shape_of;
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, Shape};

impl Tape {
    /// `max_pool1d`, `2d` or `3d` to the extents `to`: the largest and where they are. Saves x and the places
    /// (`aten/src/ATen/native/cuda/DilatedMaxPool2d.cu`).
    pub fn pool_largest(&self, x: &Tensor, to: &[u64]) -> [Tensor; 2] {
        const OP: &str = "max_pool2d_with_indices";
        let shape = shape_of(x.dim(0), x.dim(1), to);
        let records = self.records(&[x]);
        let [out, places] = [x.dtype(), DType::Int64].map(|dtype| self.pooled(OP, x, shape, dtype));
        if layout::channels_last(x.shape(), &x.strides(), &shape).is_none() {
            drop(self.contiguous(&x.detach()));
        }
        if !records {
            return [out, places];
        }
        let saved = self.save(x);
        let saved_places = self.save(&places);
        let out = self.with_saved(x, out, Some(saved), move |t, g, x| {
            let _places = saved_places.unpack(t);
            let by_pixels = layout::channels_last(g.shape(), &g.strides(), x.shape());
            let _g = by_pixels.is_none().then(|| t.contiguous(g));
            t.pooled("max_pool2d_with_indices_backward", x, *x.shape(), x.dtype())
        });
        [out, places]
    }

    /// `avg_pool1d`, `2d`, `3d` and their adaptive relatives, to the extents `to`. Saves x
    /// (`aten/src/ATen/native/cuda/{AveragePool2d,AdaptiveAveragePooling}.cu`).
    pub fn pool_means(&self, x: &Tensor, to: &[u64]) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let shape = shape_of(x.dim(0), x.dim(1), to);
        let out = self.pooled("avg_pool2d", x, shape, x.dtype());
        if layout::channels_last(x.shape(), &x.strides(), &shape).is_none() {
            drop(self.contiguous(&x.detach()));
        }
        self.with_saved(x, out, saved, |t, g, image| {
            let whole = t.pooled("avg_pool2d_backward", image, *image.shape(), g.dtype());
            let by_pixels = layout::channels_last(g.shape(), &g.strides(), image.shape());
            if by_pixels.is_none() {
                drop(t.contiguous(g));
            }
            whole
        })
    }

    /// A tensor of a shape whose channels lie last where those of x do.
    fn pooled(&self, op: &'static str, x: &Tensor, shape: Shape, dtype: DType) -> Tensor {
        match layout::channels_last(x.shape(), &x.strides(), &shape) {
            Some(strides) => self.empty_strided(op, shape, strides, dtype),
            None => self.empty(op, shape, dtype),
        }
    }

    /// `upsample_nearest1d`, `2d`, `3d`, `upsample_bilinear2d` and their like, to the extents `to`, under
    /// autocast in float32. Images whose channels lie last keep that; the nearest are read from a copy that lies one
    /// after the other. Saves nothing (`aten/src/ATen/native/cuda/UpSample*.cu`).
    pub fn resample(&self, op: &'static str, x: &Tensor, to: &[u64]) -> Tensor {
        let x = &self.cast_up(x);
        let from = *x.shape();
        let by_copy = op == "upsample_nearest2d";
        let resampled = move |t: &Self, x: &Tensor, shape: Shape| {
            if let Some(strides) = layout::channels_last(x.shape(), &x.strides(), &shape) {
                return t.empty_strided(op, shape, strides, x.dtype());
            }
            let out = t.empty(op, shape, x.dtype());
            if by_copy {
                drop(t.contiguous(&x.detach()));
            }
            out
        };
        let out = resampled(self, x, shape_of(x.dim(0), x.dim(1), to));
        self.with_nothing_saved(x, out, move |t, g| {
            if let Some(strides) = layout::channels_last(g.shape(), &g.strides(), &from) {
                return t.empty_strided(op, from, strides, g.dtype());
            }
            let whole = t.empty(op, from, g.dtype());
            drop(t.contiguous(g));
            whole
        })
    }

    /// `reflection_pad2d`, `replication_pad2d` and their like, to a shape. Saves x.
    pub fn pad_mirrored(&self, x: &Tensor, shape: Shape) -> Tensor {
        const OP: &str = "reflection_pad2d";
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.empty(OP, shape, x.dtype());
        drop(self.contiguous(&x.detach()));
        self.with_saved(x, out, saved, |t, g, x| {
            let whole = t.empty(OP, *x.shape(), g.dtype());
            drop(t.contiguous(g));
            whole
        })
    }
}
