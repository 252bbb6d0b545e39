//! Axes whose values are names of the catalog: each is looked at.

use super::axis::MODEL;
use crate::ask::{Finding, ModelRef, Scenario, message};
use crate::catalog::ACCELERATORS;
use crate::families::{catalog_model, catalog_models};
use serde_json::{Map, Value};

/// The GPUs of the catalog, the one with the least memory that programs can use first.
pub(super) fn accelerators() -> Vec<&'static str> {
    let mut all: Vec<_> = ACCELERATORS.iter().collect();
    all.sort_by_key(|accelerator| (accelerator.usable.value, accelerator.nominal));
    all.into_iter().map(|accelerator| accelerator.id).collect()
}

/// The scenario on another GPU, with the memory that the catalog says it has.
pub(super) fn on_gpu(scenario: &Scenario, id: &str) -> Scenario {
    let mut to = scenario.clone();
    id.clone_into(&mut to.hardware.gpu);
    to.hardware.gpu_memory = None;
    to
}

/// `model_type` of the config of a scenario's model; none where it has no config.
pub(super) fn type_of(scenario: &Scenario) -> Option<String> {
    match &scenario.model {
        ModelRef::Catalog(id) => catalog_model(id).and_then(|model| model_type(model.config())),
        ModelRef::HfConfig { hf_config } => type_in(hf_config),
        ModelRef::Linear { .. } | ModelRef::Exported(_) | ModelRef::NumParameters { .. } => None,
    }
}

/// The published models of the type that the scenario's model is of (`model_type` of a `config.json`).
///
/// # Errors
/// Where the catalog has none of it.
pub(super) fn models(scenario: &Scenario) -> Result<Vec<&'static str>, Vec<Finding>> {
    let own = type_of(scenario);
    let same: Vec<&str> = catalog_models()
        .filter(|model| own.is_some() && model_type(model.config()) == own)
        .map(|model| model.id)
        .collect();
    if same.is_empty() {
        Err(vec![Finding::error(MODEL, message!(decide::no_models))])
    } else {
        Ok(same)
    }
}

/// The scenario with another model.
pub(super) fn of_model(scenario: &Scenario, id: &str) -> Scenario {
    Scenario {
        model: ModelRef::Catalog(id.to_owned()),
        ..scenario.clone()
    }
}

fn model_type(config: &str) -> Option<String> {
    type_in(&serde_json::from_str(config).ok()?)
}

fn type_in(config: &Map<String, Value>) -> Option<String> {
    config.get("model_type")?.as_str().map(str::to_owned)
}
