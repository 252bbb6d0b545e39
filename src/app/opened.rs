//! What the reader gave to be read: a failure's text, a snapshot, a configuration.

use super::model::change_model;
use super::snapshots::{self, MOST_HERE, Outcome};
use super::store::Store;
use crate::ask::{Finding, Fix, Scenario};
use crate::browser::Chosen;
use crate::codec::{Job, JobFile, Pasted, machine_settings, read_handed, read_job, read_pasted};
use crate::configs::Unread;
use crate::inputs::{self, Failure, Input, Overview, Refused, SmiTable, looks_like_snapshot};
use crate::report::{Requested, requested};
use crate::units::Bytes;
use leptos::prelude::*;
use leptos::task::spawn_local;
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
            let begins = file.start(BEGINNING).await;
            if begins.is_some_and(|begins| looks_like_snapshot(&begins)) {
                return open_snapshot(file, name, opened);
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

/// Has a snapshot read; what is opened meanwhile stays.
fn open_snapshot(file: Chosen, name: Option<String>, opened: RwSignal<Option<Opened>>) {
    let reading = Opened {
        name: name.clone(),
        given: Given::Reading,
    };
    opened.set(Some(reading));
    snapshots::read(file, move |outcome| {
        let given = match outcome {
            Outcome::Read(snapshot) => Given::Snapshot(Arc::new(snapshot)),
            Outcome::Refused(refused) => Given::Refused(refused),
            Outcome::TooLarge(bytes, most) => Given::TooLarge(bytes, most),
            Outcome::Unread => Given::Unknown,
        };
        let awaits = |now: &Opened| now.name == name && matches!(now.given, Given::Reading);
        if opened.with_untracked(|now| now.as_ref().is_some_and(awaits)) {
            opened.set(Some(Opened { name, given }));
        }
    });
}

/// The tensors of the scenario on screen that a failure's request may have been for.
pub fn asked_for(store: Store, failure: &Failure) -> Vec<Requested> {
    let printed = failure.facts.requested.unwrap_or_default();
    let found = |scenario: &Scenario| requested(scenario, Bytes(printed)).unwrap_or_default();
    store.scenario.with_untracked(found)
}
