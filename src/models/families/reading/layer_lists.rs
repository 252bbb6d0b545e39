//! The lists of a config that have an entry for each layer.

use crate::ask::{Finding, LAYERS, message};
use crate::model::ConfigFields;
use serde_json::Value;

/// Their names.
const LISTS: [&str; 2] = ["layer_types", "mlp_layer_types"];

/// Refuses those with another number of entries, as `PreTrainedConfig.validate_layer_type` does.
pub(super) fn check(layers: u64, fields: &mut ConfigFields<'_>) {
    for name in LISTS {
        let given = fields.get(name).and_then(Value::as_array);
        let Some(types) = given.filter(|types| types.len() as u64 != layers) else {
            continue;
        };
        let count = types.len();
        let fitting = (0..layers).zip(types.iter().cycle());
        let fitting: Vec<Value> = fitting.map(|(_, kind)| kind.clone()).collect();
        let fitting = (count > 0).then_some(fitting);
        let key = fields.key(name);
        fields.push(
            Finding::error(&key, message!(reading::list_length, name, count, layers))
                .with_fix(&key, fitting),
        );
    }
}

/// For each layer, whether positions do not rotate it, by `no_rope_layers`, which has a 1 for each layer that is
/// rotated; without it each `no_rope_layer_interval`th is not.
pub(crate) fn unturned(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let given = fields.get("no_rope_layers").and_then(Value::as_array);
    let interval = fields.optional("no_rope_layer_interval", &LAYERS, 4);
    let flag = |layer: u64| match given {
        Some(flags) => {
            let flag = usize::try_from(layer).ok().and_then(|i| flags.get(i));
            flag.and_then(Value::as_u64) == Some(0)
        }
        None => (layer + 1).is_multiple_of(interval),
    };
    (0..layers).map(flag).collect()
}

/// For each layer, whether it has experts: as `mlp_layer_types` says, else by `default`.
pub(crate) fn sparse(
    layers: u64,
    default: impl Fn(u64) -> bool,
    fields: &ConfigFields<'_>,
) -> Vec<bool> {
    let types = fields.get("mlp_layer_types").and_then(Value::as_array);
    let given = |layer| types.and_then(|types| types.get(usize::try_from(layer).ok()?));
    let is_sparse = |layer| given(layer).map_or_else(|| default(layer), |name| name == "sparse");
    (0..layers).map(is_sparse).collect()
}

/// For each layer, whether it is one of every `period` layers, counted from `offset`: the fields of these names, with
/// their `defaults`.
pub(crate) fn periodic(
    layers: u64,
    [period, offset]: [&str; 2],
    defaults: [u64; 2],
    fields: &mut ConfigFields<'_>,
) -> Vec<bool> {
    let every = fields.optional(period, &LAYERS, defaults[0]);
    let first = fields.optional(offset, &(0..=*LAYERS.end()), defaults[1]);
    (0..layers).map(|layer| layer % every == first).collect()
}
