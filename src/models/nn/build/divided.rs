//! How a module that is built is divided among ranks with the same data.

use super::builder::Builder;
use super::division::{BetweenLayers, Division};
use super::divisions::Divisions;
use crate::ask::{DataParallelKind, Plan as AskedPlan};
use crate::model::TensorStyle;
use crate::tape::{Placement, Tensor};
use crate::units::Shape;

impl Builder<'_> {
    /// Divides the module so where a run divides embeddings and head.
    pub(crate) fn divided_as(&self, style: TensorStyle) -> Self {
        let divides = |divisions: &&Divisions| divisions.asked.shard_embeddings;
        let divisions = self.plan.divisions.as_ref();
        Self {
            style: divisions.filter(divides).map(|_| style),
            ..self.same()
        }
    }

    /// This module, with parameters that have a row for each expert: if ranks divide the experts, only this rank's rows
    /// (`base_model_ep_plan`).
    pub(crate) fn of_experts(&self) -> Self {
        let ranks = self.plan.spec.expert_ranks();
        Self {
            style: ranks.map(|_| TensorStyle::GroupedGemm),
            ..self.same()
        }
    }

    /// This module, which each rank computes for its own positions if the run divides hidden states between layers
    /// along the sequence.
    pub(crate) fn along_sequence(&self) -> Self {
        Self {
            summed: self.divides_sequence(),
            ..self.same()
        }
    }

    /// Whether the run divides hidden states between layers along the sequence.
    fn divides_sequence(&self) -> bool {
        self.between_layers() != BetweenLayers::default()
    }

    /// The weight of a module that is tied to a `table`: a tensor of its own where the model gets its memory as
    /// it is (`to_empty`, which knows only tensors that ranks have together for the same).
    pub(crate) fn tied_to(&self, table: &Tensor) -> Tensor {
        let spec = self.plan.spec;
        let apart = spec.divides_modules()
            && spec.parallelism.dp.kind == DataParallelKind::None
            && !table.placement().is_distributed();
        if !apart {
            return table.clone();
        }
        let t = self.plan.tape;
        t.in_scope(self.scope, || t.parameter(*table.shape(), table.dtype()))
    }

    /// How hidden states between layers are divided.
    pub(crate) fn between_layers(&self) -> BetweenLayers {
        let divisions = self.plan.divisions.as_ref();
        let divided = divisions.filter(|divisions| divisions.asked.sequence_parallel);
        BetweenLayers(divided.map(|divisions| divisions.asked.size))
    }

    /// How the module, whose result has `columns` columns in all, is divided.
    pub(crate) fn division(&self, columns: u64) -> Option<Box<Division>> {
        let divisions = self.plan.divisions.as_ref()?;
        let path = || self.plan.tape.scope_path(self.scope);
        let style = self.style.or_else(|| divisions.style(&path()))?;
        Some(Box::new(Division {
            style,
            ranks: divisions.asked.size,
            planned: divisions.asked.plan == AskedPlan::Transformers,
            sequence: divisions.asked.sequence_parallel,
            divides_logits: divisions.asked.loss_parallel && self.style.is_some(),
            columns,
        }))
    }

    /// This rank's part of the module's parameter `name` of this shape, and its placement.
    pub(super) fn own_part(&self, name: &str, shape: Shape) -> (Shape, Placement) {
        if self.style == Some(TensorStyle::GroupedGemm) {
            let mut part = shape;
            part.dims_mut()[0] /= self.plan.spec.expert_ranks().unwrap_or(1);
            return (part, Placement::OfExperts);
        }
        let Some(divisions) = &self.plan.divisions else {
            return (shape, Placement::Local);
        };
        if self.summed {
            return (shape, Placement::Summed);
        }
        let path = self.plan.tape.scope_path(self.scope);
        let style = self
            .style
            .or_else(|| divisions.style(&format!("{path}.{name}")))
            .or_else(|| divisions.style(&path));
        let Some(style) = style else {
            return (shape, Placement::Local);
        };
        let (rank, ranks) = (shape.rank(), divisions.asked.size);
        let bias = rank == 1;
        let (cut, parts) = match style {
            TensorStyle::EmbeddingRowwise => (Some(0), 1),
            TensorStyle::Colwise | TensorStyle::ColwiseGatherOutput => {
                (Some(rank.saturating_sub(2)), 1)
            }
            TensorStyle::PackedColwise => (Some(rank.saturating_sub(2)), 2),
            TensorStyle::Rowwise | TensorStyle::RowwiseSplitInput => {
                (rank.checked_sub(1).filter(|_| !bias), 1)
            }
            TensorStyle::MoeTpExperts | TensorStyle::GroupedGemm => {
                return (shape, Placement::Local);
            }
        };
        let Some(cut) = cut else {
            return (shape, Placement::Copied);
        };
        let mut part = shape;
        let whole = shape.dims()[cut] / parts;
        part.dims_mut()[cut] = parts * whole.div_ceil(ranks);
        (part, Placement::Divided)
    }
}
