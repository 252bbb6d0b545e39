//! Files that the reader gives: a snapshot or a graph of which each is read by a thread of its own, one after the other,
//! or texts.

use super::drawer::{Given, Opened, use_drawer};
use super::graph_opening as graphs;
use super::opened::take;
use super::snapshots::{self, MOST_HERE, Outcome};
use super::store::Store;
use crate::ask::Finding;
use crate::browser::{Chosen, fetch_file};
use crate::codec::{JobFile, unreadable_graph};
use crate::exported::Unreadable;
use crate::inputs::{self, looks_like_snapshot};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// A file that a thread is to read.
struct Waiting {
    /// The key of its place in the drawer.
    key: u32,
    file: Rc<Chosen>,
    is_model: bool,
}

thread_local! {
    /// Files that are read one after the other, the first of them now.
    static WAITING: RefCell<VecDeque<Waiting>> = const { RefCell::new(VecDeque::new()) };
}

/// Reads files into the drawer: texts are the files of one job, or what tells of it.
pub fn open_files(store: Store, files: Vec<Chosen>) {
    let size = files.iter().map(Chosen::size).fold(0, u64::saturating_add);
    spawn_local(async move {
        let mut texts = Vec::new();
        for file in files {
            let begins = file.start(BEGINNING).await.unwrap_or_default();
            let snapshot = looks_like_snapshot(&begins);
            let is_model = is_model(&file.name(), snapshot);
            if is_model || snapshot {
                wait(store, Rc::new(file), is_model);
                continue;
            }
            if size > MOST_HERE {
                let given = Given::TooLarge(size, MOST_HERE);
                use_drawer().put(vec![Opened::new(Some(file.name()), given)]);
                continue;
            }
            let Some(content) = file.content().await else {
                continue;
            };
            texts.push(JobFile {
                name: file.name(),
                text: inputs::decode(&content).into_owned(),
            });
        }
        if !texts.is_empty() {
            take(store, &texts);
        }
    });
}

/// Bytes by which a snapshot is told from a text.
const BEGINNING: u64 = 4;

/// Ends of names of files that hold models, of which some look like snapshots.
const MODELS: [&str; 8] = [
    "pt2",
    "pt",
    "pth",
    "ckpt",
    "ts",
    "bin",
    "onnx",
    "safetensors",
];

/// Whether a file holds a model, by its name: one that looks like a snapshot may be a graph whatever it is called.
fn is_model(name: &str, snapshot: bool) -> bool {
    let last = name.rsplit_once('.').map_or("", |(_, last)| last);
    let last = last.to_ascii_lowercase();
    MODELS.contains(&last.as_str()) || (snapshot && !["pickle", "pkl", "gz"].contains(&&*last))
}

/// Has a file read once those before it are.
fn wait(store: Store, file: Rc<Chosen>, is_model: bool) {
    let given = if is_model {
        Given::ReadingGraph
    } else {
        Given::Reading
    };
    let key = use_drawer().put(vec![Opened::new(Some(file.name()), given)]);
    let waiting = Waiting {
        key,
        file,
        is_model,
    };
    let is_next = WAITING.with_borrow_mut(|all| {
        all.push_back(waiting);
        all.len() == 1
    });
    if is_next {
        read_next(store);
    }
}

/// Reads the first of the files that wait.
fn read_next(store: Store) {
    let next = WAITING.with_borrow(|all| {
        let next = all.front()?;
        Some((next.key, Rc::clone(&next.file), next.is_model))
    });
    match next {
        Some((key, file, true)) => read_graph(store, file, key),
        Some((key, file, false)) => read_snapshot(store, file, key, None),
        None => {}
    }
}

/// Shows what a file was taken for, unless it was taken out of the drawer meanwhile, and goes on with the next one.
fn come(store: Store, key: u32, opened: impl FnOnce() -> Opened) {
    if use_drawer().has(key) {
        let opened = opened();
        use_drawer().replace(key, opened);
    }
    WAITING.with_borrow_mut(VecDeque::pop_front);
    read_next(store);
}

/// Has an archive read, and shows its graph. A pickle within may be a snapshot.
fn read_graph(store: Store, file: Rc<Chosen>, key: u32) {
    let asked = Rc::clone(&file);
    graphs::read(asked, move |outcome| {
        let name = file.name();
        match outcome {
            graphs::Outcome::Read(graph) => come(store, key, || {
                let before = Some(Box::new(store.scenario.get_untracked()));
                let said = graphs::show(store, name.clone(), &graph, graphs::Use::Given);
                let opened = Opened::new(Some(name), Given::Graph(graph, said));
                Opened { before, ..opened }
            }),
            graphs::Outcome::None(why) => {
                let said = unreadable_graph(&name, &why);
                if why == Unreadable::StateDict {
                    return read_snapshot(store, file, key, Some(said));
                }
                come(store, key, || Opened::new(Some(name), Given::NoGraph(said)));
            }
            graphs::Outcome::Unread => {
                come(store, key, || Opened::new(Some(name), Given::Unknown));
            }
        }
    });
}

/// Has a snapshot read. What is said where it is `otherwise` no snapshot.
fn read_snapshot(store: Store, file: Rc<Chosen>, key: u32, otherwise: Option<Finding>) {
    let asked = Rc::clone(&file);
    snapshots::read(asked, move |outcome| {
        let given = match (outcome, otherwise) {
            (Outcome::Read(snapshot), _) => Given::Snapshot(Arc::new(snapshot)),
            (_, Some(said)) => Given::NoGraph(said),
            (Outcome::Refused(refused), None) => Given::Refused(refused),
            (Outcome::TooLarge(bytes, most), None) => Given::TooLarge(bytes, most),
            (Outcome::Unread, None) => Given::Unknown,
        };
        come(store, key, || Opened::new(Some(file.name()), given));
    });
}

/// Fetches a graph's archive from an address, and opens it.
pub fn open_address(store: Store, address: String) {
    let drawer = use_drawer();
    let opened = |given| Opened::new(Some(address.clone()), given);
    let key = drawer.put(vec![opened(Given::ReadingGraph)]);
    let gone = opened(Given::ReadingGraph);
    spawn_local(async move {
        match fetch_file(&address).await {
            Ok(file) => {
                drawer.remove(key);
                wait(store, Rc::new(file), true);
            }
            Err(why) => {
                let given = Given::Unfetched(why);
                drawer.replace(key, Opened { given, ..gone });
            }
        }
    });
}
