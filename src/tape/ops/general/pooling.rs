//! Pooling, and what makes images larger and smaller.

use super::windows::shape_of;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

impl Tape {
    /// `max_pool1d`, `2d` or `3d` to the extents `to`: the largest and where they are. Saves x and the places
    /// (`aten/src/ATen/native/cuda/DilatedMaxPool2d.cu`).
    pub fn pool_largest(&self, x: &Tensor, to: &[u64]) -> [Tensor; 2] {
        const OP: &str = "max_pool2d_with_indices";
        let shape = shape_of(x.dim(0), x.dim(1), to);
        let records = self.records(&[x]);
        let out = self.empty(OP, shape, x.dtype());
        let places = self.empty(OP, shape, DType::Int64);
        drop(self.contiguous(&x.detach()));
        if !records {
            return [out, places];
        }
        let saved = self.save(x);
        let saved_places = self.save(&places);
        let out = self.with_saved(x, out, Some(saved), move |t, g, x| {
            let _places = saved_places.unpack(t);
            let _g = t.contiguous(g);
            t.empty("max_pool2d_with_indices_backward", *x.shape(), x.dtype())
        });
        [out, places]
    }

    /// `avg_pool1d`, `2d`, `3d` and their adaptive relatives, to the extents `to`. Saves x
    /// (`aten/src/ATen/native/cuda/{AveragePool2d,AdaptiveAveragePooling}.cu`).
    pub fn pool_means(&self, x: &Tensor, to: &[u64]) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.empty("avg_pool2d", shape_of(x.dim(0), x.dim(1), to), x.dtype());
        drop(self.contiguous(&x.detach()));
        self.with_saved(x, out, saved, |t, g, image| {
            let whole = t.empty("avg_pool2d_backward", *image.shape(), g.dtype());
            drop(t.contiguous(g));
            whole
        })
    }

    /// `upsample_nearest1d`, `2d`, `3d`, `upsample_bilinear2d` and their like, to the extents `to`, under
    /// autocast in float32. Saves nothing (`aten/src/ATen/native/cuda/UpSample*.cu`).
    pub fn resample(&self, op: &'static str, x: &Tensor, to: &[u64]) -> Tensor {
        let x = &self.cast_up(x);
        let from = *x.shape();
        let out = self.empty(op, shape_of(x.dim(0), x.dim(1), to), x.dtype());
        drop(self.contiguous(&x.detach()));
        self.with_nothing_saved(x, out, move |t, g| {
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
