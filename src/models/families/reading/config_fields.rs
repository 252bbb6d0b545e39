//! The list of fields that decide something is what readers ask for: `HIGHWATER_FIELDS=write cargo test -p highwater-models fields`
//! writes it.

use super::{essential, model};
use crate::ask::{Framework, ModelRef, Scenario, Task};
use crate::families::{catalog_model, catalog_models, registry};
use crate::model::{ASKED, Asked, ConfigParts};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(of)
}

/// The models of all fixtures, with what replaces their fields.
fn measured() -> Vec<(ModelRef, Map<String, Value>)> {
    let files = std::fs::read_dir(path("tests/fixtures")).expect("the fixtures");
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for file in files {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|kind| kind != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(path).expect("a file of fixtures");
        for line in text.lines().filter(|line| line.starts_with('{')) {
            let case: Value = serde_json::from_str(line).expect("a case");
            let scenario = &case["scenario"];
            let overrides = scenario["model_overrides"].as_object().cloned();
            let model = serde_json::from_value(scenario["model"].clone());
            if let (Ok(model), true) = (
                model,
                seen.insert(format!("{}{overrides:?}", scenario["model"])),
            ) {
                all.push((model, overrides.unwrap_or_default()));
            }
        }
    }
    all
}

/// Reads a model for tasks whose heads differ, of both kinds of frameworks.
fn read(model: &ModelRef, overrides: &Map<String, Value>) {
    let tasks = [
        None,
        Some(Task::CausalLm),
        Some(Task::SequenceClassification),
    ];
    let frameworks = [
        Framework::Torch215Transformers523,
        Framework::Torch26Transformers451,
    ];
    for (task, framework) in tasks
        .into_iter()
        .flat_map(|task| frameworks.map(|framework| (task, framework)))
    {
        let scenario = Scenario {
            model: model.clone(),
            model_overrides: overrides.clone(),
            task,
            framework,
            ..Scenario::default()
        };
        model::read(&scenario, &mut Vec::new());
    }
}

/// The fields that readers have asked for since they were last taken, without the fields of configs that are kept as
/// they are: a config or a part of an unknown type, and the parts of a pair, whose types are none of their own.
fn taken(config: &Map<String, Value>) -> BTreeSet<String> {
    let given = config.get("model_type").and_then(Value::as_str);
    let is_pair = given
        .and_then(registry::family)
        .is_some_and(|family| family.parts == ConfigParts::Pair);
    let is_kept = |(key, model_type, _): &Asked| match model_type.as_deref() {
        Some(own) => registry::family(own).is_some(),
        None => !(is_pair && key.starts_with("model.hf_config.")),
    };
    let kept = ASKED.take().into_iter().filter(is_kept);
    kept.map(|(.., field)| field).collect()
}

/// The fields that readers ask for of every model of the catalog and of the fixtures, and, for each family, of a
/// config that says its type alone or one field more that its reader asks for.
fn asked() -> BTreeSet<String> {
    ASKED.take();
    let nothing = Map::new();
    let mut all = BTreeSet::new();
    let catalog = catalog_models().map(|model| ModelRef::Catalog(model.id.to_owned()));
    let catalog = catalog.map(|model| (model, nothing.clone()));
    for (model, overrides) in catalog.chain(measured()) {
        read(&model, &overrides);
        all.extend(match &model {
            ModelRef::HfConfig { hf_config } => taken(hf_config),
            ModelRef::Catalog(id) => {
                let config = catalog_model(id).map_or("{}", |model| model.config());
                taken(&serde_json::from_str(config).expect("a config"))
            }
            _ => taken(&nothing),
        });
    }
    for model_type in registry::model_types() {
        let mut config = Map::from_iter([("model_type".to_owned(), json!(model_type))]);
        let read = |hf_config: Map<String, Value>| {
            let config = hf_config.clone();
            read(&ModelRef::HfConfig { hf_config }, &nothing);
            taken(&config)
        };
        let fields = read(config.clone());
        for field in fields.iter().filter(|field| *field != "model_type") {
            for value in [json!(1), json!(true)] {
                config.insert(field.clone(), value);
                all.extend(read(config.clone()));
            }
            config.remove(field);
        }
        all.extend(fields);
    }
    all
}

#[test]
fn the_fields_that_decide_are_those_that_readers_ask_for() {
    let now: String = asked().iter().map(|field| field.clone() + "\n").collect();
    if std::env::var_os("HIGHWATER_FIELDS").is_some_and(|asked| asked == "write") {
        let file = path("src/models/families/reading/fields.txt");
        std::fs::write(file, now).expect("the file is written");
        return;
    }
    assert_eq!(now, essential::FIELDS, "written by HIGHWATER_FIELDS=write");
}
