//! Laws of records: each names the sources that it was read from, the files of its cases and its published models.

use super::fictitious::FICTITIOUS;
use super::models::{catalog_model, catalog_models};
use super::registry::{all, family_of, is_of_blocks};
use crate::model::Family;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;

/// The records of families that there are.
fn records() -> impl Iterator<Item = &'static Family> {
    all().filter(|family| **family != FICTITIOUS)
}

#[test]
fn each_record_says_where_it_was_read() {
    for family in records() {
        let source = family.source;
        let known = source.starts_with("models/") && source.ends_with(", transformers 5.23")
            || source.starts_with("flash-linear-attention ");
        assert!(known, "{:?}: {source}", family.model_types);
    }
}

#[test]
fn each_record_names_files_that_hold_measured_cases_of_it() {
    let mut files = BTreeMap::new();
    for family in records() {
        let types = family.model_types.iter();
        let mut wanted: Vec<String> = types
            .map(|name| format!(r#""model_type":"{name}""#))
            .collect();
        let published = family.published.facts().iter();
        wanted.extend(published.map(|(id, _)| format!(r#""model":"{id}""#)));
        assert!(
            !family.fixtures.facts().is_empty(),
            "{:?}",
            family.model_types
        );
        for &file in family.fixtures.facts() {
            let cases: &mut String = files.entry(file).or_insert_with(|| {
                let path = format!("{}/../../tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
                let text = fs::read_to_string(&path);
                text.unwrap_or_else(|error| panic!("{path}: {error}"))
                    .replace("\": \"", "\":\"")
            });
            let found = wanted.iter().any(|wanted| cases.contains(wanted));
            assert!(found, "{file} has no case of {:?}", family.model_types);
        }
    }
}

#[test]
fn each_published_model_has_its_number_of_parameters_in_the_record_of_its_family() {
    for model in catalog_models() {
        let config: Map<String, Value> = serde_json::from_str(model.config()).expect("a config");
        let name = config["model_type"].as_str().expect("a type");
        let family = family_of(name, |field| config.contains_key(field)).expect("a family");
        let published = family.published.facts().iter();
        let numbers = published.filter(|(id, _)| *id == model.id).count();
        assert_eq!(numbers, 1, "{} in the record of {name}", model.id);
    }
    for family in all() {
        for (id, _) in family.published.facts() {
            assert!(catalog_model(id).is_some(), "{id} is no published model");
        }
    }
}

/// Values of `plan` in a file by the types of models.
fn plans(file: &str, plan: &str) -> BTreeMap<String, Value> {
    let path = format!("{}/../../tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("the plans");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a plan"));
    let named = lines.map(|line| {
        let name = line["model_type"].as_str().expect("a type").to_owned();
        (name, line[plan].clone())
    });
    named.collect()
}

/// Plans as transformers 5.23 has them (`base_model_tp_plan` of the config's class), without what all ranks have
/// (`replicated_with_grad_allreduce`).
#[test]
fn each_plan_of_tensor_parallelism_is_that_of_transformers() {
    let plans = plans("tensor_plans.jsonl", "base_model_tp_plan");
    for family in records().filter(|family| is_of_blocks(family)) {
        if family.tensor_plan.is_empty() {
            continue;
        }
        let own = family.tensor_plan.iter().copied().flatten();
        let own: Map<String, Value> = own
            .map(|(path, style)| ((*path).to_owned(), style.name().into()))
            .collect();
        for name in family.model_types {
            assert_eq!(
                plans.get(*name),
                Some(&Value::Object(own.clone())),
                "{name}"
            );
        }
    }
}

/// Plans as transformers 5.23 has them (`base_model_ep_plan` of the config's class, `_fsdp_plan` of its
/// language model's).
#[test]
fn experts_are_divided_and_heads_grouped_where_transformers_says_so() {
    let file = "expert_plans.jsonl";
    let experts = plans(file, "base_model_ep_plan");
    let heads = plans(file, "_fsdp_plan");
    for family in records().filter(|family| is_of_blocks(family)) {
        for name in family.model_types {
            let Some(plan) = experts.get(*name) else {
                continue;
            };
            if let Some(plan) = plan.as_object() {
                let whole = |style: &Value| {
                    ["grouped_gemm", "ep_dispatch_experts"].contains(&style.as_str().unwrap_or(""))
                };
                assert_eq!(family.divides_experts, plan.values().all(whole), "{name}");
            } else if family.experts.is_some() {
                assert!(!family.divides_experts, "{name}");
            }
            assert_eq!(family.groups_head, !heads[*name].is_null(), "{name}");
        }
    }
}
