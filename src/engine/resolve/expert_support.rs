//! Needs and refusals of running experts.

use super::liger;
use crate::ask::{Finding, Scenario, Task, message};
use crate::families::why_unbalanced;
use crate::model::{Architecture, DecoderConfig, Experts, Routing};

/// Bytes that `grouped_mm` wants the rows of all matrices to be a multiple of
/// (`check_valid_strides_and_return_transposed`, `GroupedMMUtils.h`, torch 2.15).
const ROW_ALIGNMENT: u64 = 16;

/// Before transformers 5 one expert runs after the other, each over the tokens that its router sends
/// there, which are not known.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let Architecture::Decoder(config) = architecture else {
        return;
    };
    let sorted = (config.experts.as_ref()).is_some_and(|experts| experts.run_in_turn(false));
    if sorted {
        findings.push(Finding::notice("model", message!(experts::run_in_turn)));
    } else if scenario.framework.has_transformers_5() {
        if !liger::runs_experts(scenario, architecture) {
            check_rows(scenario, config, findings);
        }
        check_balance(config, task, false, findings);
    } else if config.experts.is_some() {
        check_balance(config, task, config.family.balances_every_layer, findings);
        findings.push(Finding::notice(
            "framework",
            message!(experts::run_in_turn_in_4),
        ));
    }
}

/// The loss that balances experts joins the logits of all routers, of which there must be some
/// (`load_balancing_loss_func`), or that of transformers 4 what `every` layer gives, logits or not.
fn check_balance(config: &DecoderConfig, task: Task, every: bool, findings: &mut Vec<Finding>) {
    let balanced = |experts: &&Experts| experts.balanced && task == Task::CausalLm;
    let Some(experts) = config.experts.as_ref().filter(balanced) else {
        return;
    };
    if !experts.sparse.contains(&true) || every && experts.sparse.contains(&false) {
        findings.push(why_unbalanced(
            "model_overrides.output_router_logits",
            every,
        ));
    }
}

/// Checks that rows of experts that run as one grouped product, as all but Llama 4's do, are a multiple of
/// [`ROW_ALIGNMENT`] bytes.
fn check_rows(scenario: &Scenario, config: &DecoderConfig, findings: &mut Vec<Finding>) {
    let grouped =
        |experts: &&Experts| experts.sparse.contains(&true) && experts.routing != Routing::Sigmoid;
    let Some(experts) = config.experts.as_ref().filter(grouped) else {
        return;
    };
    let step = ROW_ALIGNMENT / scenario.weights_dtype().size();
    let seen = match experts.latent_size {
        Some(size) => ("moe_latent_size", size),
        None => ("hidden_size", config.hidden_size),
    };
    let own = (
        config.family.expert_width_field(),
        experts.intermediate_size,
    );
    for (field, columns) in [seen, own] {
        if !columns.is_multiple_of(step) {
            findings.push(why_uneven(field, columns, step));
        }
    }
}

/// The finding about rows whose number of columns is no multiple of `step`.
fn why_uneven(field: &str, columns: u64, step: u64) -> Finding {
    let key = format!("model_overrides.{field}");
    Finding::error(&key, message!(experts::uneven_rows, field, columns, step))
        .with_fix(&key, columns.next_multiple_of(step))
}

#[cfg(test)]
mod tests {
    use crate::resolve::refused::tests::refused;
    use serde_json::json;

    #[test]
    fn layers_without_experts_are_not_balanced_by_transformers_4() {
        let asked = |model: &str, step: u64, balanced: bool| {
            refused(&json!({
                "model": model, "framework": "torch-2.6/transformers-4.51",
                "model_overrides": {
                    "num_hidden_layers": 2, "decoder_sparse_step": step,
                    "output_router_logits": balanced,
                },
            }))
        };
        let no = Some((
            "model_overrides.output_router_logits".to_owned(),
            json!(false),
        ));
        assert_eq!(asked("qwen1.5-moe-a2.7b", 3, true), no);
        assert_eq!(asked("qwen1.5-moe-a2.7b", 2, true), None);
        assert_eq!(asked("qwen3-30b-a3b", 2, true), no);
        assert_eq!(asked("qwen3-30b-a3b", 2, false), None);
        assert_eq!(asked("qwen3-30b-a3b", 1, true), None);
    }

    #[test]
    fn a_model_without_experts_in_any_layer_is_not_balanced_by_transformers_5() {
        let asked = |step: u64, balanced: bool| {
            refused(&json!({
                "model": "qwen3-30b-a3b",
                "model_overrides": {
                    "num_hidden_layers": 2, "decoder_sparse_step": step,
                    "output_router_logits": balanced,
                },
            }))
        };
        let key = "model_overrides.output_router_logits".to_owned();
        assert_eq!(asked(3, true), Some((key, json!(false))));
        assert_eq!(asked(3, false), None);
        assert_eq!(asked(2, true), None);
    }

    #[test]
    fn rows_of_experts_are_a_multiple_of_16_bytes() {
        let asked = |columns: u64, precision: &str| {
            refused(&json!({
                "model": "qwen3-30b-a3b", "precision": precision,
                "model_overrides": {"moe_intermediate_size": columns},
            }))
        };
        let field = "model_overrides.moe_intermediate_size".to_owned();
        assert_eq!(asked(100, "bf16"), Some((field.clone(), json!(104))));
        assert_eq!(asked(100, "amp_bf16"), None);
        assert_eq!(asked(98, "fp32"), Some((field, json!(100))));
        assert_eq!(asked(96, "bf16"), None);
    }
}
