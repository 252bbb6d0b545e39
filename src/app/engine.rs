//! From the scenario to the answer: at once, and at most once more a frame. Of a pipeline without a named stage
//! workers find the one that binds.

use super::estimates;
use super::pursuit::Pursuit;
use super::store::Store;
use crate::ask::{Finding, Scenario};
use crate::browser;
use crate::decide::BindingStage;
use crate::report;
use crate::resolve::resolve;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// What the frame that comes next has.
#[derive(Clone, Copy, PartialEq)]
enum Frame {
    /// Nothing that changed.
    Idle,
    /// An answer to the first change.
    Answered,
    /// Changes after that answer.
    Behind,
}

/// Estimates at once and after each change of the scenario. The first change since the last frame
/// is answered where it happens, so that the answer is there when the frame comes; further ones are
/// answered together in the frame. What stands below the first screen follows when that frame is
/// painted.
pub fn follow(store: Store) {
    let engine = Engine::new(store);
    engine.estimate();
    complete(store);
    let frame = StoredValue::new(Frame::Idle);
    Effect::new(move |opened: Option<()>| {
        store.scenario.track();
        if opened.is_none() {
            return;
        }
        if frame.get_value() != Frame::Idle {
            frame.set_value(Frame::Behind);
            return;
        }
        frame.set_value(Frame::Answered);
        engine.estimate();
        let engine = engine.clone();
        request_animation_frame(move || {
            let behind = frame.get_value() == Frame::Behind;
            frame.set_value(Frame::Idle);
            if behind {
                engine.estimate();
            }
            set_timeout(
                move || {
                    // Another change is answered before what is below shows this one.
                    if frame.get_value() == Frame::Idle {
                        settle(store);
                    }
                },
                Duration::ZERO,
            );
        });
    });
}

/// Once the first answer is painted, the rest of the program comes.
fn complete(store: Store) {
    after_paint(move || {
        spawn_local(async move {
            browser::rest().await;
            settle(store);
            store.whole.set(true);
            browser::set_root("whole", "");
        });
    });
}

/// Runs `then` when the next frame is painted.
fn after_paint(then: impl FnOnce() + 'static) {
    request_animation_frame(move || set_timeout(then, Duration::ZERO));
}

fn settle(store: Store) {
    store.settled.set(store.answer.get_untracked());
}

/// Whether workers are looking for the stage that binds.
#[derive(Clone, Copy, PartialEq)]
enum Search {
    Idle,
    Running,
    /// The scenario has changed since.
    Behind,
}

/// Who answers.
#[derive(Clone)]
struct Engine {
    store: Store,
    pursuit: Pursuit,
    search: Rc<Cell<Search>>,
}

impl Engine {
    fn new(store: Store) -> Self {
        Self {
            store,
            pursuit: Pursuit::default(),
            search: Rc::new(Cell::new(Search::Idle)),
        }
    }

    /// Answers the scenario on screen.
    fn estimate(&self) {
        let store = self.store;
        let may_search = store.whole.get_untracked() && estimates::are_made_elsewhere();
        if !(may_search && self.searches()) {
            answer(store, store.scenario.get_untracked());
        }
    }

    /// Lets workers look at the stages of a pipeline; whether they do. The last answer stays until they have; what
    /// changes meanwhile is answered after it, so that a slider that is dragged shows answers.
    #[inline(never)] // The first visit does without it.
    fn searches(&self) -> bool {
        let store = self.store;
        let scenario = store.scenario.get_untracked();
        let Some(stages) = BindingStage::of(&scenario) else {
            self.pursuit.give_up();
            self.search.set(Search::Idle);
            return false;
        };
        if self.search.get() != Search::Idle {
            self.search.set(Search::Behind);
            return true;
        }
        let resolution = resolve(&scenario);
        if resolution.spec.is_none() {
            say(store, resolution.findings);
            return true;
        }
        self.search.set(Search::Running);
        let engine = self.clone();
        self.pursuit.pursue(stages, move |stages, done| {
            if done {
                engine.found(stages);
            }
        });
        true
    }

    /// Workers have looked at all stages.
    fn found(&self, stages: &BindingStage) {
        let store = self.store;
        answer(store, stages.scenario());
        after_paint(move || settle(store));
        if self.search.replace(Search::Idle) == Search::Behind {
            self.estimate();
        }
    }
}

/// Answers a scenario here and now.
fn answer(store: Store, scenario: Scenario) {
    match report::estimate(&scenario) {
        Ok(estimate) => {
            say(store, estimate.report.findings.clone());
            store.answered.set(scenario);
            store.answer.set(Some(Arc::new(estimate)));
        }
        Err(findings) => say(store, findings),
    }
}

/// Every control listens to the findings: they are told only of others.
fn say(store: Store, findings: Vec<Finding>) {
    if store.findings.with_untracked(|now| *now != findings) {
        store.findings.set(findings);
    }
}
