//! Needs of checkpointed layers of the modules before them.

use super::builder::Builder;
use crate::ask::ActivationCheckpointing;

impl Builder<'_> {
    /// Whether the input embedding's result is made to require a gradient, so that checkpointed
    /// layers that are frozen have one to start from (`enable_input_require_grads`). Only PEFT asks
    /// for that where the model's main input is not `tokens`.
    pub(crate) fn input_requires_gradient(&self, tokens: bool) -> bool {
        let spec = self.plan.spec;
        let asked = tokens && self.facts().checkpointing_asks_input_gradient;
        match spec.activation_checkpointing {
            ActivationCheckpointing::None => {
                tokens && (spec.lora.as_ref()).is_some_and(|lora| lora.input_requires_grad)
            }
            ActivationCheckpointing::Full | ActivationCheckpointing::Operations => {
                // TRL's trainers do it themselves.
                asked
                    || spec.objective.is_on() && spec.lora.is_some()
                    || spec.objective.has_all_logits()
            }
            ActivationCheckpointing::FullReentrant => {
                asked || spec.lora.is_some() || spec.objective.has_all_logits()
            }
        }
    }
}
