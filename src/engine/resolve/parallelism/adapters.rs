//! Adapters of models that transformers or a script has divided among ranks: PEFT 0.21 gives them to the modules of the
//! divided model.

use super::divides::{divides_experts, divides_modules};
use crate::ask::{DataParallelKind, Finding, Lora, Message, Plan, Scenario, message};
use crate::model::{Architecture, TensorStyle};
use serde_json::Value;

/// The key of the layers that are adapted.
const TARGETS: &str = "lora.target_modules";

/// Whether a scenario's model is divided by transformers (`DistributedConfig`, transformers 5.23), before it gets
/// adapters.
fn is_planned(scenario: &Scenario) -> bool {
    let all = scenario.parallelism;
    let sharded = all.dp.kind == DataParallelKind::Fsdp2 && all.dp.fsdp.plan == Plan::Transformers;
    let modules = divides_modules(scenario) && all.tp.plan == Plan::Transformers;
    sharded || divides_experts(scenario) || modules
}

/// Refuses adapters that fail beside parameters that ranks divide. Targets by layers' former names are parameters of
/// experts in `lora`.
pub(in crate::resolve) fn check_adapters(
    scenario: &Scenario,
    lora: &Lora,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    if divides_modules(scenario) && scenario.parallelism.tp.plan != Plan::Transformers {
        // `parallelize_module` takes linear layers, and adapters that PEFT 0.21 adds later are whole.
        let why = message!(parallelism::adapters_of_scripts);
        return refuse("lora", why, Value::Null);
    }
    if !is_planned(scenario) {
        return;
    }
    let none = || Value::Array(Vec::new());
    let sharded = scenario.parallelism.dp.kind == DataParallelKind::Fsdp2;
    if sharded && divides_modules(scenario) {
        // `add_lora_tp_hooks_dtensor` (`tuners/lora/model.py`, peft 0.21).
        let why = message!(parallelism::adapters_of_both);
        return refuse("lora", why, Value::Null);
    }
    if lora.use_dora {
        // `dequantize_module_weight(..) + scaling * lora_weight` (`tuners/lora/dora.py`, peft 0.21).
        let why = message!(parallelism::magnitudes_of_parts);
        refuse("lora.use_dora", why, false.into());
    }
    if !lora.modules_to_save.is_empty() && sharded {
        // `FSDPModule.__deepcopy__`, torch 2.15.
        let why = message!(parallelism::copies_of_shards);
        refuse("lora.modules_to_save", why, none());
    } else if !lora.modules_to_save.is_empty() {
        // Heads that PEFT trains beside a copy of theirs that ranks divide.
        let key = "lora.modules_to_save";
        let what = message!(parallelism::tensor_beside, key);
        refuse(key, message!(parallelism::not_estimated, what), none());
    }
    if !lora.target_parameters.is_empty() {
        // `ParamWrapper` (`tuners/lora/layer.py`, peft 0.21).
        let why = message!(parallelism::adapters_of_experts);
        let named = !scenario
            .lora
            .as_ref()
            .is_some_and(|asked| asked.target_parameters.is_empty());
        if named {
            refuse("lora.target_parameters", why, none());
        } else {
            refuse(TARGETS, why, vec!["q_proj", "v_proj"].into());
        }
    }
    if divides_modules(scenario) {
        by_columns(scenario, architecture, findings);
    }
}

/// Refuses adapters of layers other than those of which ranks have some columns each: PEFT 0.21 fails with
/// those whose results are summed, and makes no part of others.
fn by_columns(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let (Architecture::Decoder(config), Some(lora)) = (architecture, &scenario.lora) else {
        return;
    };
    let plan = config.family.tensor_plan.iter().copied().flatten();
    let by_columns = |name: &String| {
        let is_meant = |path: &str| path == name || path.ends_with(&format!(".{name}"));
        let mut styles = plan.clone().filter(|(path, _)| is_meant(path)).peekable();
        styles.peek().is_some() && styles.all(|(_, style)| *style == TensorStyle::Colwise)
    };
    if lora.target_modules.iter().all(by_columns) {
        return;
    }
    let named = ["q_proj", "v_proj"].map(str::to_owned);
    let whole = named.iter().all(by_columns);
    let finding = Finding::error(TARGETS, message!(parallelism::adapters_by_columns));
    findings.push(if whole {
        finding.with_fix(TARGETS, named.to_vec())
    } else {
        finding.with_fix("parallelism.tp.size", 1)
    });
}
