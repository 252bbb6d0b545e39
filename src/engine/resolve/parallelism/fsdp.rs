//! PyTorch's fully sharded data parallelism.

use super::refusal::not_estimated;
use crate::ask::{
    AdapterDtype, DataParallelKind, Finding, Framework, Plan, Precision, Scenario, message,
};
use crate::families::has_known_ends;
use crate::model::{Architecture, Routing};
use crate::units::DType;

const KEY: &str = "parallelism.dp.wrap_trainable_leaves";

/// Refuses groups of FSDP2 that are not estimated: those of embeddings and of the head in models that are not of
/// the blocks that Llama is built of, and in a library's own modules whose embedding and head are tied.
pub(super) fn check_groups(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    let dp = scenario.parallelism.dp;
    if dp.kind != DataParallelKind::Fsdp2 {
        return;
    }
    let usual = Framework::Torch215Transformers523;
    if scenario.framework != usual {
        let finding = Finding::warning("framework", message!(parallelism::fsdp2_of_215));
        findings.push(finding.with_fix("framework", usual.name()));
    }
    let config = match architecture {
        Architecture::Decoder(config) => Some(config),
        _ => None,
    };
    let routing = architecture.experts().map(|experts| experts.routing);
    let wide = matches!(routing, Some(Routing::WideGate | Routing::Static));
    let trained = scenario.lora.is_none() && !scenario.quantization.is_on();
    if wide && trained && scenario.weights_dtype() != DType::Float32 {
        // `FSDPParamGroup._init_mp_dtypes`, torch 2.15.
        let finding = Finding::error("precision", message!(parallelism::group_of_one_dtype));
        findings.push(finding.with_fix("precision", Precision::Fp32.name()));
    }
    // torchtune's decoder has an embedding, layers, a norm and a head, too.
    let own = scenario.implementation.is_some();
    let plain =
        config.filter(|config| own || has_known_ends(architecture) && config.images.is_none());
    let wrapped = plain.is_some_and(|config| !(own && config.tie_word_embeddings));
    let what = message!(parallelism::embedding_groups);
    if dp.fsdp.wrap_embeddings && !wrapped {
        findings.push(not_estimated(
            "parallelism.dp.wrap_embeddings",
            &what,
            false,
        ));
    }
    if dp.fsdp.plan == Plan::Transformers && plain.is_none() {
        let usual = Plan::Usual.name();
        findings.push(not_estimated("parallelism.dp.plan", &what, usual));
    }
}

/// Refuses parameters that FSDP1 cannot put into one flat parameter: ones of different dtypes and, with
/// `use_orig_params` off, trained ones together with frozen ones.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = scenario.parallelism.dp;
    // `_validate_tensors_to_flatten` (`torch/distributed/fsdp/_flat_param.py`, torch 2.15).
    if dp.kind == DataParallelKind::Fsdp1
        && !dp.fsdp.use_orig_params
        && !scenario.frozen.iter().all(|pattern| is_of_layers(pattern))
    {
        let key = "parallelism.dp.use_orig_params";
        let finding = Finding::error(key, message!(parallelism::flat_parts));
        findings.push(finding.with_fix(key, true));
    }
    let Some(lora) = scenario
        .lora
        .as_ref()
        .filter(|_| dp.kind == DataParallelKind::Fsdp1)
    else {
        return;
    };
    if lora.use_dora && dp.fsdp.wrap_trainable_leaves {
        // `DoraLinearVariant.forward` (`tuners/lora/variants.py`, peft 0.21) reads the shape of a parameter that is a
        // flat shard.
        let finding = Finding::error("lora.use_dora", message!(parallelism::dora_units));
        findings.push(finding.with_fix("lora.use_dora", false));
    }
    let differs =
        lora.adapter_dtype == AdapterDtype::Fp32 && scenario.weights_dtype() != DType::Float32;
    if dp.fsdp.wrap_trainable_leaves || (dp.fsdp.use_orig_params && !differs) {
        return;
    }
    let why = if differs {
        message!(parallelism::flat_dtypes)
    } else {
        message!(parallelism::flat_frozen)
    };
    findings.push(Finding::error(KEY, why).with_fix(KEY, true));
}

/// Whether a pattern of parameters that are not trained covers whole layers: a list's name and a number, `layers.0.`,
/// with nothing behind them.
fn is_of_layers(pattern: &str) -> bool {
    let number = pattern
        .strip_suffix('.')
        .and_then(|path| path.rsplit('.').next());
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Severity;
    use crate::resolve::resolve;

    fn refused(settings: &str) -> Vec<String> {
        let scenario = format!(r#"{{"parallelism": {{"dp": {{"size": 2, {settings}"#);
        let scenario: Scenario = serde_json::from_str(&scenario).expect("a scenario");
        let findings = resolve(&scenario).findings.into_iter();
        let errors = findings.filter(|finding| finding.severity == Severity::Error);
        errors.map(|finding| finding.key).collect()
    }

    #[test]
    fn what_pytorch_cannot_train_is_refused_with_its_key() {
        let parts = "parallelism.dp.use_orig_params";
        let unused = "parallelism.dp.find_unused_parameters";
        for (settings, key) in [
            (
                r#""kind": "fsdp2"}}, "optimizer": {"name": "sgd", "impl": "fused"}}"#,
                Some("optimizer.impl"),
            ),
            (
                r#""kind": "fsdp2"}}, "optimizer": {"name": "adamw", "impl": "fused"}}"#,
                None,
            ),
            (
                r#""kind": "fsdp2"}}, "optimizer": {"name": "adamw_8bit", "impl": "fused"}}"#,
                Some("optimizer.name"),
            ),
            (
                r#""kind": "fsdp2"}}, "optimizer": {"name": "adafactor", "impl": "for_loop"}}"#,
                Some("optimizer.name"),
            ),
            (
                r#""kind": "fsdp1"}}, "optimizer": {"name": "adamw_8bit", "impl": "fused"}}"#,
                None,
            ),
            (
                r#""kind": "fsdp1", "use_orig_params": false}}, "frozen": ["norm"]}"#,
                Some(parts),
            ),
            (
                r#""kind": "fsdp1", "use_orig_params": false}}, "frozen": ["layers.0."]}"#,
                None,
            ),
            (
                r#""kind": "ddp", "find_unused_parameters": true}}, "activation_checkpointing": "full_reentrant"}"#,
                Some(unused),
            ),
            (
                r#""kind": "ddp", "find_unused_parameters": true}}, "activation_checkpointing": "full"}"#,
                None,
            ),
        ] {
            assert_eq!(refused(settings), Vec::from_iter(key), "{settings}");
        }
    }
}
