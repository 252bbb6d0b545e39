//! The catalog's model that a scenario's name means, and how its checkpoint's weights are stored.

use super::tree::{Builder, at, put, shortened};
use crate::ask::{Finding, QuantizationType, Scenario, message};
use crate::families::{Packing, find_model, packing_of_config};
use serde_json::Value;

const MODEL: &str = "model";
pub(super) const CONFIG: &str = "quantization_config";
const TYPE: &str = "quantization.type";

/// The scenario that a builder has made, with its models by their names in the catalog, and all findings.
pub(super) fn finish(mut builder: Builder) -> (Scenario, Vec<Finding>) {
    let (tree, packed) = builder.unsettled();
    for finding in settle(tree, packed) {
        builder.push(|| finding);
    }
    builder.finish()
}

/// Puts the catalog's ids where `tree` has other names of their models, and applies the quantization that the name or
/// the config states where `packed` allows it; returns findings that say so.
fn settle(tree: &mut Value, packed: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let packing = settle_name(tree, MODEL, &mut findings);
    settle_name(tree, "objective.teacher", &mut findings);
    let packing = packing.or_else(|| take_config(tree));
    if let Some(packing) = packing.filter(|_| packed) {
        findings.push(apply(packing, tree));
    }
    findings
}

/// Settles the model at `path`; gives how its weights are stored.
fn settle_name(tree: &mut Value, path: &str, findings: &mut Vec<Finding>) -> Option<Packing> {
    let name = at(tree, path).as_str()?.to_owned();
    let named = find_model(&name)?;
    if named.called {
        return named.packing;
    }
    let id = named.model.id;
    put(tree, path, id.into());
    if path == MODEL
        && let Some(vocabulary) = named.vocabulary
        && at(tree, "model_overrides.vocab_size").is_null()
    {
        put(tree, "model_overrides.vocab_size", vocabulary.into());
    }
    let shown = shortened(&name);
    findings.push(Finding::notice(path, message!(codec::taken_for, shown, id)));
    named.packing
}

/// Takes `quantization_config` out of the model's config.
fn take_config(tree: &mut Value) -> Option<Packing> {
    let config = tree.get_mut(MODEL)?.get_mut("hf_config")?.as_object_mut()?;
    let own = config.remove(CONFIG).filter(|own| !own.is_null());
    Some(packing_of_config(&own?))
}

/// Takes `quantization_config` out of the config of a scenario's model and applies it, unless the scenario quantizes
/// already; returns a finding that says so.
pub fn settle_config(scenario: &mut Scenario) -> Option<Finding> {
    let mut tree = serde_json::to_value(&*scenario).ok()?;
    let packing = take_config(&mut tree)?;
    let said = (!scenario.quantization.is_on()).then(|| apply(packing, &mut tree));
    *scenario = serde_json::from_value(tree).ok()?;
    said
}

/// Writes the format of the weights, and returns a finding that names the assumption.
fn apply(packing: Packing, tree: &mut Value) -> Finding {
    match packing {
        Packing::Bitsandbytes {
            kind,
            double,
            mixed,
        } => {
            quantize(tree, kind, double);
            let quantization = kind.name();
            Finding::notice(
                TYPE,
                if mixed {
                    message!(codec::quantized_mixed, quantization)
                } else {
                    message!(codec::quantized, quantization)
                },
            )
        }
        Packing::Groups(format) => {
            let kind = QuantizationType::Nf4;
            quantize(tree, kind, false);
            let quantization = kind.name();
            Finding::warning(TYPE, message!(codec::quantized_like, format, quantization))
        }
        Packing::Mxfp4 => Finding::notice(TYPE, message!(codec::dequantized_mxfp4)),
        Packing::Other(format) => {
            Finding::warning(TYPE, message!(codec::quantization_left_out, format))
        }
    }
}

/// Quantizes the base; other weights are loaded in the dtype that all weights were to have.
fn quantize(tree: &mut Value, kind: QuantizationType, double: bool) {
    let weights = at(tree, "weights").clone();
    if !weights.is_null() {
        put(tree, "quantization.compute_dtype", weights);
        put(tree, "weights", Value::Null);
    }
    put(tree, TYPE, kind.name().into());
    put(tree, "quantization.double", double.into());
}

#[cfg(test)]
mod tests {
    use super::settle_config;
    use crate::ask::{ComputeDtype, Finding, ModelRef, QuantizationType, Scenario, Severity};
    use crate::codec::{Pasted, decode_json, decode_query, read_pasted};
    use serde_json::{Value, json};

