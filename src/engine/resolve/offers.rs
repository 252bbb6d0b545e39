//! Names that the lists of a scenario can hold for its model: names to be offered, not the only ones
//! that are allowed.

use super::adapters::{all_targets, linear_names, names_but_outputs, whole_names};
use super::{expert_adapters, liger, task, teacher};
use crate::ask::ALL_LINEAR;
use crate::ask::{Lora, LoraKernel, SavedOperation, Scenario, Task};
use crate::families::{self, modules};
use crate::model::{LigerSupport, Module};

/// The names that are offered for the setting with this key.
pub fn offers(scenario: &Scenario, key: &str) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    match key {
        "optimizer.impl" => {
            let all = scenario.optimizer.name.implementations().iter();
            all.map(|one| one.name().to_owned()).collect()
        }
        "objective.loss_type" => {
            let all = scenario.objective.kind.losses().iter();
            all.map(|loss| loss.name().to_owned()).collect()
        }
        "lora.target_modules" => {
            let modules = modules_of(scenario);
            let mut names = worded(&modules, &linear_names(&modules));
            names.insert(0, ALL_LINEAR.to_owned());
            names
        }
        "lora.modules_to_save" => match families::read(scenario, &mut Vec::new()) {
            Some(model) => owned(&whole_names(&model.architecture, &modules_of(scenario))),
            None => Vec::new(),
        },
        "lora.target_parameters" => {
            expert_adapters::parameter_names(&modules_of(scenario), scenario.framework)
        }
        "liger_kernel" => kernels(scenario),
        "selective.save" => {
            let all = SavedOperation::ALL.iter();
            all.map(|operation| operation.name().to_owned()).collect()
        }
        "lora.kernels" => {
            let all = LoraKernel::ALL.iter();
            all.map(|kernel| kernel.name().to_owned()).collect()
        }
        "objective.teacher" => teacher::known(scenario),
        "frozen" => parts(&modules_of(scenario)),
        "layer_modules" => families::layer_classes(scenario),
        _ => Vec::new(),
    }
}

/// The names that are no number and, for each name that is one (a layer of an `nn.Sequential`), the suffixes of module
/// paths that join it to the named part above, each once.
fn worded(modules: &[Module], names: &[&str]) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for &name in names {
        if name.parse::<u32>().is_err() {
            said.push(name.to_owned());
            continue;
        }
        let linear = modules.iter().filter(|module| module.kind.is_linear());
        for module in linear.filter(|module| module.is_called(name)) {
            let mut parts = module.path.rsplit('.').skip(1);
            // Numbers of layers above differ; a name that stays the same ends the path.
            let above = parts.find(|part| part.parse::<u32>().is_err());
            let last = above.map(|above| format!("{above}.{name}"));
            said.extend(last.filter(|last| module.is_called(last) && !said.contains(last)));
        }
    }
    said
}

/// The last parts of the names of the linear layers but the output layer, where PEFT's `all-linear` means
/// the parameters of experts besides; empty elsewhere.
pub fn linear_layers(scenario: &Scenario) -> Vec<String> {
    let Some(model) = families::read(scenario, &mut Vec::new()) else {
        return Vec::new();
    };
    if expert_adapters::former_names(&model.architecture, scenario.framework).is_none() {
        return Vec::new();
    }
    let modules = modules_of(scenario);
    let mut names = names_but_outputs(&modules);
    if modules.iter().any(expert_adapters::is_router) {
        names.push("gate");
    }
    names.into_iter().map(str::to_owned).collect()
}

/// The names of a model's parameters, as `named_parameters` has them.
pub fn parameter_names(scenario: &Scenario) -> Vec<String> {
    let modules = modules_of(scenario);
    modules.iter().flat_map(Module::parameter_paths).collect()
}

/// Adapters as they are by default, where the model has such layers; of all its layers elsewhere.
pub fn usual_adapters(scenario: &Scenario) -> Lora {
    let usual = Lora::default();
    let modules = modules_of(scenario);
    let names = linear_names(&modules);
    if usual
        .target_modules
        .iter()
        .all(|name| names.contains(&name.as_str()))
    {
        return usual;
    }
    let asked = (task_of(scenario), scenario.framework);
    Lora {
        target_modules: all_targets(asked, &modules),
        ..usual
    }
}

