//! The drawer: the things that the reader gave, each with what it was taken for.

use crate::ask::{Finding, Scenario};
use crate::browser::FetchError;
use crate::codec::{Job, JobFile};
use crate::configs::Unread;
use crate::exported::Graph;
use crate::inputs::{Failure, Overview, Refused, SmiTable};
use leptos::prelude::*;
use std::cell::OnceCell;
use std::sync::Arc;

/// The kind of thing that something was taken for.
#[derive(Clone)]
pub enum Given {
    /// A failure, or a report on memory.
    Failure(Arc<Failure>),
    /// Another program's failure, and whose.
    Foreign(&'static str),
    /// The table of a machine.
    Machine(Arc<SmiTable>),
    /// A snapshot that is being read.
    Reading,
    /// An archive that is being fetched or read.
    ReadingGraph,
    /// A graph, and the findings about it.
    Graph(Arc<Graph>, Vec<Finding>),
    /// A file that is no graph, and why.
    NoGraph(Finding),
    /// An address that gave no file.
    Unfetched(FetchError),
    /// A snapshot of `torch.cuda.memory`.
    Snapshot(Arc<Overview>),
    /// A pickle that is no snapshot, and why.
    Refused(Refused),
    /// A scenario or a link, and the findings about it.
    Scenario(Vec<Finding>),
    /// A model, and the findings about it.
    Model(Vec<Finding>),
    /// The files of a training job, and what they were taken for.
    Job(Arc<Job>),
    /// The files of a training job that lack its model: nothing is filled in unless the reader says for which.
    Partial(Arc<Job>),
    /// A configuration that is not read, and why.
    NoJob(Unread),
    /// A file that is too large: its bytes, and the most that can be read.
    TooLarge(u64, u64),
    /// Nothing that is understood.
    Unknown,
}

impl Given {
    /// Whether nothing came of it.
    fn is_nothing(&self) -> bool {
        matches!(
            self,
            Self::NoGraph(_)
                | Self::Unfetched(_)
                | Self::Refused(_)
                | Self::NoJob(_)
                | Self::TooLarge(..)
                | Self::Unknown
        )
    }

    /// Whether it is the configuration on screen, of which there is one.
    fn is_configuration(&self) -> bool {
        matches!(self, Self::Scenario(_) | Self::Job(_) | Self::Partial(_))
    }
}

/// Something that was given.
#[derive(Clone)]
pub struct Opened {
    /// Its name where it is a file, or its beginning where nothing is understood of it.
    pub name: Option<String>,
    /// The kind that it was taken for.
    pub given: Given,
    /// The files of the job that it tells of.
    pub job: Vec<JobFile>,
    /// The scenario on screen before it was filled in.
    pub before: Option<Box<Scenario>>,
    /// Tells it from the others.
    pub key: u32,
}

impl Opened {
    /// Something that changes nothing on screen.
    pub(super) fn new(name: Option<String>, given: Given) -> Self {
        Self {
            name,
            given,
            job: Vec::new(),
            before: None,
            key: 0,
        }
    }
}

/// The things that were given, the latest first, and whether they are shown.
#[derive(Clone, Copy)]
pub struct Drawer {
    /// The things.
    pub all: RwSignal<Vec<Opened>>,
    /// Whether the drawer is open.
    pub shown: RwSignal<bool>,
    /// The scenario on screen before a change was tried, if one was since something was given.
    tried: RwSignal<Option<Box<Scenario>>>,
    last_key: StoredValue<u32>,
}

thread_local! {
    /// The page's drawer, which lives as long as the page.
    static DRAWER: OnceCell<Drawer> = const { OnceCell::new() };
}

/// The page's drawer: it is made when it is first asked for, by the part of the program that comes later.
pub fn use_drawer() -> Drawer {
    let make = || {
        // Whoever asks first may go; nobody owns these signals but the page.
        let asking = Owner::current();
        let page: &'static Owner = Box::leak(Box::new(Owner::new_root(None)));
        let drawer = page.with(|| Drawer {
            all: RwSignal::new(Vec::new()),
            shown: RwSignal::new(false),
            tried: RwSignal::new(None),
            last_key: StoredValue::new(0),
        });
        // A new root is the owner of what comes next.
        if let Some(asking) = asking {
            asking.set();
        }
        drawer
    };
    DRAWER.with(|drawer| *drawer.get_or_init(make))
}

impl Drawer {
    /// Puts things in before the others, replacing entries of which nothing came; returns the key of the first one.
    pub(super) fn put(self, mut new: Vec<Opened>) -> u32 {
        let mut key = self.last_key.get_value();
        for opened in &mut new {
            key += 1;
            opened.key = key;
        }
        self.last_key.set_value(key);
        let configures = new.iter().any(|opened| opened.given.is_configuration());
        let first = new.first().map_or(0, |opened| opened.key);
        self.tried.set(None);
        self.all.update(|all| {
            all.retain(|opened| {
                let is_replaced = configures && opened.given.is_configuration();
                !(opened.given.is_nothing() || is_replaced)
            });
            all.splice(0..0, new);
        });
        first
    }

