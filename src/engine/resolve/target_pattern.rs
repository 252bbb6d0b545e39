//! Adapters' targets that are a regular expression, by the names of the layers that match it.

use super::adapters::SHOWN;
use super::expert_adapters;
use crate::ask::{ANY_NUMBER, Finding, Lora, Message, Pattern, PatternError, Scenario, message};
use crate::model::{Architecture, Module};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The key, and that of names.
const KEY: &str = "lora.target_pattern";
const NAMES: &str = "lora.target_modules";

/// How paths begin of a model for texts, and of that where it is a part of one that sees images or hears
/// (transformers 5).
const BASE: &str = "model.";
const DECODERS: [&str; 2] = ["model.language_model.", "language_model.model."];

/// The modules as the larger model calls them.
fn of_whole(modules: &[Module], decoder: &str) -> Vec<Module> {
    let moved = |module: &Module| match module.path.strip_prefix(BASE) {
        Some(rest) => module.at(&format!("{decoder}{rest}")),
        None => module.clone(),
    };
    modules.iter().map(moved).collect()
}

/// The scenario with names in the place of its expression, if adapters have one.
pub(super) fn by_name<'a>(
    scenario: &'a Scenario,
    architecture: &Architecture,
    modules: impl FnOnce() -> Vec<Module>,
    findings: &mut Vec<Finding>,
) -> Cow<'a, Scenario> {
    let Some(text) = (scenario.lora.as_ref()).and_then(|lora| lora.target_pattern.as_ref()) else {
        return Cow::Borrowed(scenario);
    };
    let modules = modules();
    let asked = (scenario, architecture);
    let names = Pattern::read(text)
        .map_err(|error| unread(text, error))
        .and_then(|pattern| {
            let names = named(&pattern, text, asked, &modules)?;
            if !names.is_empty() {
                return Ok(names);
            }
            let decoders = DECODERS.into_iter();
            for decoder in decoders.filter(|_| architecture.images().is_none()) {
                let names = named(&pattern, text, asked, &of_whole(&modules, decoder))?;
                if !names.is_empty() {
                    let why = message!(adapters::pattern_of_whole, shown = shown(text));
                    findings.push(Finding::warning(KEY, why));
                    let names = names.iter().map(|name| name.replacen(decoder, BASE, 1));
                    return Ok(names.collect());
                }
            }
            Err(message!(
                adapters::pattern_matches_nothing,
                shown = shown(text)
            ))
        });
    let mut by_name = scenario.clone();
    match (names, &mut by_name.lora) {
        (Ok(names), Some(lora)) => {
            lora.target_modules = names;
            lora.target_pattern = None;
        }
        (Ok(_), None) => {}
        (Err(why), _) => {
            findings.push(Finding::error(KEY, why));
            // One finding is enough.
            by_name.lora = None;
        }
    }
    Cow::Owned(by_name)
}

