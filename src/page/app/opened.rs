//! Texts that the reader gives: of a failure, of a machine, of a configuration.

use super::drawer::{Given, Opened, use_drawer};
use super::model::change_model;
use super::store::Store;
use crate::ask::{Fix, Scenario};
use crate::codec::{
    Handed, Job, JobFile, Pasted, machine_settings, read_handed, read_pasted, with_new_files,
};
use crate::configs::Unread;
use crate::inputs::{self, Failure, Input};
use crate::report::{Requested, requested};
use crate::units::Bytes;
use leptos::prelude::*;
use serde_json::Value;
use std::sync::Arc;

/// Reads a text into the drawer: of an error, a configuration, or both; a scenario, a link, a model or a job's
/// configuration is used at once.
pub fn open_text(store: Store, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    take(
        store,
        &[JobFile {
            name: String::new(),
            text: text.to_owned(),
        }],
    );
}

/// The names of files, or the beginning of a text that has none.
fn names(files: &[JobFile]) -> Option<String> {
    let names = files.iter().map(|file| file.name.as_str());
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The first line of a text that is not understood.
fn beginning(text: &str) -> String {
    /// Letters of it that are shown.
    const LETTERS: usize = 60;
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(LETTERS).collect()
}

/// Recognizes texts, of which several are the files of one job, and adds them to the earlier ones: an error stays
/// when the configuration of its job comes.
pub(super) fn take(store: Store, files: &[JobFile]) {
    let drawer = use_drawer();
    let mut handed = read_handed(files);
    let is_told = !handed.failures.is_empty() || handed.machine.is_some();
    if let [file] = files
        && !is_told
        && let Some(opened) = alone(store, file)
    {
        drawer.put(vec![opened]);
        return;
    }
    let named = |given| Opened::new(names(files), given);
    let mut new: Vec<Opened> = Vec::new();
    for failure in std::mem::take(&mut handed.failures) {
        new.push(named(Given::Failure(Arc::new(failure))));
    }
    if let Some(table) = handed.machine.take() {
        new.push(named(Given::Machine(Arc::new(table))));
    }
    let job = handed.job;
    let scenario = Handed {
        job: job.clone(),
        ..Handed::default()
    }
    .scenario();
    if let Some(scenario) = scenario.filter(|_| is_told) {
        new.push(fill_in(store, scenario, named(Given::Scenario(Vec::new()))));
        drawer.put(new);
        return;
    }
    // The machine that failed counts from now on.
    if job.is_empty() {
        let settings = machine_of(&new, drawer.filled_in_job());
        if let (Some(last), false) = (new.last_mut(), settings.is_empty()) {
            let scenario = store
                .scenario
                .with_untracked(|now| on_machine(now, settings));
            let before = store.scenario.get_untracked();
            if scenario != before {
                last.before = Some(Box::new(before));
                store.replace(scenario);
            }
        }
        drawer.put(new);
        return;
    }
    new.push(read_job(store, &new, &job));
    drawer.put(new);
}

/// A text that tells of nothing else than a scenario, a model, or another program's failure.
fn alone(store: Store, file: &JobFile) -> Option<Opened> {
    let name = names(std::slice::from_ref(file));
    if let (Some(pasted), mut findings) = read_pasted(&file.text) {
        return Some(match pasted {
            Pasted::Scenario(scenario) => {
                let opened = Opened::new(name, Given::Scenario(findings));
                fill_in(store, *scenario, opened)
            }
            Pasted::Model(model) => {
                let mut scenario = store.scenario.get_untracked();
                findings.extend(change_model(&mut scenario, model));
                fill_in(store, scenario, Opened::new(name, Given::Model(findings)))
            }
        });
    }
    match inputs::read(&file.text) {
        Input::Foreign(owner) => Some(Opened::new(name, Given::Foreign(owner))),
        _ => None,
    }
}

/// The settings of a job's machine by new things; without a job, those of the machine on screen by a new table.
fn machine_of(new: &[Opened], job: Vec<JobFile>) -> Vec<(String, Value)> {
    if !job.is_empty() {
        return told(new, job).settings(&[]).unwrap_or_default();
    }
    let table = new.iter().find_map(|opened| match &opened.given {
        Given::Machine(table) => Some(table),
        _ => None,
    });
    table
        .map(|table| machine_settings(table))
        .unwrap_or_default()
}

/// The latest failure and the latest machine, of new things before those of the drawer, beside a job.
fn told(new: &[Opened], job: Vec<JobFile>) -> Handed {
    let drawer = use_drawer();
    let failure = new.iter().find_map(|opened| match &opened.given {
        Given::Failure(failure) => Some(Arc::clone(failure)),
        _ => None,
    });
    let failure = failure.or_else(|| untrack(|| drawer.failures()).into_iter().next());
    let machine = new.iter().find_map(|opened| match &opened.given {
        Given::Machine(table) => Some(Arc::clone(table)),
        _ => None,
    });
    let machine = machine.or_else(|| drawer.machine());
    Handed {
        failures: failure.iter().map(|of| (**of).clone()).collect(),
        machine: machine.map(|of| (*of).clone()),
        job,
    }
}

/// The scenario with settings of a machine.
fn on_machine(before: &Scenario, settings: Vec<(String, Value)>) -> Scenario {
    let apply = |scenario: Scenario, (key, value): (String, Value)| {
        let fix = Fix { key, value };
        fix.apply(&scenario).unwrap_or(scenario)
    };
    settings.into_iter().fold(before.clone(), apply)
}

/// Shows a scenario, and keeps the way back.
fn fill_in(store: Store, scenario: Scenario, opened: Opened) -> Opened {
    let before = Some(Box::new(store.scenario.get_untracked()));
    store.forget_job();
    store.replace(scenario);
    // A job is not a change of the scenario that was on screen by chance.
    store.ghost.set(None);
    Opened { before, ..opened }
}

/// Reads new files of a job, with the earlier files that still belong to it, and fills the scenario in, where there is
/// one.
fn read_job(store: Store, new: &[Opened], files: &[JobFile]) -> Opened {
    let together = with_new_files(&use_drawer().job(), files);
    let read = |files: &[JobFile]| told(new, files.to_vec()).read_job(&[]);
    let (read, files) = match read(&together) {
        Ok(job) => (Ok(job), together.as_slice()),
        Err(_) => (read(files), files),
    };
    let job = match read {
        Ok(job) => job,
        Err((_, Unread::Unknown)) => {
            let name = names(files).or_else(|| files.first().map(|file| beginning(&file.text)));
            return Opened::new(name, Given::Unknown);
        }
        Err((_, why)) => return Opened::new(names(files), Given::NoJob(why)),
    };
    let lacks_model = job.stop().is_some();
    let job = Arc::new(job);
    let opened = Opened {
        job: files.to_vec(),
        ..Opened::new(names(files), Given::Partial(Arc::clone(&job)))
    };
    if lacks_model {
        return opened;
    }
    use_job(store, job, opened)
}

/// Fills in a job; a GPU that no file says stays as it was.
fn use_job(store: Store, job: Arc<Job>, opened: Opened) -> Opened {
    let before = store.scenario.get_untracked();
    let mut scenario = job.scenario.clone();
    if scenario.hardware.gpu == Scenario::default().hardware.gpu {
        scenario.hardware.gpu.clone_from(&before.hardware.gpu);
    }
    store.approximated.set(job.approximated.clone());
    store.replace(scenario);
    Opened {
        given: Given::Job(job),
        before: Some(Box::new(before)),
        ..opened
    }
}

/// Fills in a job that lacks its model, for the model on screen.
pub fn use_with_model(store: Store, opened: &Opened, job: &Job) {
    let mut job = job.clone();
    store.scenario.with_untracked(|before| {
        job.scenario.model = before.model.clone();
        job.scenario
            .model_overrides
            .clone_from(&before.model_overrides);
    });
    let used = use_job(store, Arc::new(job), opened.clone());
    use_drawer().replace(opened.key, used);
}

/// Takes back the settings that an entry of the drawer filled in, and takes the entry out.
pub fn take_back(store: Store, opened: &Opened) {
    if let Some(before) = &opened.before {
        store.forget_job();
        store.replace((**before).clone());
    }
    use_drawer().remove(opened.key);
}

/// The tensors of a scenario that a failure's request may have been for.
pub fn asked_for(scenario: &Scenario, failure: &Failure) -> Vec<Requested> {
    let found = |bytes| requested(scenario, Bytes(bytes)).unwrap_or_default();
    failure.facts.requested.map(found).unwrap_or_default()
}
