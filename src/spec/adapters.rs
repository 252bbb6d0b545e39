//! Checks of which parameters are trained: adapters and frozen parts must match something.

use super::limits::outside;
use super::{Architecture, Finding, LlamaType, Lora, Scenario, closest};

/// Linear layers of a Llama-like layer, as targets of adapters.
const LLAMA_LINEARS: &[&str] = &[
    "q_proj",
    "k_proj",
    "v_proj",
    "o_proj",
    "gate_proj",
    "up_proj",
    "down_proj",
];
/// PEFT's targets when none is given, for all members of the family.
const DEFAULT_TARGETS: &[&str] = &["q_proj", "v_proj"];
/// The largest rank.
const LARGEST_RANK: u64 = 1 << 16;

/// Checks adapters and frozen parts.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    if let Some(lora) = &scenario.lora {
        check_lora(lora, architecture, findings);
    }
    if scenario.frozen.is_empty() {
        return;
    }
    let names = parameter_names(architecture);
    for part in &scenario.frozen {
        if part.is_empty() || !names.iter().any(|name| name.contains(part.as_str())) {
            let shown: String = part.chars().take(60).collect();
            let rest: Vec<&String> = scenario
                .frozen
                .iter()
                .filter(|other| *other != part)
                .collect();
            findings.push(
                Finding::error(
                    "frozen",
                    format!("No parameter's name contains {shown:?}; names look like model.layers.0.self_attn.q_proj.weight."),
                    format!("没有参数名包含 {shown:?}；参数名形如 model.layers.0.self_attn.q_proj.weight。"),
                )
                .with_fix("frozen", serde_json::json!(rest)),
            );
        }
    }
}

fn check_lora(lora: &Lora, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Architecture::Llama(_) = architecture else {
        findings.push(
            Finding::error(
                "lora",
                "Adapters for a single linear layer are not supported yet.",
                "暂不支持单个线性层的 LoRA。",
            )
            .with_fix("lora", serde_json::Value::Null),
        );
        return;
    };
    if !(1..=LARGEST_RANK).contains(&lora.r) {
        findings.push(outside("lora.r", lora.r, &(1..=LARGEST_RANK)));
    }
    if !(0.0..1.0).contains(&lora.dropout) {
        let dropout = lora.dropout;
        findings.push(
            Finding::error(
                "lora.dropout",
                format!("The adapters' dropout is {dropout}; it must be at least 0 and below 1."),
                format!("LoRA 的 dropout 为 {dropout}；必须不小于 0 且小于 1。"),
            )
            .with_fix("lora.dropout", if dropout < 0.0 { 0.0 } else { 0.1 }),
        );
    }
    let unknown = lora
        .target_modules
        .iter()
        .find(|name| !LLAMA_LINEARS.contains(&name.as_str()));
    if unknown.is_none() && !lora.target_modules.is_empty() {
        return;
    }
    let all = LLAMA_LINEARS.join(", ");
    let shown: String = unknown.map_or("[]", |name| name).chars().take(60).collect();
    findings.push(
        Finding::error(
            "lora.target_modules",
            format!("The adapters' target {shown} matches no linear layer; there are {all}."),
            format!("LoRA 目标 {shown} 没有匹配的线性层；可选：{all}。"),
        )
        .with_fix(
            "lora.target_modules",
            serde_json::json!(repaired(&lora.target_modules)),
        ),
    );
}

/// The targets with each unknown one replaced by the nearest, or left out.
fn repaired(targets: &[String]) -> Vec<&str> {
    let mut known: Vec<&str> = targets
        .iter()
        .filter_map(|name| closest(name, LLAMA_LINEARS.iter().copied()))
        .collect();
    known.sort_unstable();
    known.dedup();
    if known.is_empty() {
        DEFAULT_TARGETS.to_vec()
    } else {
        known
    }
}

/// The names of all parameters.
fn parameter_names(architecture: &Architecture) -> Vec<String> {
    let config = match architecture {
        Architecture::Linear(_) => return vec!["weight".to_owned(), "bias".to_owned()],
        Architecture::Llama(config) => config,
    };
    let mut names = vec!["model.embed_tokens.weight".to_owned()];
    for layer in 0..config.num_hidden_layers {
        let at = format!("model.layers.{layer}");
        for (part, biased, linears) in [
            ("self_attn", config.qkv_bias, &LLAMA_LINEARS[..3]),
            ("self_attn", config.o_bias, &LLAMA_LINEARS[3..4]),
            ("mlp", config.mlp_bias, &LLAMA_LINEARS[4..]),
        ] {
            for linear in linears {
                names.push(format!("{at}.{part}.{linear}.weight"));
                if biased {
                    names.push(format!("{at}.{part}.{linear}.bias"));
                }
            }
        }
        if config.model_type == LlamaType::Qwen3 {
            names.push(format!("{at}.self_attn.q_norm.weight"));
            names.push(format!("{at}.self_attn.k_norm.weight"));
        }
        names.push(format!("{at}.input_layernorm.weight"));
        names.push(format!("{at}.post_attention_layernorm.weight"));
    }
    names.push("model.norm.weight".to_owned());
    if !config.tie_word_embeddings {
        names.push("lm_head.weight".to_owned());
    }
    names
}
