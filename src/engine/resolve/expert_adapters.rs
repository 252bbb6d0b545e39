//! Adapters of parameters that belong to no linear layer: the stacked matrices of experts and the
//! weights of their routers.

use super::adapters::SHOWN;
use crate::ask::{ALL_LINEAR, FUSED, is_called, message};
use crate::ask::{Finding, Framework, Lora, Scenario, Zero};
use crate::model::{Architecture, Module, ModuleKind};
use serde_json::json;

/// Names of layers of experts and their router in transformers 4, of models whose targets PEFT takes
/// for the parameters that transformers 5 has made of them; not of models that see images.
pub(super) fn former_names(
    architecture: &Architecture,
    framework: Framework,
) -> Option<&'static [&'static str; 4]> {
    if !framework.has_transformers_5() || architecture.images().is_some() {
        return None;
    }
    architecture.family()?.adapter_support.former_experts
}

/// `_convert_peft_config_moe`: gives parameters the adapters that were asked for layers of such names.
/// Returns the layer that is missing where one of two of one parameter was named alone.
pub(crate) fn convert(
    lora: &mut Lora,
    architecture: &Architecture,
    framework: Framework,
    modules: &[Module],
) -> Option<&'static str> {
    let names = former_names(architecture, framework).filter(|_| lora.convert_experts)?;
    let mut named = [false; 4];
    if lora.target_modules.iter().any(|name| name == ALL_LINEAR) {
        named = [true; 4];
        lora.target_modules.clear();
        for module in modules.iter().filter(|m| m.kind == ModuleKind::Linear) {
            let name = module.path.rsplit('.').next().unwrap_or_default();
            if !lora.target_modules.iter().any(|known| known == name) {
                lora.target_modules.push(name.to_owned());
            }
        }
    }
    lora.target_modules.retain(|target| {
        let last = target.rsplit('.').next().unwrap_or_default();
        let found = names.iter().position(|name| *name == last);
        found.inspect(|&at| named[at] = true).is_none()
    });
    let [router, gate, input, last] = named;
    let mut add = |parameter: &str| {
        if !lora.target_parameters.iter().any(|name| name == parameter) {
            lora.target_parameters.push(parameter.to_owned());
        }
    };
    if router {
        add("gate.weight");
    }
    if gate || input {
        add(FUSED);
    }
    if last {
        add("down_proj");
    }
    lora.fused = gate && input;
    match (gate, input) {
        (true, false) => Some(names[2]),
        (false, true) => Some(names[1]),
        _ => None,
    }
}

/// The last parts of the names of what `matches`, and former names of experts that would have, which are all that
/// counts of an expression here (`_resolve_string_target_modules`).
pub(super) fn leaves<E>(
    former: &[&str; 4],
    modules: &[Module],
    matches: impl Fn(&str) -> Result<bool, E>,
) -> Result<Vec<String>, E> {
    let mut leaves: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !leaves.iter().any(|known| known == name) {
            leaves.push(name.to_owned());
        }
    };
    for module in modules {
        let own = module.parameter_paths();
        for path in own.chain([module.path.clone()]) {
            if matches(&path)? {
                add(path.rsplit('.').next().unwrap_or_default());
            }
        }
    }
    for (name, parameter) in former[1..].iter().zip([FUSED, FUSED, "down_proj"]) {
        let has = |module: &&Module| module.parameters.iter().any(|own| own.name == parameter);
        for module in modules.iter().filter(has) {
            if matches(&format!("{}.{name}", module.path))? {
                add(name);
                break;
            }
        }
    }
    Ok(leaves)
}

/// A target with a path, of which PEFT looks at the last part alone: it gives all experts adapters, and none to
/// the layers with this path.
fn without_path<'a>(asked: &'a Lora, names: &[&str; 4], modules: &[Module]) -> Option<&'a str> {
    let is_meant = |target: &&String| {
        let last = target.rsplit('.').next().unwrap_or_default();
        let layers = modules
            .iter()
            .filter(|module| module.kind == ModuleKind::Linear);
        target.contains('.')
            && names.contains(&last)
            && layers.into_iter().any(|module| module.is_called(target))
    };
    asked
        .target_modules
        .iter()
        .find(is_meant)
        .map(String::as_str)
}

/// Whether a module is the linear layer of a router.
pub(super) fn is_router(module: &Module) -> bool {
    module.path.ends_with(".router.gate")
}

/// The paths of the parameters that can get adapters.
fn parameters(modules: &[Module]) -> impl Iterator<Item = String> {
    let own = modules.iter().filter(|m| m.kind == ModuleKind::Matrices);
    own.flat_map(Module::parameter_paths)
        .filter(|path| !path.ends_with("bias"))
}

/// Names of these parameters with their modules, each once.
pub(crate) fn parameter_names(modules: &[Module], framework: Framework) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if framework.has_transformers_5() {
        for path in parameters(modules) {
            let start = path.rmatch_indices('.').nth(1).map_or(0, |(at, _)| at + 1);
            if !names.iter().any(|name| name == &path[start..]) {
                names.push(path[start..].to_owned());
            }
        }
    }
    names
}

