//! A graph that is run only to know which of its operations are known.

use super::gaps::Gap;
use super::net::GraphNet;
use super::table::{self, Known};
use crate::exported::Graph;
use crate::families::network::GraphModel;
use crate::model::ResolvedSpec;
use crate::nn::build::{Builder, Plan};
use crate::tape::Tape;
use std::rc::Rc;

impl Gap {
    /// The operations of a spec's graph that are not estimated as what they are, each kind of operation once: the graph
    /// is run on a tape that records nothing.
    pub fn all(spec: &ResolvedSpec) -> Vec<Self> {
        let t = Tape::silent();
        let plan = Plan::new(&t, spec, &Rc::default());
        let net = GraphNet::dry(&Builder::new(&plan, spec.weights), spec);
        let Some(net) = net else { return Vec::new() };
        let batch = net.fetch(&t);
        drop(net.forward(&t, &batch));
        let mut found = net.take_gaps();
        let mut seen = Vec::new();
        found.retain(|gap| {
            let new = !seen.contains(&gap.operation);
            if new {
                seen.push(gap.operation.clone());
            }
            new
        });
        found
    }
}

/// The operations of a graph that the table lacks, each kind once.
pub fn unknown_operations(graph: &Graph) -> Vec<Gap> {
    let mut found: Vec<Gap> = Vec::new();
    for node in graph.nodes() {
        let known = found.iter().any(|gap| gap.operation == node.target);
        if !known && matches!(table::find(&node.target), Known::Unknown) {
            found.push(Gap::of(graph, node));
        }
    }
    found
}
