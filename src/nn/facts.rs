//! What the framework versions do differently, in one place.

use crate::spec::{Framework, ResolvedSpec};

/// Facts of one framework version and of the options that modules ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// sdpa takes grouped keys and values as they are (`enable_gqa`); before, transformers repeats
    /// them to the number of query heads.
    pub(super) sdpa_takes_groups: bool,
    /// transformers calls `.contiguous()` on q, k and v before sdpa.
    pub(super) sdpa_inputs_contiguous: bool,
    /// The loss shifts labels by padding (transformers >= 4.49); before, it copies the logits
    /// without the last position.
    pub(super) loss_pads_labels: bool,
    /// `gradient_checkpointing_enable` makes the input embedding's result require a gradient
    /// (transformers 5); before, only PEFT does, for re-entrant checkpointing of a frozen model.
    pub(super) checkpointing_asks_input_gradient: bool,
}

impl Facts {
    pub(super) fn of(spec: &ResolvedSpec) -> Self {
        match spec.framework {
            Framework::Torch215Transformers523 => Self {
                sdpa_takes_groups: true,
                sdpa_inputs_contiguous: false,
                loss_pads_labels: true,
                checkpointing_asks_input_gradient: true,
            },
            Framework::Torch26Transformers451 => Self {
                sdpa_takes_groups: false,
                sdpa_inputs_contiguous: true,
                loss_pads_labels: true,
                checkpointing_asks_input_gradient: false,
            },
            Framework::Torch26Transformers448 => Self {
                sdpa_takes_groups: false,
                sdpa_inputs_contiguous: true,
                loss_pads_labels: false,
                checkpointing_asks_input_gradient: false,
            },
        }
    }
}
