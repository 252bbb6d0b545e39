//! Checks of which parameters are trained: adapters and frozen parts must match something.

use super::parallelism::check_adapters;
use super::{Modules, expert_adapters};
use crate::ask::ALL_LINEAR;
use crate::ask::{
    DataParallelKind, Finding, Framework, Lora, LoraKernel, QuantizationType, Scenario, Task,
    closest, message, outside,
};
use crate::model::{Architecture, ImageConfig, Module, ModuleKind};

/// The largest rank.
const LARGEST_RANK: u64 = 1 << 16;

/// Letters of a name that are shown.
pub(crate) const SHOWN: usize = 60;

/// Adapters of every linear layer that can have them: by PEFT's word for it, or by their names where
/// that would reach a head.
pub(crate) fn all_targets(asked: (Task, Framework), modules: &[Module]) -> Vec<String> {
    let reaches = |name: &str| adapted_head(&[name.to_owned()], asked, modules).is_some();
    if !reaches(ALL_LINEAR) {
        return vec![ALL_LINEAR.to_owned()];
    }
    let mut names = linear_names(modules);
    names.retain(|name| !reaches(name) && !asked.0.heads_trained_whole().contains(name));
    names.into_iter().map(str::to_owned).collect()
}

/// The layer of a head that one of the targets would give adapters to. PEFT cannot train such a layer as a whole: it
/// leaves out only the module that `SEQ_CLS` calls `classifier` or `score`, and the modules inside it
/// (`check_target_module_exists`, peft 0.21; peft 0.15 does not leave out the latter).
fn adapted_head<'a>(
    targets: &[String],
    (task, framework): (Task, Framework),
    modules: &'a [Module],
) -> Option<&'a str> {
    let heads = task.heads_trained_whole();
    let recent = framework.has_transformers_5();
    let left_out = |path: &str| {
        let inside = recent && path.split('.').any(|part| heads.contains(&part));
        task == Task::SequenceClassification && (inside || heads.contains(&path))
    };
    let is_meant = |module: &Module| {
        let linear = module.kind == ModuleKind::Linear;
        linear
            && targets
                .iter()
                .any(|name| name == ALL_LINEAR || module.is_called(name))
    };
    let head = |module: &&Module| {
        let mut parts = module.path.split('.');
        parts.any(|part| heads.iter().any(|name| part.ends_with(name)))
            && !left_out(&module.path)
            && is_meant(module)
    };
    modules.iter().find(head).map(|module| module.path.as_str())
}

fn check_heads(
    targets: &[String],
    asked: (Task, Framework),
    modules: &[Module],
    findings: &mut Vec<Finding>,
) {
    let Some(head) = adapted_head(targets, asked, modules) else {
        return;
    };
    let names = all_targets(asked, modules);
    let meant = |name: &&String| targets.contains(name);
    let mut fix: Vec<&String> = names.iter().filter(meant).collect();
    if fix.is_empty() {
        fix = names.iter().collect();
    }
    findings.push(
        Finding::error(
            "lora.target_modules",
            message!(adapters::head_trained_whole, head),
        )
        .with_fix("lora.target_modules", serde_json::json!(fix)),
    );
}

/// Checks adapters and frozen parts.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    modules: &Modules<'_>,
    findings: &mut Vec<Finding>,
) {
    if scenario.lora.is_none() && scenario.frozen.is_empty() {
        return;
    }
    if let Some(lora) = &scenario.lora {
        let (asked, framework) = (lora, scenario.framework);
        let mut lora = lora.clone();
        let missing = expert_adapters::convert(&mut lora, architecture, framework, modules);
        let model = (architecture, modules.as_slice());
        expert_adapters::check(asked, &lora, missing, model, scenario, findings);
        expert_adapters::check_fetched(&lora, modules, architecture, scenario, findings);
        check_numbers(&lora, findings);
        check_kernels(scenario, &lora, findings);
        if lora.target_parameters.is_empty() || !lora.target_modules.is_empty() {
            let tables = adapted_tables(architecture, framework);
            check_targets(&lora.target_modules, tables, modules, findings);
        }
        if let Some(check) = architecture
            .family()
            .and_then(|family| family.adapter_support.check)
        {
            check(scenario, architecture, findings);
        }
        check_refused(
            scenario,
            &lora.target_modules,
            architecture,
            modules,
            findings,
        );
        check_routers(&lora.target_modules, architecture, modules, findings);
        check_adapters(scenario, &lora, architecture, findings);
        check_saved(&lora.modules_to_save, architecture, modules, findings);
        let asked = (task, scenario.framework);
        check_heads(&lora.target_modules, asked, modules, findings);
    }
    check_frozen(&scenario.frozen, modules, findings);
}