    fn decoded(scenario: &Value) -> (Scenario, Vec<Finding>) {
        decode_json(&scenario.to_string())
    }

    #[test]
    fn a_name_that_people_give_becomes_the_catalogs_and_is_told() {
        let named = json!({"model": "unsloth/Mistral-7B-Instruct-v0.3"});
        let (scenario, findings) = decoded(&named);
        assert_eq!(
            scenario.model,
            ModelRef::Catalog("mistral-7b-v0.3".to_owned())
        );
        assert_eq!(findings.len(), 1);
        assert_eq!(
            (findings[0].key.as_str(), findings[0].severity),
            ("model", Severity::Notice)
        );
        let link = decode_query("?v=1&model=unsloth%2FMistral-7B-Instruct-v0.3");
        assert_eq!(
            (link.scenario.model, link.findings),
            (scenario.model, findings)
        );
    }

    #[test]
    fn a_repositorys_own_name_stays() {
        let (scenario, findings) = decoded(&json!({"model": "Qwen/Qwen2.5-1.5B"}));
        assert_eq!(
            scenario.model,
            ModelRef::Catalog("Qwen/Qwen2.5-1.5B".to_owned())
        );
        assert_eq!(findings, []);
    }

    #[test]
    fn tokens_that_were_added_are_an_override() {
        let (scenario, _) = decoded(&json!({"model": "teknium/OpenHermes-2.5-Mistral-7B"}));
        assert_eq!(scenario.model_overrides["vocab_size"], 32_002);
    }

    #[test]
    fn weights_stored_by_bitsandbytes_are_quantized_unless_the_job_says_otherwise() {
        let name = "unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit";
        let (scenario, findings) = decoded(&json!({"model": name, "lora": {"r": 8}}));
        assert_eq!(scenario.quantization.kind, QuantizationType::Nf4);
        assert!(scenario.quantization.double);
        assert_eq!(findings.len(), 2);
        let halves = json!({"model": name, "lora": {"r": 8}, "weights": "fp16"});
        let (scenario, _) = decoded(&halves);
        assert_eq!(scenario.weights, None);
        assert_eq!(scenario.quantization.compute_dtype, ComputeDtype::Fp16);
        let none = json!({"model": name, "quantization": {"type": "none"}});
        let (scenario, findings) = decoded(&none);
        assert_eq!(scenario.quantization.kind, QuantizationType::None);
        assert_eq!(findings.len(), 1);
    }

    #[test]
    fn a_pasted_config_is_quantized_as_the_same_config_in_a_scenario_is() {
        let config = json!({"model_type": "llama", "quantization_config": {"quant_method": "bitsandbytes",
            "load_in_4bit": true, "bnb_4bit_use_double_quant": true, "bnb_4bit_quant_type": "nf4"}});
        let (whole, said) = decoded(&json!({"model": {"hf_config": config}}));
        let (Some(Pasted::Model(model)), _) = read_pasted(&config.to_string()) else {
            panic!("a config is a model");
        };
        let mut pasted = Scenario {
            model,
            ..Scenario::default()
        };
        assert_eq!(
            settle_config(&mut pasted).into_iter().collect::<Vec<_>>(),
            said
        );
        assert_eq!(pasted, whole);
        assert_eq!(pasted.quantization.kind, QuantizationType::Nf4);
        assert_eq!(settle_config(&mut pasted), None);
    }

    #[test]
    fn quantization_in_a_config_is_applied_or_told() {
        let kinds = [
            (
                json!({"quant_method": "bitsandbytes", "load_in_8bit": true}),
                QuantizationType::Int8,
                Severity::Notice,
            ),
            (
                json!({"quant_method": "gptq", "bits": 4}),
                QuantizationType::Nf4,
                Severity::Warning,
            ),
            (
                json!({"quant_method": "fp8"}),
                QuantizationType::None,
                Severity::Warning,
            ),
            (
                json!({"quant_method": "mxfp4"}),
                QuantizationType::None,
                Severity::Notice,
            ),
        ];
        for (config, kind, severity) in kinds {
            let model =
                json!({"hf_config": {"model_type": "llama", "quantization_config": config}});
            let (scenario, findings) = decoded(&json!({ "model": model }));
            assert_eq!(scenario.quantization.kind, kind, "{config}");
            let told: Vec<_> = findings.iter().map(|finding| finding.severity).collect();
            assert_eq!(told, [severity], "{config}");
            let left = json!({"hf_config": {"model_type": "llama"}});
            assert_eq!(serde_json::to_value(&scenario.model).expect("JSON"), left);
        }
    }
}