/// Checks adapters of parameters: `asked` are the scenario's, `lora` the ones that PEFT makes of them.
pub(crate) fn check(
    asked: &Lora,
    lora: &Lora,
    missing: Option<&'static str>,
    (architecture, modules): (&Architecture, &[Module]),
    scenario: &Scenario,
    findings: &mut Vec<Finding>,
) {
    let framework = scenario.framework;
    if let Some(missing) = missing {
        let mut fix = asked.target_modules.clone();
        fix.push(missing.to_owned());
        findings.push(
            Finding::error(
                "lora.target_modules",
                message!(experts::gate_and_input, missing),
            )
            .with_fix("lora.target_modules", json!(fix)),
        );
    }
    let former = former_names(architecture, framework).filter(|_| asked.convert_experts);
    if let Some(target) = former.and_then(|names| without_path(asked, names, modules)) {
        let why = message!(experts::path_left_out, target);
        findings.push(Finding::warning("lora.target_modules", why));
    }
    check_names(&asked.target_parameters, modules, framework, findings);
    let adapted = parameters(modules).any(|path| lora.rank_of_parameter(&path).is_some());
    // A router whose weight is in a layer of its own, which is quantized.
    let packed = modules
        .iter()
        .filter(|module| is_router(module))
        .any(|module| {
            let mut own = module.parameter_paths();
            own.any(|path| lora.rank_of_parameter(&path).is_some())
        });
    if packed && scenario.quantization.is_on() {
        let mut others = lora.target_modules.clone();
        others.extend(["gate_proj", "up_proj", "down_proj"].map(str::to_owned));
        findings.push(
            Finding::error("lora.target_modules", message!(experts::packed_router))
                .with_fix("lora.target_modules", json!(others)),
        );
    }
    if adapted && lora.dropout > 0.0 {
        findings.push(
            Finding::error("lora.dropout", message!(experts::adapter_dropout))
                .with_fix("lora.dropout", 0.0),
        );
    }
    if adapted && lora.use_dora {
        findings.push(
            Finding::error("lora.use_dora", message!(experts::dora))
                .with_fix("lora.use_dora", false),
        );
    }
}

