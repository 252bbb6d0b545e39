//! Graphs that `torch.export` wrote: read piece by piece, and known to the page and to its threads from then on.

use crate::ask::Scenario;
use crate::browser::Chosen;
use crate::codec::{awaited_digest, hand_graph};
use crate::exported::{Graph, Pieces, Progress, Unreadable};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

thread_local! {
    /// Of a thread: whether files that come are graphs.
    static WANTED: Cell<bool> = const { Cell::new(false) };
    /// Graphs that were read: in the page, the graphs that it shows; in a worker, the graphs that it was told of.
    static KNOWN: RefCell<Vec<Arc<Graph>>> = const { RefCell::new(Vec::new()) };
}

/// The purpose of a file that is a graph's archive.
pub(super) const PURPOSE: &str = "graph";

/// A graph, or why the file has none; nothing where it could not be read.
pub(super) type Read = Option<Result<Graph, Unreadable>>;

/// Reads a graph, piece by piece: its weights are never read.
async fn read_pieces(file: &Chosen) -> Read {
    let mut pieces = Pieces::new(file.size());
    loop {
        match pieces.read() {
            Progress::Needs(bytes) => {
                let start = bytes.start;
                pieces.put(start, file.part(start, bytes.end).await?);
            }
            Progress::Read(graph) => return Some(Ok(*graph)),
            Progress::Unreadable(why) => return Some(Err(why)),
        }
    }
}

/// The graph in a file, as text for another thread: a [`Read`].
pub(super) async fn written(file: &Chosen) -> String {
    serde_json::to_string(&read_pieces(file).await).unwrap_or_default()
}

/// In a worker: takes the purpose of the files that come, or a graph that the page has read.
pub(super) fn note(text: &str) {
    if text == PURPOSE {
        return WANTED.set(true);
    }
    if let Ok(Some(Ok(graph))) = serde_json::from_str::<Read>(text) {
        know(Arc::new(graph));
    }
}

/// In a worker: whether the files that come are graphs.
pub(super) fn are_wanted() -> bool {
    WANTED.get()
}

/// Keeps a graph for scenarios that wait for it.
pub(super) fn know(graph: Arc<Graph>) {
    KNOWN.with_borrow_mut(|known| {
        if known.iter().all(|other| other.digest != graph.digest) {
            known.push(graph);
        }
    });
}

/// Hands a scenario the graph that it waits for, where it is known.
#[inline(never)] // The first visit does without it.
pub(super) fn complete(scenario: &mut Scenario) {
    let Some(digest) = awaited_digest(scenario) else {
        return;
    };
    let of_digest = |graph: &&Arc<Graph>| graph.digest == digest;
    let found = KNOWN.with_borrow(|known| known.iter().find(of_digest).cloned());
    if let Some(graph) = found {
        hand_graph(scenario, graph);
    }
}
