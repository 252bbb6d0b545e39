//! Features of images before they are placed among embedded tokens (`get_image_features` in `models/*/modeling_*.py` of
//! transformers 5.23): `generate` keeps them as long as it runs.

use crate::tape::{Tape, Tensor};

/// Features of images, and the tower's other results.
#[derive(Clone)]
pub struct ImageFeatures {
    /// Features that are placed among tokens.
    pub(crate) pooled: Pooled,
    /// Features of further depths, for each image `[tokens, H]`.
    pub(crate) deep: Vec<Vec<Tensor>>,
    /// Other results of the tower.
    pub(crate) beside: Vec<Tensor>,
}

/// The form of `pooler_output`.
#[derive(Clone)]
pub(crate) enum Pooled {
    /// One tensor for all images `[N, tokens, H]`.
    Whole(Tensor),
    /// The features as a list.
    Listed(Tensor),
    /// A tensor for each image `[tokens, H]`.
    Parts(Vec<Tensor>),
}

impl ImageFeatures {
    /// Features of nothing but one depth.
    pub(crate) fn new(pooled: Pooled, beside: impl IntoIterator<Item = Tensor>) -> Self {
        Self {
            pooled,
            deep: Vec::new(),
            beside: beside.into_iter().collect(),
        }
    }

    /// Features in the order of their tokens, `[tokens, H]`.
    pub(crate) fn joined(&self, t: &Tape) -> Tensor {
        match &self.pooled {
            Pooled::Whole(all) => all.clone(),
            Pooled::Listed(all) => t.join_first(all),
            Pooled::Parts(parts) => join(t, parts),
        }
    }

    /// Tensors in local variables as long as the features live.
    pub(crate) fn held(self) -> impl Iterator<Item = Tensor> {
        let pooled = match self.pooled {
            Pooled::Whole(all) | Pooled::Listed(all) => vec![all],
            Pooled::Parts(parts) => parts,
        };
        let deep = self.deep.into_iter().flatten();
        self.beside.into_iter().chain(pooled).chain(deep)
    }
}

/// `[tokens, H]` of each image one after the other.
pub(crate) fn join(t: &Tape, parts: &[Tensor]) -> Tensor {
    t.cat(&parts.iter().collect::<Vec<_>>(), 0)
}