/// Refuses adapters of parameters that `DeepSpeed` stops at: PEFT computes with these in the place of the module's own,
/// so that nobody takes them from the prefetch queue, unless enough is prefetched (`fetch_sub_module`, "tracing error",
/// deepspeed 0.19.8). Modules that it takes for one with all in it gather theirs themselves.
pub(super) fn check_fetched(
    lora: &Lora,
    modules: &[Module],
    architecture: &Architecture,
    scenario: &Scenario,
    findings: &mut Vec<Finding>,
) {
    let (Architecture::Decoder(config), dp) = (architecture, &scenario.parallelism.dp) else {
        return;
    };
    let is_adapted = |path: String| lora.rank_of_parameter(&path).is_some();
    let is_leaf = config.family.names.mixture_is_leaf;
    if !dp.partitions_parameters() || is_leaf || !parameters(modules).any(is_adapted) {
        return;
    }
    let experts = config.experts.as_ref();
    let of_layer = experts.map_or(0, |all| {
        2 * all.count * all.intermediate_size * config.hidden_size
    });
    let mut refuse = |key: &str, fix: u64| {
        let why = message!(experts::adapters_not_prefetched);
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    if dp.zero.stage3_prefetch_bucket_size == 0 {
        refuse(
            "parallelism.dp.stage3_prefetch_bucket_size",
            Zero::default().stage3_prefetch_bucket_size,
        );
    } else if dp.zero.stage3_max_live_parameters <= of_layer {
        refuse("parallelism.dp.stage3_max_live_parameters", 4 * of_layer);
    }
}

fn check_names(
    targets: &[String],
    modules: &[Module],
    framework: Framework,
    findings: &mut Vec<Finding>,
) {
    let is_known = |name: &String| {
        framework.has_transformers_5() && parameters(modules).any(|path| is_called(&path, name))
    };
    let Some(unknown) = targets.iter().find(|name| !is_known(name)) else {
        return;
    };
    // PEFT takes a name that matches nothing silently, as long as another one matches.
    let is_there = |name: &String| {
        let mut all = modules.iter().flat_map(Module::parameter_paths);
        all.any(|path| is_called(&path, name))
    };
    let harmless = targets.iter().all(|name| is_known(name) || !is_there(name));
    let finding = if harmless && targets.iter().any(is_known) {
        Finding::warning
    } else {
        Finding::error
    };
    let shown: String = unknown.chars().take(SHOWN).collect();
    let names = parameter_names(modules, framework).join(", ");
    let why = if names.is_empty() {
        message!(experts::no_parameters)
    } else {
        message!(experts::unknown_parameter, shown, names)
    };
    let rest: Vec<&String> = targets.iter().filter(|name| is_known(name)).collect();
    findings.push(
        finding("lora.target_parameters", why).with_fix("lora.target_parameters", json!(rest)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::ModelRef;
    use crate::ask::Severity;
    use crate::resolve::resolve;

    fn of(model: &str, lora: &serde_json::Value) -> Scenario {
        Scenario {
            model: ModelRef::Catalog(model.to_owned()),
            lora: serde_json::from_value(lora.clone()).expect("options of PEFT"),
            ..Scenario::default()
        }
    }

    fn adapters(model: &str, targets: &[&str]) -> Lora {
        let scenario = of(model, &json!({"target_modules": targets}));
        let spec = resolve(&scenario).spec.expect("a scenario");
        spec.lora.expect("adapters")
    }

    fn error(scenario: &Scenario) -> (String, serde_json::Value) {
        let findings = resolve(scenario).findings;
        let error = findings.iter().find(|f| f.severity == Severity::Error);
        let fix = error.and_then(|error| error.fix.clone()).expect("a fix");
        (fix.key, fix.value)
    }

    #[test]
    fn adapters_of_parameters_are_refused_where_deepspeed_gathers_nothing_ahead() {
        let found = |model: &str, zero: &serde_json::Value| {
            let mut dp = json!({"kind": "deepspeed_zero", "stage": 3, "size": 8});
            for (key, value) in zero.as_object().expect("an object") {
                dp[key] = value.clone();
            }
            let scenario = json!({"model": model, "precision": "bf16", "parallelism": {"dp": dp},
                "lora": {"target_modules": ["q_proj"], "target_parameters": ["experts.down_proj"]}});
            let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
            let errors = resolve(&scenario).findings.into_iter();
            let errors = errors.filter(|f| f.severity == Severity::Error);
            errors.map(|finding| finding.key).collect::<Vec<_>>()
        };
        assert_eq!(found("olmoe-1b-7b", &json!({})), [""; 0]);
        let nothing = json!({"stage3_prefetch_bucket_size": 0});
        let key = "parallelism.dp.stage3_prefetch_bucket_size";
        assert_eq!(found("olmoe-1b-7b", &nothing), [key]);
        // One module for DeepSpeed.
        assert_eq!(found("qwen3-30b-a3b", &nothing), [""; 0]);
        let few = json!({"stage3_max_live_parameters": 1_000_000});
        let key = "parallelism.dp.stage3_max_live_parameters";
        assert_eq!(found("olmoe-1b-7b", &few), [key]);
    }

    #[test]
    fn experts_get_adapters_under_their_former_names() {
        let all = adapters("olmoe-1b-7b", &[ALL_LINEAR]);
        assert_eq!(all.target_modules, ["q_proj", "k_proj", "v_proj", "o_proj"]);
        assert_eq!(
            all.target_parameters,
            ["gate.weight", "gate_up_proj", "down_proj"]
        );
        let rank = |path| all.rank_of_parameter(path);
        assert_eq!(rank("model.layers.3.mlp.experts.gate_up_proj"), Some(32));
        assert_eq!(rank("model.layers.3.mlp.experts.down_proj"), Some(16));
        assert_eq!(rank("model.layers.3.mlp.aggregate.weight"), None);
        let some = adapters("mixtral-8x7b", &["q_proj", "w2"]);
        assert_eq!(some.target_modules, ["q_proj"]);
        assert_eq!(some.target_parameters, ["down_proj"]);
        // PEFT before 0.19 knows none.
        let scenario = of(
            "mixtral-8x7b",
            &json!({"target_modules": ["q_proj", "w2"], "convert_experts": false}),
        );
        let former = resolve(&scenario).spec.expect("a scenario").lora;
        let former = former.expect("adapters");
        assert_eq!(former.target_modules, ["q_proj", "w2"]);
        assert!(former.target_parameters.is_empty());
        // PEFT does not know this type, whose shared experts are layers of the same names.
        let layers = adapters("qwen1.5-moe-a2.7b", &["gate_proj", "up_proj"]);
        assert_eq!(layers.target_modules, ["gate_proj", "up_proj"]);
        assert!(layers.target_parameters.is_empty());
    }

    #[test]
    fn what_peft_refuses_of_experts_is_refused() {
        let alone = of("olmoe-1b-7b", &json!({"target_modules": ["up_proj"]}));
        let both = json!(["up_proj", "gate_proj"]);
        assert_eq!(error(&alone), ("lora.target_modules".to_owned(), both));
        let drops = json!({"target_modules": ["w2"], "dropout": 0.1});
        let drops = of("mixtral-8x7b", &drops);
        assert_eq!(error(&drops), ("lora.dropout".to_owned(), json!(0.0)));
        let other = json!({"target_parameters": ["experts.down_proj", "norm.weight"]});
        let known = (
            "lora.target_parameters".to_owned(),
            json!(["experts.down_proj"]),
        );
        assert_eq!(error(&of("gpt-oss-20b", &other)), known);
        let unknown = json!({"target_parameters": ["experts.down_proj", "experts.dwn_proj"]});
        assert!(resolve(&of("gpt-oss-20b", &unknown)).spec.is_some());
        let mut former = of("olmoe-1b-7b", &json!({"target_parameters": ["down_proj"]}));
        former.framework = Framework::Torch26Transformers451;
        assert_eq!(
            error(&former),
            ("lora.target_parameters".to_owned(), json!([]))
        );
    }
}