fn check_frozen(frozen: &[String], modules: &[Module], findings: &mut Vec<Finding>) {
    if frozen.is_empty() {
        return;
    }
    let names: Vec<String> = modules.iter().flat_map(Module::parameter_paths).collect();
    let matches = |part: &str| !part.is_empty() && names.iter().any(|name| name.contains(part));
    let Some(unknown) = frozen.iter().find(|part| !matches(part)) else {
        return;
    };
    let shown: String = unknown.chars().take(SHOWN).collect();
    let example = names.get(names.len() / 2).map_or("", String::as_str);
    let rest: Vec<&String> = frozen.iter().filter(|part| matches(part)).collect();
    findings.push(
        Finding::error("frozen", message!(adapters::frozen_unknown, shown, example))
            .with_fix("frozen", serde_json::json!(rest)),
    );
}

/// Refuses names of kernels that there are not, and says where known ones do nothing.
fn check_kernels(scenario: &Scenario, lora: &Lora, findings: &mut Vec<Finding>) {
    let all = || LoraKernel::ALL.iter().map(|kernel| kernel.name());
    let unknown = (lora.kernels.iter()).find(|name| LoraKernel::from_name(name).is_none());
    if let Some(name) = unknown {
        let shown: String = name.chars().take(SHOWN).collect();
        let names = all().collect::<Vec<_>>().join(", ");
        let known = lora
            .kernels
            .iter()
            .filter_map(|other| closest(other, all()));
        let known: Vec<&str> = known.collect();
        findings.push(
            Finding::error("lora.kernels", message!(adapters::kernel, shown, names))
                .with_fix("lora.kernels", serde_json::json!(known)),
        );
    } else if !lora.kernels.is_empty() && !runs_kernels(scenario, lora) {
        findings.push(Finding::notice(
            "lora.kernels",
            message!(adapters::kernels_without_effect),
        ));
    }
}

/// Whether kernels run layers with their adapters: on whole layers, which no rank has a part of.
fn runs_kernels(scenario: &Scenario, lora: &Lora) -> bool {
    let parallelism = &scenario.parallelism;
    let whole = matches!(
        parallelism.dp.kind,
        DataParallelKind::None | DataParallelKind::Ddp
    );
    let int8 = scenario.quantization.kind == QuantizationType::Int8;
    whole && parallelism.tp.size < 2 && !lora.use_dora && !int8
}

fn check_numbers(lora: &Lora, findings: &mut Vec<Finding>) {
    if !(1..=LARGEST_RANK).contains(&lora.r) {
        findings.push(outside("lora.r", lora.r, &(1..=LARGEST_RANK)));
    }
    if !(0.0..1.0).contains(&lora.dropout) {
        let dropout = lora.dropout;
        findings.push(
            Finding::error("lora.dropout", message!(adapters::dropout, dropout))
                .with_fix("lora.dropout", if dropout < 0.0 { 0.0 } else { 0.1 }),
        );
    }
}

/// The adapters of a run: PEFT trains heads that classify with them.
pub(crate) fn resolve(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    modules: &Modules<'_>,
) -> Option<Lora> {
    let mut lora = scenario.lora.clone()?;
    if !runs_kernels(scenario, &lora) {
        lora.kernels.clear();
    }
    expert_adapters::convert(&mut lora, architecture, scenario.framework, modules);
    for &name in task.heads_trained_whole() {
        let head = |module: &Module| module.path.split('.').any(|part| part.ends_with(name));
        if !lora.saves(name) && modules.iter().any(head) {
            lora.modules_to_save.push(name.to_owned());
        }
    }
    Some(lora)
}

