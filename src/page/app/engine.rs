//! From the scenario to the answer: at once, and at most once more a frame. Workers answer scenarios that would take
//! longer than a frame; for a pipeline without a named stage, they first find the stage that binds.

use super::estimates::{self, Said};
use super::published;
use super::pursuit::Pursuit;
use super::store::Store;
use crate::ask::{ExportedModel, Finding, ModelRef, Scenario, message};
use crate::browser::{self, timed};
use crate::decide::BindingStage;
use crate::report;
use crate::resolve::resolve;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// State of the coming animation frame.
#[derive(Clone, Copy, PartialEq)]
enum Frame {
    /// Nothing that changed.
    Idle,
    /// An answer to the first change.
    Answered,
    /// Changes after that answer.
    Behind,
}

/// The answer to a scenario, or the findings that refuse it, and the time that it took.
pub(super) struct Answer {
    said: Said,
    took: Duration,
}

impl Answer {
    /// The answer to `scenario`, worked out here and now.
    pub(super) fn to(scenario: &Scenario) -> Self {
        let (said, took) = timed(|| report::estimate(scenario));
        Self { said, took }
    }
}

/// Shows the `first` answer, and estimates after each change of the scenario. The first change since
/// the last frame is answered where it happens, so that the answer exists when the frame comes;
/// further ones are answered together in the frame. Panels below the first screen follow when that
/// frame is painted.
pub(super) fn follow(store: Store, first: Answer) {
    let engine = Engine::new(store);
    engine.show(store.scenario.get_untracked(), first);
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
                    // Another change is answered before the panels below show this answer.
                    if frame.get_value() == Frame::Idle {
                        store.followed.set(store.scenario.get_untracked());
                        settle(store);
                    }
                },
                Duration::ZERO,
            );
        });
    });
}

/// Once the first answer is painted, the other parts of the program come.
fn complete(store: Store) {
    after_paint(move || {
        spawn_local(async move {
            browser::all_parts().await;
            settle(store);
            if say_failures(store) {
                store.whole.set(true);
                browser::set_root("whole", "");
            }
            published::follow(store);
            browser::type_from_sliders();
        });
    });
}

/// Says that the page was loaded again because the program broke off; returns whether panels below the first screen are
/// shown. They are left out where the page has broken off with it again.
#[inline(never)] // The first visit does without it.
fn say_failures(store: Store) -> bool {
    let failures = browser::failures();
    let said = match failures {
        0 => return true,
        1 => message!(engine::loaded_again),
        _ => message!(engine::without_below),
    };
    store
        .address_findings
        .update(|all| all.push(Finding::notice("", said)));
    failures == 1
}

/// Runs `then` when the next frame is painted.
fn after_paint(then: impl FnOnce() + 'static) {
    request_animation_frame(move || set_timeout(then, Duration::ZERO));
}

/// Shows the answer to panels that need not have it in the frame of the answer.
fn settle(store: Store) {
    let answer = store.answer.get_untracked();
    // Where another thread still works, the answer is the one before.
    let place = |answer: &Option<Arc<_>>| answer.as_ref().map(Arc::as_ptr);
    if store
        .settled
        .with_untracked(|before| place(before) != place(&answer))
    {
        store.settled.set(answer);
    }
}

/// The longest that the page's own thread works out an answer; another thread works out one that takes longer. The rest
/// of a frame's 16 ms goes to showing the answer, where the processor is slow.
const LONG: Duration = Duration::from_millis(3);

/// Values of a graph that no page can run within a frame.
const LARGE: usize = 2_500;

/// Whether the model is a graph that takes long for sure.
fn is_large(scenario: &Scenario) -> bool {
    match &scenario.model {
        ModelRef::Exported(ExportedModel {
            graph: Some(graph), ..
        }) => graph.values.len() > LARGE,
        _ => false,
    }
}

/// The work that is left to other threads.
#[derive(Clone, Copy, PartialEq)]
enum Elsewhere {
    /// Nothing.
    Idle,
    /// The stage of a pipeline that binds.
    Stages,
    /// The answer.
    Answer,
}

/// Who answers.
#[derive(Clone)]
struct Engine {
    store: Store,
    pursuit: Pursuit,
    elsewhere: Rc<Cell<Elsewhere>>,
    /// Whether the scenario has changed since they began.
    behind: Rc<Cell<bool>>,
    /// How long the last two answers took: a first one is long, since the program is not yet warm.
    took: Rc<Cell<[Duration; 2]>>,
}

impl Engine {
    fn new(store: Store) -> Self {
        Self {
            store,
            pursuit: Pursuit::default(),
            elsewhere: Rc::new(Cell::new(Elsewhere::Idle)),
            behind: Rc::default(),
            took: Rc::default(),
        }
    }

    /// Answers the scenario on screen: here and now, where that is not long.
    fn estimate(&self) {
        let whole = self.store.whole.get_untracked();
        let scenario = self.store.scenario.get_untracked();
        if whole && self.goes_elsewhere(&scenario) {
            return;
        }
        let answer = Answer::to(&scenario);
        self.show(scenario, answer);
    }

    /// Shows the answer to a scenario, and notes how long it took.
    fn show(&self, scenario: Scenario, Answer { said, took }: Answer) {
        let [last, _] = self.took.get();
        self.took.set([took, last]);
        show(self.store, scenario, said);
    }

    /// Lets other threads answer what takes long; whether they do. The last answer stays until they have; what changes
    /// meanwhile is answered after it, so that a slider that is dragged shows answers.
    #[inline(never)] // The first visit does without it.
    fn goes_elsewhere(&self, scenario: &Scenario) -> bool {
        let stages = BindingStage::of(scenario);
        if self.elsewhere.get() == Elsewhere::Stages && stages.is_none() {
            self.pursuit.give_up();
            self.turn_to(Elsewhere::Idle);
        }
        if self.elsewhere.get() != Elsewhere::Idle {
            self.behind.set(true);
            return true;
        }
        let is_long = stages.is_some()
            || is_large(scenario)
            || self.took.get().iter().all(|&took| took > LONG);
        if !(is_long && estimates::are_made_elsewhere()) {
            return false;
        }
        self.behind.set(false);
        let resolution = resolve(scenario);
        if resolution.spec.is_none() {
            say(self.store, resolution.findings);
        } else if let Some(stages) = stages {
            self.turn_to(Elsewhere::Stages);
            let engine = self.clone();
            self.pursuit.pursue(stages, move |stages, done| {
                if done {
                    engine.ask(stages.scenario());
                }
            });
        } else {
            self.ask(scenario.clone());
        }
        true
    }

    /// Notes what other threads work out. The root element says whether the answer on the page is the one before.
    fn turn_to(&self, elsewhere: Elsewhere) {
        self.elsewhere.set(elsewhere);
        let idle = elsewhere == Elsewhere::Idle;
        browser::set_root("answer", if idle { "shown" } else { "coming" });
    }

    /// Has another thread answer a scenario.
    fn ask(&self, scenario: Scenario) {
        self.turn_to(Elsewhere::Answer);
        let engine = self.clone();
        estimates::ask(scenario.clone(), move |said, took| {
            let store = engine.store;
            engine.show(scenario, Answer { said, took });
            after_paint(move || settle(store));
            engine.turn_to(Elsewhere::Idle);
            if engine.behind.get() {
                engine.estimate();
            }
        });
    }
}

/// Shows the answer to a scenario, or its findings.
fn show(store: Store, scenario: Scenario, said: Said) {
    match said {
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
