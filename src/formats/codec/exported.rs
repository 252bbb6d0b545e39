//! Graphs that were read, handed to a scenario, and graphs published with the program.

use crate::ask::{ExportedModel, Finding, Loss, ModelRef, Scenario, message};
use crate::catalog::{PublishedGraph, published_graphs};
use crate::exported::{Graph, Unreadable};
use std::sync::Arc;

/// The name of the graph that a scenario waits for: it is to be read and handed over.
pub fn awaited_graph(scenario: &Scenario) -> Option<&str> {
    awaited(scenario).map(|model| model.exported.as_str())
}

/// The digest of the graph that a scenario waits for, where it says it.
pub fn awaited_digest(scenario: &Scenario) -> Option<&str> {
    awaited(scenario)?.digest.as_deref()
}

fn awaited(scenario: &Scenario) -> Option<&ExportedModel> {
    match &scenario.model {
        ModelRef::Exported(model) if model.graph.is_none() => Some(model),
        _ => None,
    }
}

/// The published graph for which a scenario waits: by its digest or, without a digest, by its name.
pub fn awaited_published(scenario: &Scenario) -> Option<&'static PublishedGraph> {
    let model = awaited(scenario)?;
    let mut all = published_graphs().iter();
    match &model.digest {
        Some(digest) => all.find(|graph| graph.digest == *digest),
        None => all.find(|graph| graph.file() == model.exported),
    }
}

/// The name for people of a graph that comes along.
pub fn published_name(model: &ExportedModel) -> Option<&'static str> {
    let digest = model.digest.as_deref()?;
    let mut all = published_graphs().iter();
    let found = all.find(|graph| graph.digest == digest);
    found.map(|graph| graph.name.as_str())
}

/// The graph that comes along with this id.
pub fn published_graph(id: &str) -> Option<&'static PublishedGraph> {
    let mut all = published_graphs().iter();
    all.find(|graph| graph.id.eq_ignore_ascii_case(id))
}

/// Has a scenario wait for a graph that comes along, trained with its loss unless the scenario names one of a graph.
pub fn use_published(scenario: &mut Scenario, graph: &PublishedGraph) {
    scenario.model = ModelRef::Exported(ExportedModel {
        exported: graph.file(),
        digest: Some(graph.digest.clone()),
        graph: None,
    });
    let loss = Loss::from_name(&graph.loss);
    scenario.loss = loss
        .filter(|_| !scenario.loss.is_of_graph())
        .unwrap_or(scenario.loss);
}

/// Hands a graph to a scenario that has one or waits for it. Says so where it is another one than the scenario was made
/// with.
pub fn hand_graph(scenario: &mut Scenario, read: Arc<Graph>) -> Option<Finding> {
    let ModelRef::Exported(model) = &mut scenario.model else {
        return None;
    };
    let digest = read.digest.clone();
    model.graph = Some(read);
    let wanted = model.digest.replace(digest.clone());
    let wanted = wanted.filter(|wanted| *wanted != digest)?;
    let name = &model.exported;
    let said = message!(exported::other_graph, name, digest, wanted);
    Some(Finding::warning("model", said))
}

/// Says why a file is no graph.
pub fn unreadable_graph(name: &str, why: &Unreadable) -> Finding {
    let how = message!(exported::how);
    let said = match why {
        Unreadable::NoArchive => message!(exported::no_archive, name, how),
        Unreadable::Damaged(why) => message!(exported::damaged, name, why),
        Unreadable::OtherArchive => message!(exported::other_archive, name, how),
        Unreadable::TorchScript => message!(exported::torchscript, name, how),
        Unreadable::StateDict => message!(exported::state_dict, name, how),
        Unreadable::Safetensors => message!(exported::safetensors, name, how),
        Unreadable::Onnx => message!(exported::onnx, name, how),
        Unreadable::Compiled => message!(exported::compiled, name, how),
        Unreadable::NoGraph(why) => message!(exported::no_program, name, why),
        Unreadable::TooOld(major) => message!(exported::too_old, name, major),
        Unreadable::Decomposed(operation) => message!(exported::decomposed, name, operation),
        Unreadable::TooLarge(bytes) => message!(exported::too_large_file, name, bytes),
    };
    Finding::error("model", said)
}