    /// Replaces the entry with this key, where the drawer still has it.
    pub(super) fn replace(self, key: u32, opened: Opened) {
        let new_key = self.last_key.get_value() + 1;
        self.last_key.set_value(new_key);
        self.all.update(|all| {
            if let Some(place) = all.iter_mut().find(|other| other.key == key) {
                *place = Opened {
                    key: new_key,
                    ..opened
                };
            }
        });
    }

    /// Notes that a change of a scenario is tried, where something was given.
    pub fn tries(self, before: &Scenario) {
        let given = self.all.with_untracked(|all| !all.is_empty());
        if given && self.tried.with_untracked(Option::is_none) {
            self.tried.set(Some(Box::new(before.clone())));
        }
    }

    /// The scenario from before the first change that was tried, where this is another one.
    pub fn before_trial(self, now: &Scenario) -> Option<Scenario> {
        self.tried.with(|before| {
            let before = before.as_ref().filter(|before| ***before != *now);
            before.map(|before| (**before).clone())
        })
    }

    /// Takes out the entry with this key.
    pub fn remove(self, key: u32) {
        self.all
            .update(|all| all.retain(|opened| opened.key != key));
    }

    /// Whether something with this key is there.
    pub(super) fn has(self, key: u32) -> bool {
        self.all
            .with_untracked(|all| all.iter().any(|opened| opened.key == key))
    }

    /// The key of the entry that was filled in last.
    pub fn last_filled_in(self) -> Option<u32> {
        self.all.with(|all| {
            let mut filled = all.iter().filter(|opened| opened.before.is_some());
            Some(filled.next()?.key)
        })
    }

    /// The failures, the latest first.
    pub fn failures(self) -> Vec<Arc<Failure>> {
        let failure = |opened: &Opened| match &opened.given {
            Given::Failure(failure) => Some(Arc::clone(failure)),
            _ => None,
        };
        self.all
            .with(|all| all.iter().filter_map(failure).collect())
    }

    /// The machine whose table was given last.
    pub(super) fn machine(self) -> Option<Arc<SmiTable>> {
        let machine = |opened: &Opened| match &opened.given {
            Given::Machine(table) => Some(Arc::clone(table)),
            _ => None,
        };
        self.all.with_untracked(|all| all.iter().find_map(machine))
    }

    /// The snapshot that was given last.
    pub fn snapshot(self) -> Option<Arc<Overview>> {
        let snapshot = |opened: &Opened| match &opened.given {
            Given::Snapshot(snapshot) => Some(Arc::clone(snapshot)),
            _ => None,
        };
        self.all.with(|all| all.iter().find_map(snapshot))
    }

    /// The files of the job that was given.
    pub(super) fn job(self) -> Vec<JobFile> {
        self.files_of(|opened| !opened.job.is_empty())
    }

    /// The files of the job that was filled in.
    pub(super) fn filled_in_job(self) -> Vec<JobFile> {
        self.files_of(|opened| matches!(opened.given, Given::Job(_)))
    }

    fn files_of(self, is_it: impl Fn(&Opened) -> bool) -> Vec<JobFile> {
        self.all.with_untracked(|all| {
            let job = all.iter().find(|opened| is_it(opened));
            job.map(|opened| opened.job.clone()).unwrap_or_default()
        })
    }
}
