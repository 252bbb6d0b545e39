//! The config of Kimi Linear (`models/kimi_linear/configuration_kimi_linear.py` of transformers 5.23), whose layers
//! attend by way of latent vectors or follow the delta rule.

use crate::ask::{Finding, HEADS, message};
use crate::families::deepseek;
use crate::families::hybrid::reader as hybrid;
use crate::families::mamba::SMALL;
use crate::model::{ConfigFields, DecoderConfig, Family, Mixing, ScanHeads, StateSpace};
use serde_json::{Map, Value};

/// The field of published configs about the layers that follow the delta rule.
const LINEAR: &str = "linear_attn_config";
/// The field as a scenario names it.
const LINEAR_KEY: &str = "model.hf_config.linear_attn_config";
/// The widest heads that the kernels of Kimi Delta Attention take (`chunk_kda`, flash-linear-attention 0.6.0).
const WIDEST_HEAD: u64 = 256;

/// Reads the config with transformers' defaults for absent fields.
pub(super) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let config = deepseek::reader::read(family, fields);
    let linear = fields.get(LINEAR).and_then(Value::as_object);
    let attends = attending(config.num_hidden_layers, linear, fields);
    let mixing = |attends| {
        if attends {
            Mixing::Attention
        } else {
            Mixing::GatedDelta
        }
    };
    DecoderConfig {
        latent: config.latent.filter(|_| attends.contains(&true)),
        mixers: attends.into_iter().map(mixing).collect(),
        state_space: Some(delta_rule(linear, fields)),
        // Whatever the config says: `_tied_weights_keys` names no weight.
        tie_word_embeddings: false,
        ..config
    }
}

/// For each layer, whether it attends: as `layer_types` says, or published configs, whose lists count from one;
/// else every fourth but the first.
fn attending(
    layers: u64,
    linear: Option<&Map<String, Value>>,
    fields: &mut ConfigFields<'_>,
) -> Vec<bool> {
    let list = |name| linear?.get(name)?.as_array();
    let (full, delta) = (list("full_attn_layers"), list("kda_layers"));
    let lists = full.zip(delta);
    let listed = fields.get("layer_types").is_none() && lists.is_some();
    let places = lists.map_or(0, |(full, delta)| full.len() + delta.len());
    if listed && places as u64 != layers {
        let key = fields.key(LINEAR);
        fields.push(Finding::error(
            &key,
            message!(kimi_linear::listed_layers, places, layers),
        ));
    }
    let attends = |layer: u64| match lists {
        Some((full, _)) => full.contains(&Value::from(layer + 1)),
        None => layer > 0 && layer.is_multiple_of(4),
    };
    hybrid::attending(layers, attends, fields)
}

/// Heads that follow the delta rule, whose keys and values are as wide as each other.
fn delta_rule(linear: Option<&Map<String, Value>>, fields: &mut ConfigFields<'_>) -> StateSpace {
    let nothing = Map::new();
    let mut inner = ConfigFields::new(linear.unwrap_or(&nothing), &nothing, LINEAR_KEY);
    let mut size = |[own, published]: [&str; 2], allowed, default| {
        let default = fields.optional(own, allowed, default);
        inner.optional(published, allowed, default)
    };
    let heads = ["linear_num_heads", "num_heads"];
    let count = size(heads, &HEADS, 32);
    let columns = size(["linear_head_dim", "head_dim"], &(1..=WIDEST_HEAD), 128);
    let kernel = ["linear_conv_kernel_dim", "short_conv_kernel_size"];
    let conv_kernel = size(kernel, &SMALL, 4);
    for finding in inner.into_findings() {
        fields.push(finding);
    }
    StateSpace {
        state_size: columns,
        conv_kernel,
        heads: Some(ScanHeads {
            count,
            columns,
            groups: count,
            // Tokens of a chunk of flash-linear-attention's kernels (0.6.0).
            chunk: 64,
        }),
        ..StateSpace::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::{Scenario, Severity};
    use crate::families::read;
    use crate::model::{Architecture, DecoderConfig, Mixing, Routing};
    use serde_json::{Value, json};

    /// The config of the published model with other fields, or the keys of its errors.
    fn config(changed: &Value) -> Result<DecoderConfig, Vec<String>> {
        let scenario = json!({"model": "kimi-linear-48b-a3b", "model_overrides": changed, "precision": "bf16"});
        let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
        let mut findings = Vec::new();
        let model = read(&scenario, &mut findings);
        let errors = findings.into_iter();
        let errors = errors.filter(|finding| finding.severity == Severity::Error);
        let keys: Vec<String> = errors.map(|finding| finding.key).collect();
        match model.map(|model| model.architecture) {
            Some(Architecture::Decoder(config)) if keys.is_empty() => Ok(config),
            _ => Err(keys),
        }
    }

    #[test]
    fn published_lists_count_layers_from_one_and_name_each() {
        let mixers = config(&json!({})).expect("a config").mixers;
        let attends = |layer: usize| mixers[layer] == Mixing::Attention;
        let places: Vec<usize> = (0..27).filter(|&layer| attends(layer)).collect();
        assert_eq!(places, [3, 7, 11, 15, 19, 23, 26]);
        let cut = config(&json!({"num_hidden_layers": 4}));
        assert_eq!(
            cut,
            Err(vec!["model_overrides.linear_attn_config".to_owned()])
        );
    }

    #[test]
    fn fields_have_the_names_of_published_configs_and_of_transformers() {
        let groups = |changed: &Value| {
            let experts = config(changed).expect("a config").experts;
            match experts.expect("experts").routing {
                Routing::Corrected(groups) => groups.count,
                _ => 0,
            }
        };
        assert_eq!(groups(&json!({"num_expert_group": 4})), 4);
        assert_eq!(groups(&json!({"n_group": 8})), 8);
    }
}