/// Moves findings about the names of target modules to the expression that these names come from.
pub(super) fn tell(scenario: &Scenario, findings: &mut [Finding]) {
    let by_pattern = |lora: &Lora| lora.target_pattern.is_some();
    if !scenario.lora.as_ref().is_some_and(by_pattern) {
        return;
    }
    for finding in findings.iter_mut().filter(|finding| finding.key == NAMES) {
        KEY.clone_into(&mut finding.key);
        finding.fix = None;
    }
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

fn unread(text: &str, error: PatternError) -> Message {
    match error {
        PatternError::Wrong => message!(adapters::pattern_wrong, shown = shown(text)),
        PatternError::NotModelled => message!(adapters::pattern_not_modelled, shown = shown(text)),
    }
}

/// The names of what matches.
fn named(
    pattern: &Pattern,
    text: &str,
    (scenario, architecture): (&Scenario, &Architecture),
    modules: &[Module],
) -> Result<Vec<String>, Message> {
    let unread = || unread(text, PatternError::NotModelled);
    let matches = |path: &str| pattern.matches(path).ok_or_else(unread);
    let paths: BTreeSet<&str> = modules.iter().map(|module| module.path.as_str()).collect();
    let mut above: BTreeSet<&str> = BTreeSet::new();
    for path in &paths {
        above.extend(path.match_indices('.').map(|(at, _)| &path[..at]));
    }
    for container in above.difference(&paths) {
        if matches(container)? {
            return Err(message!(
                adapters::pattern_container,
                shown = shown(text),
                container
            ));
        }
    }
    let converts = (scenario.lora.as_ref()).is_some_and(|lora| lora.convert_experts);
    let former = expert_adapters::former_names(architecture, scenario.framework);
    if let Some(former) = former.filter(|_| converts) {
        return expert_adapters::leaves(former, modules, matches);
    }
    let found = modules.iter().map(|module| matches(&module.path));
    let found = found.collect::<Result<Vec<bool>, Message>>()?;
    Ok(suffixes(modules, &found))
}

/// The shortest suffixes of paths that tell the `meant` modules from all others; a number in a path is replaced by any
/// number where that suffices.
fn suffixes(modules: &[Module], meant: &[bool]) -> Vec<String> {
    let general: Vec<String> = modules
        .iter()
        .map(|module| any_number(&module.path))
        .collect();
    // Whether all paths that end so are meant.
    let mut ends: BTreeMap<&str, bool> = BTreeMap::new();
    for (path, meant) in general.iter().zip(meant) {
        for end in ends_of(path) {
            *ends.entry(end).or_insert(true) &= meant;
        }
    }
    let mut names: Vec<String> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let found = modules.iter().zip(&general).zip(meant);
    for ((module, path), _) in found.filter(|(_, meant)| **meant) {
        match ends_of(path).find(|end| ends[end]) {
            Some(end) if known.insert(end) => names.push(end.to_owned()),
            Some(_) => {}
            None => names.push(module.path.clone()),
        }
    }
    names
}

fn any_number(path: &str) -> String {
    let part = |part| match str::parse::<u32>(part) {
        Ok(_) => ANY_NUMBER,
        Err(_) => part,
    };
    path.split('.').map(part).collect::<Vec<_>>().join(".")
}

/// The ends of a path, the shortest first.
fn ends_of(path: &str) -> impl Iterator<Item = &str> {
    let dots = path.rmatch_indices('.').map(|(at, _)| &path[at + 1..]);
    dots.chain([path])
}

#[cfg(test)]
mod tests {
    use crate::ask::{Scenario, Severity};
    use crate::model::ResolvedSpec;
    use crate::resolve::resolve;
    use serde_json::json;

    fn asked(model: &str, lora: &serde_json::Value) -> Scenario {
        let scenario = json!({"model": model, "lora": lora, "precision": "bf16", "seq_len": 2048});
        serde_json::from_value(scenario).expect("a scenario")
    }

    fn spec(model: &str, lora: &serde_json::Value) -> ResolvedSpec {
        resolve(&asked(model, lora)).spec.expect("a job")
    }

    #[test]
    fn an_expression_means_the_layers_whose_whole_paths_match() {
        let pattern = r"model.layers.[\d]+.(mlp|self_attn).(up|down|q|k)_proj";
        let lora = spec("llama-3.2-1b", &json!({"target_pattern": pattern})).lora;
        let mut names = lora.expect("adapters").target_modules;
        names.sort();
        assert_eq!(names, ["down_proj", "k_proj", "q_proj", "up_proj"]);
        let some =
            json!({"target_pattern": r".*\.layers\.(3|7)\.self_attn\.q_proj|.*\.mlp\.up_proj"});
        let names = spec("llama-3.2-1b", &some)
            .lora
            .expect("adapters")
            .target_modules;
        let paths = ["3", "7"].map(|n| format!("model.layers.{n}.self_attn.q_proj"));
        assert!(paths.iter().all(|path| names.contains(path)) && names.len() == 3);
        assert!(names.contains(&"up_proj".to_owned()));
    }

    #[test]
    fn an_expression_leaves_what_sees_images_out() {
        let pattern = r"model.language_model.layers.[\d]+.(mlp|cross_attn|self_attn).(up|down|gate|q|k|v|o)_proj";
        let lora = spec("gemma-3-4b", &json!({"target_pattern": pattern})).lora;
        let lora = lora.expect("adapters");
        assert!(lora.names_module("model.language_model.layers.3.self_attn.q_proj"));
        assert!(
            !lora.names_module("model.vision_tower.vision_model.encoder.layers.3.self_attn.q_proj")
        );
    }

    #[test]
    fn the_part_for_texts_has_the_layers_that_the_whole_model_has() {
        for pattern in [
            r"model.language_model.layers.[\d]+.self_attn.(q|k)_proj",
            r"language_model.model.layers.[\d]+.self_attn.(q|k)_proj",
        ] {
            let scenario = asked("llama-3.2-1b", &json!({"target_pattern": pattern}));
            let resolved = resolve(&scenario);
            let lora = resolved.spec.and_then(|spec| spec.lora).expect("adapters");
            assert_eq!(lora.target_modules.len(), 2, "{pattern}");
            let told = (resolved.findings.iter()).any(|f| f.severity == Severity::Warning);
            assert!(told);
        }
    }

    #[test]
    fn of_experts_the_last_part_of_a_name_decides() {
        // As counted with peft 0.21 and transformers 5.23: layers that match and are no experts are left out.
        let pattern = r".*\.shared_expert\.(gate|up|down)_proj";
        let lora = spec("qwen3-next-80b-a3b", &json!({"target_pattern": pattern})).lora;
        let lora = lora.expect("adapters");
        assert_eq!(lora.target_parameters, ["gate_up_proj", "down_proj"]);
        assert!(lora.target_modules.is_empty());
        let layers = spec("qwen1.5-moe-a2.7b", &json!({"target_pattern": pattern})).lora;
        assert_eq!(layers.expect("adapters").target_modules.len(), 3);
    }

    #[test]
    fn expressions_that_peft_stops_at_are_refused() {
        for pattern in ["q_proj", ".*", "(", r"(a)\1", r".*\.input_layernorm"] {
            let findings =
                resolve(&asked("llama-3.2-1b", &json!({"target_pattern": pattern}))).findings;
            let error = findings.iter().find(|f| f.severity == Severity::Error);
            let key = &error.expect("an error").key;
            assert_eq!(key, "lora.target_pattern", "{pattern}");
        }
    }
}
