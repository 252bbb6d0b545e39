//! Another model in the scenario on screen.

use crate::ask::{Finding, ModelRef, Precision, Scenario, Severity};
use crate::codec::settle_config;
use crate::resolve::resolve;

/// Another model. Where its kernels take no float32 and nobody has chosen a precision, it is trained in that of
/// checkpoints: bfloat16, or else float16. Says what its config says of quantization.
pub fn change_model(scenario: &mut Scenario, model: ModelRef) -> Option<Finding> {
    scenario.model = model;
    let said = settle_config(scenario);
    scenario.model_overrides.clear();
    let chosen = scenario.precision != Scenario::default().precision;
    let refused = |scenario: &Scenario| {
        let findings = resolve(scenario).findings;
        findings
            .iter()
            .any(|f| f.severity == Severity::Error && f.key == "precision")
    };
    if !chosen && refused(scenario) {
        let of_checkpoints = [Precision::Bf16, Precision::Fp16].into_iter();
        let taken = of_checkpoints
            .map(|precision| Scenario {
                precision,
                ..scenario.clone()
            })
            .find(|scenario| !refused(scenario));
        if let Some(taken) = taken {
            *scenario = taken;
        }
    }
    said
}
