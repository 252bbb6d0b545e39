//! Combinations over which optimizers and checkpoints of other libraries fail.

use crate::resolve::refused::tests::refused;
use serde_json::json;

#[test]
fn optimizers_that_fail_over_the_shape_of_a_parameter_are_refused() {
    let asked = |model: &str, optimizer: &str| {
        refused(
            &json!({"model": model, "optimizer": {"name": optimizer, "impl": "for_loop"}, "seq_len": 64}),
        )
    };
    let adamw = Some(("optimizer.name".into(), "adamw".into()));
    // A norm's weight, post_mlp_layernorm, that it takes for a matrix; norms of queries whose heads it looks for.
    assert_eq!(asked("glm-4-9b-0414", "adam_mini"), adamw);
    assert_eq!(asked("hunyuan-1.8b", "adam_mini"), adamw);
    assert_eq!(asked("llama-3.2-1b", "adam_mini"), None);
    assert_eq!(asked("olmoe-1b-7b", "adalomo"), adamw);
    assert_eq!(asked("llama-3.2-1b", "adalomo"), None);
}

#[test]
fn layers_that_return_several_results_are_not_checkpointed_by_axolotl() {
    let asked = |model: &str| {
        refused(
            &json!({"model": model, "seq_len": 64, "activation_checkpointing": "full_reentrant",
            "activation_offload": {"kind": "layer_inputs"}}),
        )
    };
    let none = Some(("activation_offload.kind".into(), "none".into()));
    assert_eq!(asked("gpt-j-6b"), none);
    assert_eq!(asked("gpt2"), None);
}
