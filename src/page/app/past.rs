//! The configurations that were on screen before, and the ways back to them and forth again.

use super::store::{Store, Undo};
use crate::ask::Scenario;
use crate::browser::{self, Timer};
use crate::configs::Approximation;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use std::time::Duration;

/// A configuration that rests so long is a step of its own.
const REST: Duration = Duration::from_millis(700);
/// Steps that are kept.
const MOST: usize = 100;

/// A configuration that rested on screen.
#[derive(Clone, PartialEq)]
struct Step {
    scenario: Scenario,
    /// Settings of an opened job that it approximates.
    approximated: Vec<Approximation>,
}

impl Step {
    fn of(store: Store) -> Self {
        Self {
            scenario: store.scenario.get_untracked(),
            approximated: store.approximated.get_untracked(),
        }
    }
}

/// A step of the past, beside the configuration that came after it.
#[derive(Clone)]
pub struct Change {
    /// The configuration before.
    pub from: Scenario,
    /// The configuration after.
    pub to: Scenario,
}

/// The steps before the configuration on screen and those after it, the nearest last.
#[derive(Clone, Copy)]
pub struct Past {
    store: Store,
    before: RwSignal<Vec<Step>>,
    after: RwSignal<Vec<Step>>,
    now: StoredValue<Step>,
}

/// The two ways through the steps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Undo.
    Back,
    /// Redo.
    Forth,
}

impl Past {
    /// Begins with the configuration on screen. Ctrl+Z and Ctrl+Shift+Z go back and forth, but where one types.
    pub fn new(store: Store) -> Self {
        let past = Self {
            store,
            before: RwSignal::new(Vec::new()),
            after: RwSignal::new(Vec::new()),
            now: StoredValue::new(Step::of(store)),
        };
        let rest = Timer::default();
        Effect::new(move |_| {
            store.scenario.track();
            rest.set(REST, move || past.settle());
        });
        let keys = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
            let control = event.ctrl_key() || event.meta_key();
            if !control || event.alt_key() || browser::is_typing(&event) {
                return;
            }
            let way = match event.key().as_str() {
                "z" => Way::Back,
                "Z" | "y" => Way::Forth,
                _ => return,
            };
            event.prevent_default();
            past.go(way, 1);
        });
        on_cleanup(move || keys.remove());
        store.undo.set(Some(Undo {
            has: Signal::derive(move || past.has(Way::Back)),
            go: Callback::new(move |()| past.go(Way::Back, 1)),
        }));
        past
    }

    /// Whether there is a step on this way.
    pub fn has(self, way: Way) -> bool {
        !self.steps(way).with(Vec::is_empty)
    }

    /// The last changes, at most `most`, the latest first.
    pub fn changes(self, most: usize) -> Vec<Change> {
        let before = self.before.get();
        let mut later = self.now.with_value(|now| now.scenario.clone());
        let nearest = before.iter().rev().take(most);
        let change = |step: &Step| Change {
            from: step.scenario.clone(),
            to: std::mem::replace(&mut later, step.scenario.clone()),
        };
        nearest.map(change).collect()
    }

    /// Goes this number of `steps`.
    pub fn go(self, way: Way, steps: usize) {
        self.settle();
        let other = match way {
            Way::Back => Way::Forth,
            Way::Forth => Way::Back,
        };
        let mut now = self.now.get_value();
        for _ in 0..steps {
            let Some(next) = self.steps(way).try_update(Vec::pop).flatten() else {
                break;
            };
            let left = std::mem::replace(&mut now, next);
            self.steps(other).update(|all| all.push(left));
        }
        if self.now.with_value(|before| *before == now) {
            return;
        }
        self.now.set_value(now.clone());
        self.store.approximated.set(now.approximated);
        self.store.replace(now.scenario);
    }

    fn steps(self, way: Way) -> RwSignal<Vec<Step>> {
        match way {
            Way::Back => self.before,
            Way::Forth => self.after,
        }
    }

    /// Takes the configuration on screen as a step, if it is another one.
    fn settle(self) {
        let now = Step::of(self.store);
        if self
            .now
            .with_value(|before| before.scenario == now.scenario)
        {
            return;
        }
        let left = self.now.get_value();
        self.now.set_value(now);
        self.before.update(|all| {
            all.push(left);
            let surplus = all.len().saturating_sub(MOST);
            all.drain(..surplus);
        });
        self.after.set(Vec::new());
    }
}
