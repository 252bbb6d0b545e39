//! Graphs that `torch.export` wrote, in files of this machine or in the program.

use super::folder::expanded;
use super::published::archive;
use highwater::ask::{Finding, Scenario};
use highwater::codec::{awaited_published, unreadable_graph};
use highwater::exported::{Graph, Unreadable, read};
use std::fs::File;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

/// The graph for which a scenario waits, in the file called `name` below one of the folders; else the published graph.
///
/// # Errors
/// Why there is none.
pub fn graph(scenario: &Scenario, name: &str, folders: &[PathBuf]) -> Result<Arc<Graph>, Finding> {
    let path = expanded(name);
    let found = folders.iter().map(|folder| folder.join(&path));
    let found = found.into_iter().find(|path| path.is_file());
    let why = |why: &Unreadable| unreadable_graph(name, why);
    let along = awaited_published(scenario).and_then(|graph| archive(&graph.id));
    let read = match (found, along) {
        (None, Some(archive)) => read(Cursor::new(archive)),
        (found, _) => {
            let file = File::open(found.unwrap_or(path));
            let file = file.map_err(|error| why(&Unreadable::Damaged(error.to_string())));
            read(file?)
        }
    };
    read.map(Arc::new).map_err(|error| why(&error))
}
