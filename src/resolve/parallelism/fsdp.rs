//! PyTorch's fully sharded data parallelism.

use super::refusal::not_estimated;
use crate::ask::{AdapterDtype, DataParallelKind, Finding, Plan, Precision, Scenario, message};
use crate::families::registry::is_of_blocks;
use crate::model::{Architecture, Routing};
use crate::units::DType;

/// What the head of a language model is called.
const HEAD: &str = "lm_head";

const KEY: &str = "parallelism.dp.wrap_trainable_leaves";

/// Refuses groups of FSDP2 that are not estimated: those of embeddings and of the head in models that are not of
/// the blocks that Llama is built of, or whose embedding and head are tied, which scripts that wrap both apart
/// cannot train.
pub(super) fn check_groups(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    let dp = scenario.parallelism.dp;
    if dp.kind != DataParallelKind::Fsdp2 {
        return;
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
    let plain = config.filter(|config| {
        let names = &config.family.names;
        is_of_blocks(config.family) && config.images.is_none() && names.head == HEAD
    });
    let apart = plain.is_some_and(|config| !config.tie_word_embeddings);
    let what = message!(parallelism::embedding_groups);
    if dp.fsdp.wrap_embeddings && !apart {
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

/// Refuses what FSDP1 cannot flatten: parameters of different dtypes, and with `use_orig_params` off those
/// of which some are trained, in one flat parameter.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = scenario.parallelism.dp;
    let Some(lora) = scenario
        .lora
        .as_ref()
        .filter(|_| dp.kind == DataParallelKind::Fsdp1)
    else {
        return;
    };
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
