//! Input that the reader gives: the text of a failure, a snapshot, a configuration, a graph.

use super::graph_opening as graphs;
use super::model::change_model;
use super::snapshots::{self, MOST_HERE, Outcome};
use super::store::Store;
use crate::ask::{Finding, Fix, Scenario};
use crate::browser::{Chosen, FetchError, fetch_file};
use crate::codec::{
    Job, JobFile, Pasted, machine_settings, read_handed, read_job, read_pasted, unreadable_graph,
};
use crate::configs::Unread;
use crate::exported::{Graph, Unreadable};
use crate::inputs::{self, Failure, Input, Overview, Refused, SmiTable, looks_like_snapshot};
use crate::report::{Requested, requested};
use crate::units::Bytes;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::rc::Rc;
use std::sync::Arc;

/// What something was taken for.
#[derive(Clone)]
pub enum Given {
    /// A failure, or a report on memory.
    Failure(Arc<Failure>),
    /// Another program's failure, and whose.
    Foreign(&'static str),
    /// A snapshot that is being read.
    Reading,
    /// An archive that is being fetched or read.
    ReadingGraph,
    /// A graph, what there was before, and what is to be said.
    Graph(Box<Scenario>, Arc<Graph>, Vec<Finding>),
    /// A file that is no graph, and why.
    NoGraph(Finding),
    /// An address that gave no file.
    Unfetched(FetchError),
    /// A snapshot of `torch.cuda.memory`.
    Snapshot(Arc<Overview>),
    /// A pickle that is no snapshot, and why.
    Refused(Refused),
    /// A scenario, a link or a model; what was there before, and what is to be said.
    Applied(Box<Scenario>, Vec<Finding>),
    /// The files of a training job; what was there before, and what they were taken for.
    Job(Box<Scenario>, Arc<Job>),
    /// The files of a training job that lack its model: nothing is filled in unless the reader says for which.
    Partial(Arc<Job>),
    /// A failure, and the job that failed.
    Together(Arc<Failure>, Box<Given>),
    /// A configuration that is not read, and why.
    NoJob(Unread),
    /// A file of so many bytes, and the most that can be read.
    TooLarge(u64, u64),
    /// Nothing that is understood.
    Unknown,
}

/// What was read last, and the file's name where it was one.
#[derive(Clone)]
pub struct Opened {
    /// The file.
    pub name: Option<String>,
    /// What it was taken for.
    pub given: Given,
}

/// Reads a text; a scenario, a link, a model or a job's configuration is used at once.
pub fn open_text(store: Store, text: &str) -> Opened {
    Opened {
        name: None,
        given: given(
            store,
            &[JobFile {
                name: String::new(),
                text: text.to_owned(),
            }],
        ),
    }
}

/// What some texts are, of which several are the files of one job.
fn given(store: Store, files: &[JobFile]) -> Given {
    let before = store.scenario.get_untracked();
    let handed = read_handed(files);
    if handed.is_together() {
        let job = match handed.scenario() {
            Some(scenario) => applied(store, scenario, before),
            None => job(store, handed.read_job(&[])),
        };
        return match handed.failures.into_iter().next() {
            Some(failure) => Given::Together(Arc::new(failure), Box::new(job)),
            None => job,
        };
    }
    if let [JobFile { text, .. }] = files {
        if let (Some(pasted), mut findings) = read_pasted(text) {
            store.forget_job();
            match pasted {
                Pasted::Scenario(scenario) => store.replace(*scenario),
                Pasted::Model(model) => {
                    let mut scenario = before.clone();
                    findings.extend(change_model(&mut scenario, model));
                    store.replace(scenario);
                }
            }
            return Given::Applied(Box::new(before), findings);
        }
        match inputs::read(text) {
            Input::Failure(failure) => return Given::Failure(Arc::new(*failure)),
            Input::Machine(table) => return applied(store, on_machine(&before, &table), before),
            Input::Foreign(owner) => return Given::Foreign(owner),
            Input::Unknown => {}
        }
    }
    job(store, read_job(files, &[]))
}

/// Shows a scenario.
fn applied(store: Store, scenario: Scenario, before: Scenario) -> Given {
    store.forget_job();
    store.replace(scenario);
    Given::Applied(Box::new(before), Vec::new())
}

/// The scenario on the machine of a table.
fn on_machine(before: &Scenario, table: &SmiTable) -> Scenario {
    let settings = machine_settings(table).into_iter();
    let apply = |scenario: Scenario, (key, value): (String, serde_json::Value)| {
        let fix = Fix { key, value };
        fix.apply(&scenario).unwrap_or(scenario)
    };
    settings.fold(before.clone(), apply)
}

/// Shows the scenario of a job, where there is one.
fn job(store: Store, read: Result<Job, (String, Unread)>) -> Given {
    match read {
        Ok(job) if job.stop().is_some() => Given::Partial(Arc::new(job)),
        Ok(job) => fill_in(store, Arc::new(job)),
        Err((_, Unread::Unknown)) => Given::Unknown,
        Err((_, why)) => Given::NoJob(why),
    }
}

/// Fills in a job; a GPU that no file says stays as it was.
fn fill_in(store: Store, job: Arc<Job>) -> Given {
    let before = store.scenario.get_untracked();
    let mut scenario = job.scenario.clone();
    if scenario.hardware.gpu == Scenario::default().hardware.gpu {
        scenario.hardware.gpu.clone_from(&before.hardware.gpu);
    }
    store.approximated.set(job.approximated.clone());
    store.replace(scenario);
    Given::Job(Box::new(before), job)
}

/// Fills in a job that lacks its model, for the model on screen.
pub fn use_with_model(store: Store, job: Arc<Job>) -> Given {
    let mut job = Arc::unwrap_or_clone(job);
    store.scenario.with_untracked(|before| {
        job.scenario.model = before.model.clone();
        job.scenario
            .model_overrides
            .clone_from(&before.model_overrides);
    });
    fill_in(store, Arc::new(job))
}

/// Reads files, and says what they were taken for: one of any kind, or all of a job.
pub fn open_files(store: Store, files: Vec<Chosen>, opened: RwSignal<Option<Opened>>) {
    let names: Vec<String> = files.iter().map(Chosen::name).collect();
    let name = Some(names.join(", "));
    let size = files.iter().map(Chosen::size).fold(0, u64::saturating_add);
    if files.is_empty() {
        return;
    }
    spawn_local(async move {
        let mut texts = Vec::new();
        for file in files {
            let begins = file.start(BEGINNING).await.unwrap_or_default();
            let snapshot = looks_like_snapshot(&begins);
            if is_model(&file.name(), snapshot) {
                return open_graph(store, Rc::new(file), opened);
            }
            if snapshot {
                return open_snapshot(Rc::new(file), None, opened);
            }
            if size > MOST_HERE {
                let given = Given::TooLarge(size, MOST_HERE);
                return opened.set(Some(Opened { name, given }));
            }
            let Some(content) = file.content().await else {
                continue;
            };
            texts.push(JobFile {
                name: file.name(),
                text: inputs::decode(&content).into_owned(),
            });
        }
        let given = given(store, &texts);
        opened.set(Some(Opened { name, given }));
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

/// Shows that a file is being read.
fn wait(file: &Chosen, given: Given, opened: RwSignal<Option<Opened>>) {
    let name = Some(file.name());
    opened.set(Some(Opened { name, given }));
}

/// Shows what a file was taken for, unless another one was opened meanwhile.
fn come(file: &Chosen, opened: RwSignal<Option<Opened>>, given: impl FnOnce() -> Given) {
    let name = Some(file.name());
    let awaits = |now: &Opened| {
        now.name == name && matches!(now.given, Given::Reading | Given::ReadingGraph)
    };
    if opened.with_untracked(|now| now.as_ref().is_some_and(awaits)) {
        let given = given();
        opened.set(Some(Opened { name, given }));
    }
}

/// Has an archive read, and shows its graph. A pickle within may be a snapshot.
fn open_graph(store: Store, file: Rc<Chosen>, opened: RwSignal<Option<Opened>>) {
    wait(&file, Given::ReadingGraph, opened);
    let asked = Rc::clone(&file);
    graphs::read(asked, move |outcome| match outcome {
        graphs::Outcome::Read(graph) => come(&file, opened, || {
            let before = store.scenario.get_untracked();
            let said = graphs::show(store, file.name(), &graph, graphs::Use::Given);
            Given::Graph(Box::new(before), graph, said)
        }),
        graphs::Outcome::None(why) => {
            let said = unreadable_graph(&file.name(), &why);
            if why == Unreadable::StateDict {
                return open_snapshot(file, Some(said), opened);
            }
            come(&file, opened, || Given::NoGraph(said));
        }
        graphs::Outcome::Unread => come(&file, opened, || Given::Unknown),
    });
}

/// Has a snapshot read; what is opened meanwhile stays. What is said where it is `otherwise` no snapshot.
fn open_snapshot(file: Rc<Chosen>, otherwise: Option<Finding>, opened: RwSignal<Option<Opened>>) {
    wait(&file, Given::Reading, opened);
    let asked = Rc::clone(&file);
    snapshots::read(asked, move |outcome| {
        let given = match (outcome, otherwise) {
            (Outcome::Read(snapshot), _) => Given::Snapshot(Arc::new(snapshot)),
            (_, Some(said)) => Given::NoGraph(said),
            (Outcome::Refused(refused), None) => Given::Refused(refused),
            (Outcome::TooLarge(bytes, most), None) => Given::TooLarge(bytes, most),
            (Outcome::Unread, None) => Given::Unknown,
        };
        come(&file, opened, || given);
    });
}

/// Fetches a graph's archive from an address, and opens it.
pub fn open_address(store: Store, address: String, opened: RwSignal<Option<Opened>>) {
    let name = Some(address.clone());
    let given = Given::ReadingGraph;
    opened.set(Some(Opened { name, given }));
    spawn_local(async move {
        match fetch_file(&address).await {
            Ok(file) => open_graph(store, Rc::new(file), opened),
            Err(why) => {
                let (name, given) = (Some(address), Given::Unfetched(why));
                opened.set(Some(Opened { name, given }));
            }
        }
    });
}

/// The tensors of the scenario on screen that a failure's request may have been for.
pub fn asked_for(store: Store, failure: &Failure) -> Vec<Requested> {
    let printed = failure.facts.requested.unwrap_or_default();
    let found = |scenario: &Scenario| requested(scenario, Bytes(printed)).unwrap_or_default();
    store.scenario.with_untracked(found)
}
