//! Graphs of published models that no family has: `tests/oracle/published_graphs.py` exports them.

use serde::Deserialize;
use std::sync::OnceLock;

/// The list, beside the archives: `public/graphs/ID.pt2`.
const INDEX: &str = include_str!("../../../public/graphs/index.json");

/// The graph of a published model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PublishedGraph {
    /// Stable id: the archive is called so.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// The library that builds the model, with its version.
    pub library: String,
    /// The place at which its sizes are published.
    pub source: String,
    /// The number of parameters, as the library counts them.
    pub parameters: u64,
    /// The loss that it is trained with, by its name in scenarios.
    pub loss: String,
    /// A batch that fits it.
    pub batch: u64,
    /// The element type of its weights, by PyTorch's name.
    pub weights: String,
    /// The graph's digest.
    pub digest: String,
}

impl PublishedGraph {
    /// The name of its archive.
    pub fn file(&self) -> String {
        format!("{}.pt2", self.id)
    }
}

/// Every graph.
pub fn published_graphs() -> &'static [PublishedGraph] {
    static ALL: OnceLock<Vec<PublishedGraph>> = OnceLock::new();
    ALL.get_or_init(|| serde_json::from_str(INDEX).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_list_is_read_whole() {
        let lines = INDEX.lines().filter(|line| line.starts_with('{'));
        assert_eq!(published_graphs().len(), lines.count());
        assert!(published_graphs().len() >= 30);
    }

    #[test]
    fn ids_are_unique_and_fit_for_links() {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        let ids: BTreeSet<&str> = published_graphs().iter().map(|g| g.id.as_str()).collect();
        assert!(ids.iter().all(|id| id.chars().all(plain)));
        assert_eq!(ids.len(), published_graphs().len());
    }
}
