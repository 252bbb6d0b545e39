//! The model's parameters as libraries that keep them in shards see them.

use super::ModelParameter;
use crate::model::ResolvedSpec;
use crate::tape::{Category, Tape, Whole};
use std::collections::BTreeMap;

/// The parameters of lists that are whole again, of which those are given that were built, each with its module.
pub(super) fn of_whole(
    built: &[(u32, ModelParameter)],
    whole: &Whole,
) -> Option<Vec<ModelParameter>> {
    let scopes: Vec<u32> = built.iter().map(|(scope, _)| *scope).collect();
    let mut layers = BTreeMap::new();
    let parameters = whole.of(&scopes)?.into_iter().map(|(item, place)| {
        let parameter = built[item].1;
        let mut layer = 0;
        if parameter.layer > 0 {
            let next = u32::try_from(layers.len() + 1).unwrap_or(u32::MAX);
            layer = *layers.entry((parameter.layer, place)).or_insert(next);
        }
        ModelParameter { layer, ..parameter }
    });
    Some(parameters.collect())
}

/// The parameters, in the order in which they were made, each with its module; frozen parameters are in the dtype of
/// the specification's weights.
pub(super) fn parameters(t: &Tape, spec: &ResolvedSpec) -> Vec<(u32, ModelParameter)> {
    let mut trained = BTreeMap::new();
    t.for_each_parameter(|_, parameter, _| {
        trained.insert(parameter.storage_id(), parameter.numel());
    });
    let made = t.with_storages(|storages| {
        let all = (0..).zip(storages.iter());
        let kept = all.filter(|(_, s)| s.alive && s.category == Category::Parameters);
        kept.map(|(id, s)| (id, s.bytes, s.scope))
            .collect::<Vec<(u32, u64, u32)>>()
    });
    let (mut last, mut layers) = (String::new(), 0);
    made.into_iter()
        .map(|(id, bytes, scope)| {
            let path = t.scope_path(scope);
            let found = layer(&path);
            if let Some(found) = found.filter(|&found| found != last) {
                found.clone_into(&mut last);
                layers += 1;
            }
            let elements = trained.get(&id).copied();
            let parameter = ModelParameter {
                elements: elements.unwrap_or(bytes / spec.weights.size()),
                bytes,
                layer: if found.is_some() { layers } else { 0 },
                trained: elements.is_some(),
                ranks: spec.mesh.dp * spec.mesh.cp,
            };
            (scope, parameter)
        })
        .collect()
}

/// The layer that a module is in: its path up to the first number.
fn layer(path: &str) -> Option<&str> {
    let mut end = 0;
    for part in path.split('.') {
        end += part.len();
        if part.parse::<u32>().is_ok() {
            return path.get(..end);
        }
        end += 1;
    }
    None
}
