//! The cosines and sines by which positions rotate queries and keys: which rotary embeddings a model has,
//! and which of its layers reads which.

use super::rotary::Rotary;
use super::rotary_pairs;
use crate::model::{DecoderConfig, Grids, Style, Transformers};
use crate::nn::build::{Builder, Facts};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Cosines and sines, `[1, S, D]` each.
pub(crate) type CosSin = (Tensor, Tensor);

/// The rotary embeddings of a model.
pub(crate) struct Angles {
    style: Style,
    /// Rotary embeddings of full layers and, if those have one of their own, of windowed layers.
    kinds: [Option<Rotary>; 2],
    /// A rotary embedding for each base, if layers have bases of their own.
    bases: Vec<Rotary>,
    /// The index of the base of each layer, if any.
    of_layers: Vec<Option<usize>>,
    /// A module of angles that nobody reads.
    _unread: Option<Rotary>,
}

impl Angles {
    pub(crate) fn new(model: &Builder, c: &DecoderConfig, style: Style, facts: Facts) -> Self {
        // Some have no positions at all.
        let rotates = c.rotary_dim > 0;
        let full_dim = c.gemma_layers.map(|layers| layers.full_head_dim);
        let rotary = |dim| {
            Rotary::new(&model.at("rotary_emb"), dim, facts)
                .by_pair(style.rotary_by_pair)
                .remade(style.remade_rotary)
                .in_grids(style.grids)
        };
        let when = |needed: bool, dim| (needed && rotates).then(|| rotary(dim));
        let own = !c.bases.is_empty();
        // transformers 4 makes both, whichever kinds of layers there are.
        let both = style.local_rotary && facts.transformers != Transformers::V5;
        let local = both || style.local_rotary && c.windowed.contains(&true);
        let full = !own && (both || !local || c.windowed.contains(&false));
        let kinds = [
            when(full, full_dim.unwrap_or(c.rotary_dim)),
            when(local, c.rotary_dim),
        ];
        let count = c.bases.iter().flatten().max().map_or(0, |last| last + 1);
        Self {
            style,
            kinds,
            _unread: when(own, c.rotary_dim),
            bases: (0..count).map(|_| rotary(c.rotary_dim)).collect(),
            of_layers: c.bases.clone(),
        }
    }

    /// Cosines and sines of full layers and, if they differ, of windowed layers, for `positions` `[S]` or, if `given`
    /// by images, `[B, S]`, of token ids of shape `ids`.
    pub(crate) fn of_kinds(
        &self,
        t: &Tape,
        (positions, given): (&Tensor, bool),
        ids: Shape,
        dtype: DType,
    ) -> (CosSin, Option<CosSin>) {
        let rotate = |rotary: &Rotary| {
            t.scoped("rotary_emb", None, || {
                if self.style.complex_rotary {
                    let angles = rotary_pairs::complex(t, rotary, positions);
                    return (angles.clone(), angles);
                }
                let all = if self.style.grids == Grids::None || given {
                    positions.clone()
                } else {
                    let row = [1, positions.dim(-1)];
                    t.expand(&t.reshape(positions, row), ids)
                };
                rotary.forward(t, &all, dtype)
            })
        };
        let [full, local] = self.kinds.each_ref().map(Option::as_ref);
        let first = full.or(local).map_or_else(|| none(t, dtype), rotate);
        (first, full.and(local).map(rotate))
    }

    /// Cosines and sines for each base, in a model whose layers have bases of their own.
    pub(crate) fn of_bases(&self, t: &Tape, positions: &Tensor, dtype: DType) -> Vec<CosSin> {
        let rotate =
            |rotary: &Rotary| t.scoped("rotary_embs", None, || rotary.forward(t, positions, dtype));
        self.bases.iter().map(rotate).collect()
    }

    /// The angles of the `i`th layer where layers have bases of their own.
    pub(crate) fn of_layer(
        &self,
        t: &Tape,
        i: usize,
        all: &[CosSin],
        dtype: DType,
    ) -> Option<CosSin> {
        let base = self.of_layers.get(i)?;
        let cos_sin = base.and_then(|base| all.get(base)).cloned();
        Some(cos_sin.unwrap_or_else(|| none(t, dtype)))
    }
}

/// The angles of a layer that reads none.
fn none(t: &Tape, dtype: DType) -> CosSin {
    let none = t.empty("none", Shape::from([0]), dtype);
    (none.clone(), none)
}
