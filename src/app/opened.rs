//! What the reader gave to be read: a failure's text, a snapshot, a configuration.

use super::model::change_model;
use super::store::Store;
use crate::ask::{Finding, Scenario};
use crate::browser::Chosen;
use crate::codec::{Pasted, read_pasted};
use crate::inputs::{self, Failure, Input, Refused, Snapshot, looks_like_snapshot, read_snapshot};
use crate::report::{Requested, requested};
use crate::units::Bytes;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// The largest file that is read here, in bytes: the page stands still while it is.
pub const MOST: u64 = 128 << 20;

/// What something was taken for.
#[derive(Clone)]
pub enum Given {
    /// A failure, or a report on memory.
    Failure(Arc<Failure>),
    /// Another program's failure, and whose.
    Foreign(&'static str),
    /// A snapshot of `torch.cuda.memory`.
    Snapshot(Arc<Snapshot>),
    /// A pickle that is no snapshot, and why.
    Refused(Refused),
    /// A scenario, a link or a model; what was there before, and what is to be said.
    Applied(Box<Scenario>, Vec<Finding>),
    /// A file of so many bytes, which is too large.
    TooLarge(u64),
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

/// Reads a text; a scenario, a link or a model is used at once.
pub fn open_text(store: Store, name: Option<String>, text: &str) -> Opened {
    let before = store.scenario.get_untracked();
    let given = match read_pasted(text) {
        (Some(pasted), findings) => {
            match pasted {
                Pasted::Scenario(scenario) => store.replace(*scenario),
                Pasted::Model(model) => {
                    let mut scenario = before.clone();
                    change_model(&mut scenario, model);
                    store.replace(scenario);
                }
            }
            Given::Applied(Box::new(before), findings)
        }
        (None, _) => match inputs::read(text) {
            Input::Failure(failure) => Given::Failure(Arc::new(*failure)),
            Input::Foreign(owner) => Given::Foreign(owner),
            Input::Unknown => Given::Unknown,
        },
    };
    Opened { name, given }
}

/// Reads the first of some files, and says what it was taken for.
pub fn open_files(store: Store, files: Vec<Chosen>, opened: RwSignal<Option<Opened>>) {
    let Some(file) = files.into_iter().next() else {
        return;
    };
    let name = Some(file.name());
    if file.size() > MOST {
        let given = Given::TooLarge(file.size());
        opened.set(Some(Opened { name, given }));
        return;
    }
    spawn_local(async move {
        let content = file.content().await;
        let given = match content {
            None => Given::Unknown,
            Some(content) if looks_like_snapshot(&content) => match read_snapshot(&content) {
                Ok(snapshot) => Given::Snapshot(Arc::new(snapshot)),
                Err(refused) => Given::Refused(refused),
            },
            Some(content) => open_text(store, None, &inputs::decode(&content)).given,
        };
        opened.set(Some(Opened { name, given }));
    });
}

/// The tensors of the scenario on screen that a failure's request may have been for.
pub fn asked_for(store: Store, failure: &Failure) -> Vec<Requested> {
    let printed = failure.facts.requested.unwrap_or_default();
    let found = |scenario: &Scenario| requested(scenario, Bytes(printed)).unwrap_or_default();
    store.scenario.with_untracked(found)
}
