//! A graph that `torch.export` wrote, with the sizes that it leaves open.

use crate::exported::{Graph, Meta, Size, ValueId};
use crate::units::{DType, MAX_DIMS, Shape};
use std::sync::Arc;

/// A graph with all its sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedConfig {
    /// The graph.
    pub graph: Arc<Graph>,
    /// The values of its symbols, by their places.
    pub symbols: Vec<Option<i64>>,
    /// Whether convolutions run by PyTorch's own kernels.
    pub native_convolutions: bool,
}

impl ExportedConfig {
    /// A whole number.
    pub fn number(&self, size: &Size) -> Option<i64> {
        size.value(&self.symbols)
    }

    /// The sizes of a tensor, where it has so few dimensions that the engine holds it.
    pub fn shape(&self, meta: &Meta) -> Option<Shape> {
        if meta.sizes.len() > MAX_DIMS {
            return None;
        }
        let sizes = meta.sizes.iter();
        let sizes = sizes.map(|size| u64::try_from(self.number(size)?).ok());
        let sizes: Vec<u64> = sizes.collect::<Option<_>>()?;
        Some(Shape::new(&sizes))
    }

    /// The shape and the dtype of a value.
    pub fn tensor(&self, id: ValueId) -> Option<(Shape, DType)> {
        let meta = self.graph.tensor(id)?;
        Some((self.shape(meta)?, meta.dtype?))
    }
}