pub(super) fn task_of(scenario: &Scenario) -> Task {
    match families::read(scenario, &mut Vec::new()) {
        Some(model) => task::resolve(scenario, &model.architecture, &mut Vec::new()),
        None => scenario.task.unwrap_or(Task::CausalLm),
    }
}

fn modules_of(scenario: &Scenario) -> Vec<Module> {
    let Some(model) = families::read(scenario, &mut Vec::new()) else {
        return Vec::new();
    };
    let task = task::resolve(scenario, &model.architecture, &mut Vec::new());
    modules(&model.architecture, task, scenario.framework)
}

fn kernels(scenario: &Scenario) -> Vec<String> {
    let model = families::read(scenario, &mut Vec::new());
    let kit = model.and_then(|model| liger::kit(&model.architecture, scenario.framework));
    let kernels = kit.into_iter().flat_map(LigerSupport::kernels);
    kernels.map(|kernel| kernel.name().to_owned()).collect()
}

/// The parts of a model as its first attributes name them; those of the base model where one
/// attribute holds nearly everything, as `model` does in a `LlamaForCausalLM`.
fn parts(modules: &[Module]) -> Vec<String> {
    let first = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
    let mut parts: Vec<String> = Vec::new();
    let base = modules
        .iter()
        .map(|module| first(&module.path))
        .find(|name| {
            let inside = modules.iter().filter(|m| first(&m.path) == *name).count();
            inside * 10 > modules.len() * 9
        });
    for module in modules {
        let path = match &base {
            Some(base) => module
                .path
                .strip_prefix(&format!("{base}."))
                .unwrap_or(&module.path),
            None => &module.path,
        };
        let part = first(path);
        if !part.is_empty() && !module.parameters.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::ModelRef;

    const KEYS_WITH_OFFERS: [&str; 5] = [
        "lora.target_modules",
        "lora.modules_to_save",
        "liger_kernel",
        "objective.teacher",
        "frozen",
    ];
    use crate::resolve::resolve;

    fn of(id: &str) -> Scenario {
        Scenario {
            model: ModelRef::Catalog(id.to_owned()),
            ..Scenario::default()
        }
    }

    #[test]
    fn what_is_offered_is_there() {
        let llama = of("llama-3.1-8b");
        let parts = offers(&llama, "frozen");
        assert_eq!(parts, ["embed_tokens", "layers", "norm", "lm_head"]);
        let targets = offers(&llama, "lora.target_modules");
        assert_eq!(targets[..2], ["all-linear", "q_proj"]);
        let kernels = offers(&llama, "liger_kernel");
        assert!(kernels.contains(&"swiglu".to_owned()) && !kernels.contains(&"geglu".to_owned()));
        for part in parts {
            let mut scenario = llama.clone();
            scenario.frozen = vec![part.clone()];
            assert!(resolve(&scenario).spec.is_some(), "{part}");
        }
    }

    #[test]
    fn what_is_offered_has_a_name_and_is_no_bare_number() {
        for model in crate::families::catalog_models() {
            let scenario = of(model.id);
            for key in KEYS_WITH_OFFERS {
                for offered in offers(&scenario, key) {
                    let is_number = offered.parse::<u32>().is_ok();
                    assert!(
                        !is_number && !offered.is_empty(),
                        "{key} of {}: {offered}",
                        model.id
                    );
                }
            }
        }
    }

    #[test]
    fn adapters_fit_the_model() {
        assert_eq!(usual_adapters(&of("llama-3.1-8b")), Lora::default());
        let mut scenario = of("t5-base");
        let lora = usual_adapters(&scenario);
        assert_eq!(lora.target_modules, ["all-linear"]);
        scenario.lora = Some(lora);
        let findings = resolve(&scenario).findings;
        assert!(findings.iter().all(|f| f.key != "lora.target_modules"));
    }
}
