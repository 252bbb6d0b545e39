//! References to models.

use crate::exported::Graph;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The model of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ModelRef {
    /// A name of the catalog.
    Catalog(String),
    /// A Hugging Face `config.json`.
    HfConfig {
        /// The file's content.
        hf_config: Map<String, Value>,
    },
    /// A single `torch.nn.Linear`.
    Linear {
        /// The layer.
        linear: LinearModel,
    },
    /// A graph that `torch.export` wrote.
    Exported(ExportedModel),
    /// Only a number of parameters.
    NumParameters {
        /// How many.
        num_parameters: u64,
    },
}

impl ModelRef {
    /// Takes the graph of another reference to the same one, which JSON does not hold.
    pub fn keep_graph(&mut self, before: &Self) {
        if let (Self::Exported(own), Self::Exported(before)) = (self, before)
            && own.exported == before.exported
        {
            own.graph.clone_from(&before.graph);
        }
    }
}

/// `torch.nn.Linear(in_features, out_features, bias)`, the smallest model there is. Its input is
/// `[micro_batch_size, in_features]` of the weights' type, its loss the mean of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinearModel {
    /// Columns of the input.
    pub in_features: u64,
    /// Columns of the output.
    pub out_features: u64,
    /// Whether there is a bias.
    #[serde(default = "yes")]
    pub bias: bool,
}

/// A graph that `torch.export` wrote: where it is, and what it holds once somebody has read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportedModel {
    /// The archive's name: a path, or whatever the one who reads it calls it.
    pub exported: String,
    /// The digest of the graph that is meant, once it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The graph.
    #[serde(skip)]
    pub graph: Option<Arc<Graph>>,
}

fn yes() -> bool {
    true
}