/// The names of modules that can be trained as a whole: embeddings and heads of decoders, and what
/// classifies.
pub(crate) fn whole_names<'a>(architecture: &Architecture, modules: &'a [Module]) -> Vec<&'a str> {
    if matches!(architecture, Architecture::Decoder(_)) {
        // Tables of what sees images are trained as a whole where layers of the decoder attend to them.
        let images = architecture.images();
        let images = images.filter(|images| !matches!(images, ImageConfig::Crossed(_)));
        let decoder = images.map_or("", |images| images.kind().text_model());
        let whole = |module: &&Module| match module.kind {
            ModuleKind::Output => true,
            kind => kind == ModuleKind::Embedding && module.path.starts_with(decoder),
        };
        let names = modules.iter().filter(whole);
        return names
            .map(|module| module.path.rsplit('.').next().unwrap_or_default())
            .collect();
    }
    let first = |module: &'a Module| module.path.split('.').next().unwrap_or_default();
    let heads = ["classifier", "pre_classifier", "qa_outputs"];
    let mut names: Vec<&str> = modules.iter().map(first).collect();
    names.retain(|name| heads.contains(name));
    names.dedup();
    names
}

/// Modules to be trained as a whole.
fn check_saved(
    saved: &[String],
    architecture: &Architecture,
    modules: &[Module],
    findings: &mut Vec<Finding>,
) {
    let names = whole_names(architecture, modules);
    let is_known = |name: &&String| names.contains(&name.as_str());
    let Some(unknown) = saved.iter().find(|name| !is_known(name)) else {
        return;
    };
    let shown: String = unknown.chars().take(SHOWN).collect();
    let why = if names.is_empty() {
        message!(adapters::no_whole_modules)
    } else {
        message!(
            adapters::unknown_whole_module,
            shown,
            all = names.join(", ")
        )
    };
    let rest: Vec<&String> = saved.iter().filter(is_known).collect();
    findings.push(
        Finding::error("lora.modules_to_save", why)
            .with_fix("lora.modules_to_save", serde_json::json!(rest)),
    );
}

/// PEFT's match of a target.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Match {
    /// It gets adapters.
    Linear,
    /// It is a module that PEFT, or this program, cannot adapt.
    Other,
    /// No module is called so.
    Nothing,
}

/// Refuses adapters of the last layer of a state space, as PEFT does
/// (`_check_lora_target_modules_mamba`, `tuners/tuners_utils.py`, peft 0.21).
fn check_refused(
    scenario: &Scenario,
    targets: &[String],
    architecture: &Architecture,
    modules: &[Module],
    findings: &mut Vec<Finding>,
) {
    const REFUSED: &str = "out_proj";
    let is_refused =
        (architecture.family()).is_some_and(|family| family.adapter_support.refuses_out_proj);
    if !is_refused || !scenario.framework.has_transformers_5() {
        return;
    }
    let last = |path: &str| path.rsplit('.').next() == Some(REFUSED);
    let meets = |target: &str| {
        let mut called = modules.iter().filter(|module| module.is_called(target));
        target == ALL_LINEAR || last(target) || called.any(|module| last(&module.path))
    };
    if !targets.iter().any(|target| meets(target)) {
        return;
    }
    let rest: Vec<&str> = if targets.iter().any(|target| target == ALL_LINEAR) {
        names_but_outputs(modules)
    } else {
        targets.iter().map(String::as_str).collect()
    };
    let mut kept: Vec<&str> = rest.into_iter().filter(|name| !meets(name)).collect();
    if kept.is_empty() {
        let names = linear_names(modules).into_iter();
        kept.extend(names.filter(|name| !meets(name)).take(1));
    }
    findings.push(
        Finding::error("lora.target_modules", message!(adapters::out_proj_refused))
            .with_fix("lora.target_modules", serde_json::json!(kept)),
    );
}

/// Refuses `all-linear` where it takes routers, too: modules that are derived from `nn.Linear`, but return several
/// tensors (`Llama4Router`, `PhimoeTopKRouter`, transformers 5.23), with whose result `Linear.forward` of
/// `tuners/lora/layer.py` (peft 0.21) fails.
fn check_routers(
    targets: &[String],
    architecture: &Architecture,
    modules: &[Module],
    findings: &mut Vec<Finding>,
) {
    let returns_several =
        (architecture.family()).is_some_and(|family| family.adapter_support.linear_routers);
    if !returns_several || !targets.iter().any(|target| target == ALL_LINEAR) {
        return;
    }
    let kept = names_but_outputs(modules);
    findings.push(
        Finding::error("lora.target_modules", message!(adapters::routers_refused))
            .with_fix("lora.target_modules", serde_json::json!(kept)),
    );
}

