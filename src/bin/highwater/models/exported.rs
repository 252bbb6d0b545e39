//! Graphs that `torch.export` wrote, in files of this machine.

use super::folder::expanded;
use highwater::ask::Finding;
use highwater::codec::unreadable_graph;
use highwater::exported::{Graph, Unreadable, read};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// The graph in the file that is called so, below one of the folders.
///
/// # Errors
/// Why there is none.
pub fn graph(name: &str, folders: &[PathBuf]) -> Result<Arc<Graph>, Finding> {
    let path = expanded(name);
    let found = folders.iter().map(|folder| folder.join(&path));
    let found = found
        .into_iter()
        .find(|path| path.is_file())
        .unwrap_or(path);
    let why = |why: &Unreadable| unreadable_graph(name, why);
    let file = File::open(found).map_err(|error| why(&Unreadable::Damaged(error.to_string())))?;
    read(file).map(Arc::new).map_err(|error| why(&error))
}
