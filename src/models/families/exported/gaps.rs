//! Operations that are not known, or not called so.

use crate::exported::{Graph, Node};

/// An operation of a graph that is not estimated as what it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The operation.
    pub operation: String,
    /// The path and the class of its module.
    pub module: String,
    /// The line of the source, where the file says so.
    pub source: Option<String>,
}

impl Gap {
    pub(super) fn of(graph: &Graph, node: &Node) -> Self {
        let module = node
            .stack
            .last()
            .and_then(|&at| graph.modules.get(at as usize));
        Self {
            operation: node.target.clone(),
            module: module.map_or_else(String::new, |module| {
                let class = module.class.rsplit('.').next().unwrap_or_default();
                if module.path.is_empty() {
                    class.to_owned()
                } else {
                    format!("{} ({class})", module.path)
                }
            }),
            source: node.source.clone(),
        }
    }
}