/// The embeddings that can have adapters: of a decoder's tokens, unless the module multiplies what it
/// looks up. Of older PEFT they are not modelled.
fn adapted_tables(architecture: &Architecture, framework: Framework) -> &'static [&'static str] {
    let Architecture::Decoder(config) = architecture else {
        return &[];
    };
    let multiplies = config.family.adapter_support.scaled_table;
    if multiplies || !framework.has_transformers_5() {
        return &[];
    }
    &["embed_tokens", "wte", "word_embeddings", "embed_in"]
}

/// PEFT takes a target that matches nothing silently, as long as another one matches.
fn check_targets(
    targets: &[String],
    tables: &[&str],
    modules: &[Module],
    findings: &mut Vec<Finding>,
) {
    let of = |target: &String| {
        let mut called = modules.iter().filter(|module| module.is_called(target));
        match called.next() {
            _ if target == ALL_LINEAR => Match::Linear,
            Some(module) if module.path.is_empty() => Match::Other,
            Some(module) if tables.iter().any(|name| module.is_called(name)) => Match::Linear,
            Some(module) if !module.kind.is_linear() => Match::Other,
            Some(_) => Match::Linear,
            None => Match::Nothing,
        }
    };
    let found: Vec<Match> = targets.iter().map(of).collect();
    let some = found.contains(&Match::Linear);
    if some && found.iter().all(|found| *found == Match::Linear) {
        return;
    }
    let names = linear_names(modules);
    if names.is_empty() {
        findings.push(
            Finding::error("lora", message!(adapters::linear_layer))
                .with_fix("lora", serde_json::Value::Null),
        );
        return;
    }
    let wrong = targets
        .iter()
        .zip(&found)
        .find(|(_, f)| **f != Match::Linear);
    let shown: String = wrong
        .map_or("[]", |(name, _)| name)
        .chars()
        .take(SHOWN)
        .collect();
    let all = names.join(", ");
    let why = if wrong.is_some_and(|(_, found)| *found == Match::Other) {
        message!(adapters::no_linear_layer, shown, all)
    } else {
        message!(adapters::no_such_layer, shown, all)
    };
    let finding = if some && !found.contains(&Match::Other) {
        Finding::warning("lora.target_modules", why)
    } else {
        Finding::error("lora.target_modules", why)
    };
    let repaired = repaired(targets, &names);
    findings.push(finding.with_fix("lora.target_modules", serde_json::json!(repaired)));
}

/// The last parts of the names of all linear layers below the model, each once.
pub(crate) fn linear_names(modules: &[Module]) -> Vec<&str> {
    let mut names = Vec::new();
    for module in modules {
        let name = module.path.rsplit('.').next().unwrap_or_default();
        if module.kind.is_linear() && !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Names without the layers that give logits.
pub(crate) fn names_but_outputs(modules: &[Module]) -> Vec<&str> {
    let is_output = |name: &&str| {
        let mut outputs = modules.iter().filter(|m| m.kind == ModuleKind::Output);
        outputs.any(|module| module.is_called(name))
    };
    let names = linear_names(modules).into_iter();
    names.filter(|name| !is_output(name)).collect()
}

/// The targets with each unknown one replaced by the nearest, or left out; every linear layer when
/// that leaves none.
fn repaired<'a>(targets: &'a [String], names: &[&'a str]) -> Vec<&'a str> {
    let mut known: Vec<&str> = Vec::new();
    for target in targets {
        let last = target.rsplit('.').next().unwrap_or_default();
        let near = if names.contains(&last) || target == ALL_LINEAR {
            Some(target.as_str())
        } else {
            closest(target, names.iter().copied())
        };
        known.extend(near.filter(|near| !known.contains(near)));
    }
    if known.is_empty() {
        vec![ALL_LINEAR]
    } else {
        known
    }
}
