//! What running experts takes and refuses.

use super::experts::{Experts, width_field};
use super::{
    ActivationCheckpointing, Architecture, DecoderConfig, Finding, Framework, Routing, Scenario,
    weights,
};

/// Bytes that `grouped_mm` wants the rows of all matrices to be a multiple of
/// (`check_valid_strides_and_return_transposed`, `GroupedMMUtils.h`, torch 2.15).
const ROW_ALIGNMENT: u64 = 16;

/// Before transformers 5 one expert runs after the other, each over the tokens that its router sends
/// there, which are not known.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Architecture::Decoder(config) = architecture else {
        return;
    };
    if scenario.framework == Framework::Torch215Transformers523 {
        check_rows(scenario, config, findings);
    } else if config.experts.is_some() {
        let balanced = config
            .experts
            .as_ref()
            .is_some_and(|experts| experts.balanced);
        let reentrant = ActivationCheckpointing::FullReentrant;
        if balanced && scenario.activation_checkpointing == reentrant {
            findings.push(
                Finding::warning(
                    "activation_checkpointing",
                    "The gradient of the loss that balances the experts is not counted where transformers 4 \
                     checkpoints re-entrantly: a few numbers for each token, expert and layer.",
                    "transformers 4 采用可重入重计算时，未计入专家负载均衡损失的梯度：每个词元、专家和层只有少量数值。",
                )
                .with_fix("activation_checkpointing", ActivationCheckpointing::Full.name()),
            );
        }
        findings.push(Finding::notice(
            "framework",
            "transformers 4 runs one expert after the other over the tokens that its router sends there; \
             they are taken to be spread evenly. A router that prefers some experts takes a little more.",
            "transformers 4 逐个专家计算其路由到的词元；此处假定词元在各专家间均匀分配，路由不均时占用略多。",
        ));
    }
}

/// Experts that run as one grouped product have rows of so many bytes only: all but Llama 4's.
fn check_rows(scenario: &Scenario, config: &DecoderConfig, findings: &mut Vec<Finding>) {
    let grouped =
        |experts: &&Experts| experts.sparse.contains(&true) && experts.routing != Routing::Sigmoid;
    let Some(experts) = config.experts.as_ref().filter(grouped) else {
        return;
    };
    let step = ROW_ALIGNMENT / weights::dtype(scenario).size();
    let seen = match experts.latent_size {
        Some(size) => ("moe_latent_size", size),
        None => ("hidden_size", config.hidden_size),
    };
    let own = (width_field(config.model_type), experts.intermediate_size);
    for (field, columns) in [seen, own] {
        if !columns.is_multiple_of(step) {
            findings.push(why_uneven(field, columns, step));
        }
    }
}

/// What there is to say of it.
#[inline(never)] // Not in `resolve`, so that the page can fetch it later.
fn why_uneven(field: &str, columns: u64, step: u64) -> Finding {
    let key = format!("model_overrides.{field}");
    Finding::error(
        &key,
        format!(
            "PyTorch's grouped_mm, which runs the experts, takes rows of a multiple of 16 bytes: {field} is {columns} and must be a multiple of {step} with weights in this dtype."
        ),
        format!(
            "运行专家的 grouped_mm 要求每行为 16 字节的倍数：在此权重类型下 {field}（现为 {columns}）必须是 {step} 的倍数。"
        ),
    )
    .with_fix(&key, columns.next_multiple_of(step))
}

#[cfg(test)]
mod tests {
    use crate::spec::refused::tests::refused;
    use serde_json::json;

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
