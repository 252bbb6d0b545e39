//! Differences of the framework versions, in one place.

use crate::ask::{Framework, Loss};
use crate::model::{MaskStyle, ResolvedSpec, Transformers};
use crate::tape::{Tape, Tensor};

/// Facts of one framework version and of the options that modules ask for.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// sdpa takes grouped keys and values as they are (`enable_gqa`); before, transformers repeats
    /// them to the number of query heads.
    pub(crate) sdpa_takes_groups: bool,
    /// transformers calls `.contiguous()` on q, k and v before sdpa.
    pub(crate) sdpa_inputs_contiguous: bool,
    /// The loss shifts labels by padding (transformers >= 4.49); before, it copies the logits
    /// without the last position.
    pub(crate) loss_pads_labels: bool,
    /// `gradient_checkpointing_enable` makes the input embedding's result require a gradient
    /// (transformers 5); before, only PEFT does, for re-entrant checkpointing of a frozen model.
    pub(crate) checkpointing_asks_input_gradient: bool,
    /// "all-linear" spares the layer that gives the logits, whatever it is called; PEFT before 0.14
    /// compares its whole path with the last parts of names, so that it spares none below another
    /// module (`_maybe_include_all_linear_layers`).
    pub(crate) all_linear_spares_any_output: bool,
    /// Doubly quantized layers all refer to one table of codes (bitsandbytes 0.45, with torch
    /// 2.6); in 0.50 each has a copy of it.
    pub(crate) scale_code_is_shared: bool,
    /// A layer in four bits computes in the dtype of its input, unless that is float16, and its
    /// bias takes that dtype for good (bitsandbytes 0.45).
    pub(crate) four_bit_follows_input: bool,
    /// Products with a weight in eight bits hold their integer sums to the end (bitsandbytes 0.45).
    pub(crate) int8_keeps_sums: bool,
    /// Products of few rows with a weight in four bits run in one kernel (bitsandbytes 0.50).
    pub(crate) four_bit_fuses_few_rows: bool,
    /// Indexing with a whole dimension (`x[:, :, :]`) is recorded as slices (torch 2.6).
    pub(crate) whole_slices_recorded: bool,
    /// Whether the loss takes logits in the dtype that they have.
    pub(crate) uncast_loss: bool,
    /// Whether the model casts its logits to float32, of which a loss is computed then.
    pub(crate) casts_logits: bool,
    /// Whether labels come shifted by one already, as those of a part of a sequence do.
    pub(crate) labels_are_shifted: bool,
    /// Whether Liger computes the cross entropy.
    pub(crate) liger_cross_entropy: bool,
    /// The version of transformers.
    pub(crate) transformers: Transformers,
}

impl Facts {
    /// Whether checkpointing wraps the call of a layer, with its hooks: transformers 4 does so, transformers 5.23
    /// checkpoints the layer's `forward` (`GradientCheckpointingLayer`).
    pub(crate) fn checkpoints_calls(&self) -> bool {
        self.transformers != Transformers::V5
    }

    /// The facts of the versions, device and settings of `spec`.
    pub fn of(spec: &ResolvedSpec) -> Self {
        match spec.framework {
            Framework::Torch215Transformers523
            | Framework::Torch211Transformers523
            | Framework::Torch215MegatronCore016 => Self {
                sdpa_takes_groups: true,
                sdpa_inputs_contiguous: false,
                loss_pads_labels: true,
                checkpointing_asks_input_gradient: true,
                all_linear_spares_any_output: true,
                scale_code_is_shared: false,
                four_bit_follows_input: false,
                int8_keeps_sums: false,
                four_bit_fuses_few_rows: true,
                whole_slices_recorded: false,
                uncast_loss: spec.loss == Loss::Uncast,
                casts_logits: spec.loss == Loss::Cast,
                labels_are_shifted: spec.mesh.cp > 1,
                liger_cross_entropy: spec.liger.cross_entropy,
                transformers: Transformers::V5,
            },
            Framework::Torch26Transformers451 => Self {
                sdpa_takes_groups: false,
                sdpa_inputs_contiguous: true,
                loss_pads_labels: true,
                checkpointing_asks_input_gradient: false,
                all_linear_spares_any_output: true,
                scale_code_is_shared: true,
                four_bit_follows_input: true,
                int8_keeps_sums: true,
                four_bit_fuses_few_rows: false,
                whole_slices_recorded: true,
                uncast_loss: spec.loss == Loss::Uncast,
                casts_logits: spec.loss == Loss::Cast,
                labels_are_shifted: spec.mesh.cp > 1,
                liger_cross_entropy: spec.liger.cross_entropy,
                transformers: Transformers::V451,
            },
            Framework::Torch26Transformers448 => Self {
                sdpa_takes_groups: false,
                sdpa_inputs_contiguous: true,
                loss_pads_labels: false,
                checkpointing_asks_input_gradient: false,
                all_linear_spares_any_output: false,
                scale_code_is_shared: true,
                four_bit_follows_input: true,
                int8_keeps_sums: true,
                four_bit_fuses_few_rows: false,
                whole_slices_recorded: true,
                uncast_loss: spec.loss == Loss::Uncast,
                casts_logits: spec.loss == Loss::Cast,
                labels_are_shifted: spec.mesh.cp > 1,
                liger_cross_entropy: spec.liger.cross_entropy,
                transformers: Transformers::V448,
            },
        }
    }

    /// How decoders make their masks.
    pub(crate) fn mask_style(self) -> MaskStyle {
        if self.transformers == Transformers::V5 {
            MaskStyle::Boolean
        } else {
            MaskStyle::Triangle
        }
    }

    /// `x[:, :, :]`, as far as the version records it.
    pub(crate) fn index_all(self, t: &Tape, x: &Tensor, dims: usize) -> Tensor {
        let dims = if self.whole_slices_recorded { dims } else { 0 };
        (0..dims).fold(x.clone(), |x, _| t.whole_slice(&x))
    }
}
