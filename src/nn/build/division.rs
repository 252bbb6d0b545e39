//! Modules that ranks with the same data divide among them: what this rank has of their parameters, and what
//! stands around their calls.
//!
//! Source: `torch/distributed/tensor/parallel/style.py`, torch 2.15; `distributed/tensor_parallel.py`,
//! transformers 5.23.

use super::builder::Builder;
use super::divisions::Divisions;
use crate::ask::{DataParallelKind, Plan as AskedPlan};
use crate::model::TensorStyle;
use crate::tape::{Placement, Tape, Tensor};
use crate::units::Shape;

/// How a module is divided.
#[derive(Debug)]
pub(crate) struct Division {
    style: TensorStyle,
    ranks: u64,
    /// Whether it is transformers that divides it.
    planned: bool,
    /// Whether what stands between layers is divided along the sequence.
    sequence: bool,
    /// Whether logits stay divided.
    divides_logits: bool,
    /// Columns of the result in all.
    columns: u64,
}

impl Builder<'_> {
    /// The same module, divided so where a run divides embeddings and head.
    pub(crate) fn divided_as(&self, style: TensorStyle) -> Self {
        let divides = |divisions: &&Divisions| divisions.asked.shard_embeddings;
        let divisions = self.plan.divisions.as_ref();
        Self {
            style: divisions.filter(divides).map(|_| style),
            ..self.same()
        }
    }

    /// The same module, whose parameters have a row for each expert: where ranks divide the experts, this rank's
    /// rows (`base_model_ep_plan`).
    pub(crate) fn of_experts(&self) -> Self {
        let ranks = self.plan.spec.expert_ranks();
        Self {
            style: ranks.map(|_| TensorStyle::GroupedGemm),
            ..self.same()
        }
    }

    /// The same module, of which each rank computes some positions where a run divides what stands between
    /// layers along the sequence.
    pub(crate) fn along_sequence(&self) -> Self {
        Self {
            summed: self.divides_sequence(),
            ..self.same()
        }
    }

    /// Whether a run divides what stands between layers along the sequence.
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

    /// How what stands between layers is divided.
    pub(crate) fn between_layers(&self) -> BetweenLayers {
        let divisions = self.plan.divisions.as_ref();
        let divided = divisions.filter(|divisions| divisions.asked.sequence_parallel);
        BetweenLayers(divided.map(|divisions| divisions.asked.size))
    }

    /// How the module, whose result has so many columns in all, is divided.
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

    /// What this rank has of the module's parameter `name` of this shape, and how it is placed.
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

/// How what stands between layers is divided: among so many ranks along the sequence, if at all
/// (`SequenceParallel`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BetweenLayers(Option<u64>);

impl BetweenLayers {
    /// Calls a norm on this rank's positions of `[B, S, H]`.
    pub(crate) fn around_norm(
        self,
        t: &Tape,
        x: &Tensor,
        norm: impl FnOnce(&Tensor) -> Tensor,
    ) -> Tensor {
        if self.0.is_none() {
            return norm(x);
        }
        let x = t.part_of_ranks(x);
        t.distributed(|| norm(&x))
    }

    /// How many positions there are in all where a rank has so many.
    pub(crate) fn all_positions(self, own: u64) -> u64 {
        own * self.0.unwrap_or(1)
    }

    /// All positions of what a norm gave, for a module of which each rank has a part
    /// (`PrepareModuleInput`).
    pub(crate) fn gathered(self, t: &Tape, x: &Tensor) -> Tensor {
        match self.0 {
            None => x.clone(),
            Some(ranks) => t.gathered_sequence(x, ranks),
        }
    }
}

impl Division {
    /// A linear layer on `[B, S, ..]` with this rank's part of its weight.
    pub(crate) fn linear(
        &self,
        t: &Tape,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
    ) -> Tensor {
        let x = self.taken(t, x);
        if self.is_summed() && self.planned && !t.is_grad_enabled() {
            // Summed in place where nothing is recorded.
            let sum = t.linear(&x, weight, None);
            return match bias {
                Some(bias) => t.add(&sum, bias),
                None => sum,
            };
        }
        let result = {
            // Each rank adds its part of the bias to its part of the sum.
            let _part = bias
                .filter(|_| self.is_summed())
                .map(|bias| t.scratch_like("div", bias));
            t.distributed(|| t.linear(&x, weight, bias))
        };
        self.given(t, result)
    }

    /// What this rank has of so many columns.
    pub(crate) fn own_of(&self, columns: u64) -> u64 {
        columns.div_ceil(self.ranks)
    }

    /// Whether each rank computes a part of a sum.
    fn is_summed(&self) -> bool {
        matches!(
            self.style,
            TensorStyle::Rowwise | TensorStyle::RowwiseSplitInput
        )
    }

    /// What a linear layer computes with.
    fn taken(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self.style {
            TensorStyle::ColwiseGatherOutput if self.sequence => t.gathered_sequence(x, self.ranks),
            // Gathered for the module around it.
            TensorStyle::Colwise if self.sequence => x.clone(),
            TensorStyle::Colwise | TensorStyle::ColwiseGatherOutput => t.copied_on_ranks(x),
            TensorStyle::RowwiseSplitInput => t.own_columns(x, self.ranks),
            _ => t.part_of_ranks(x),
        }
    }

    /// What it gives.
    fn given(&self, t: &Tape, result: Tensor) -> Tensor {
        match self.style {
            TensorStyle::ColwiseGatherOutput if !self.divides_logits => {
                t.gathered_columns(&result, self.columns, self.ranks)
            }
            _ if self.is_summed() => self.summed(t, &result),
            _ => result,
        }
    }

    /// A sum of which each rank has a part: on all ranks, or divided along the sequence.
    pub(crate) fn summed(&self, t: &Tape, x: &Tensor) -> Tensor {
        if self.sequence {
            t.summed_in_parts(x, self.ranks)
        } else {
            t.summed_on_ranks(x)
        }
    }
}
