//! Graphs that somebody has read, handed to a scenario.

use crate::ask::{ExportedModel, Finding, ModelRef, Scenario, message};
use crate::exported::{Graph, Unreadable};
use std::sync::Arc;

/// The name of the graph that a scenario waits for: it is to be read and handed over.
pub fn awaited_graph(scenario: &Scenario) -> Option<&str> {
    match &scenario.model {
        ModelRef::Exported(ExportedModel {
            exported,
            graph: None,
        }) => Some(exported),
        _ => None,
    }
}

/// Hands a graph to a scenario that waits for it.
pub fn hand_graph(scenario: &mut Scenario, read: Arc<Graph>) {
    if let ModelRef::Exported(ExportedModel { graph, .. }) = &mut scenario.model {
        *graph = Some(read);
    }
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
