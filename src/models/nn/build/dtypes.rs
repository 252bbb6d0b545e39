//! Dtypes of modules that are not the model's.

use super::builder::Builder;
use crate::units::DType;

impl Builder<'_> {
    /// The dtype of token embeddings, which layers hand on.
    pub(crate) fn embedding_dtype(&self) -> DType {
        if self.plan.cast_back.is_some() {
            self.quantization().compute_dtype.dtype()
        } else if self.plan.wide.is_some() {
            DType::Float32
        } else {
            self.dtype
        }
    }

    /// The dtype that weights are loaded in, which buffers keep where
    /// `prepare_model_for_kbit_training` makes parameters float32.
    pub(crate) fn loaded_dtype(&self) -> DType {
        let quantization = self.quantization();
        let widened = quantization.is_on() && quantization.prepare_for_kbit_training;
        if widened {
            quantization.compute_dtype.dtype()
        } else {
            self.dtype
        }
    }
}
