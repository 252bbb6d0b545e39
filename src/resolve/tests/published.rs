//! Models as they are built against the numbers of parameters that the families' records state.

use crate::ask::{ModelRef, Precision, Scenario};
use crate::families::{self, registry};
use crate::resolve::resolve;
use std::collections::BTreeMap;

/// Each model of the catalog with the number in its family's record.
fn published() -> BTreeMap<&'static str, u64> {
    registry::families()
        .flat_map(|family| family.published)
        .copied()
        .collect()
}

/// Elements of all parameters of a model of the catalog.
fn built(id: &str) -> u64 {
    let scenario = |precision| Scenario {
        model: ModelRef::Catalog(id.to_owned()),
        precision,
        // SigLIP's texts have 64 tokens, which are fewer than those of an image.
        seq_len: 64,
        images: 0,
        ..Scenario::default()
    };
    // Kernels of the delta rule take no float32, some models nothing else.
    let resolved = |precision| resolve(&scenario(precision)).spec;
    let spec = resolved(Precision::Bf16).or_else(|| resolved(Precision::Fp32));
    let spec = spec.expect("a model of the catalog");
    let modules = families::modules(&spec.architecture, spec.task, spec.framework);
    let parameters = modules.iter().flat_map(|module| module.parameters.iter());
    parameters.map(|parameter| parameter.shape.numel()).sum()
}

#[test]
fn models_have_as_many_parameters_as_published() {
    let differ: Vec<_> = published()
        .into_iter()
        .map(|(id, number)| (id, number, built(id)))
        .filter(|(_, published, built)| published != built)
        .collect();
    assert!(differ.is_empty(), "published, then built: {differ:?}");
}

#[test]
fn the_number_of_every_model_stands_in_a_record() {
    let published = published();
    let stated = registry::families().map(|family| family.published.len());
    assert_eq!(stated.sum::<usize>(), families::catalog_models().count());
    for model in families::catalog_models() {
        assert!(published.contains_key(model.id), "{}", model.id);
    }
}
