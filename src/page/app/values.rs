//! The scenario's values: a control hears of a change of its own value alone.

use super::lasting::Subscribers;
use crate::ask::Scenario;
use crate::codec;
use leptos::prelude::*;
use leptos::reactive::graph::ToAnySource;
use serde_json::Value;

/// The values of the scenario on screen.
#[derive(Clone, Copy)]
pub struct Values {
    now: StoredValue<Value>,
    heard: StoredValue<Vec<Heard>>,
}

/// A key that somebody has asked for, and whom a change of its value is told.
struct Heard {
    key: &'static str,
    changed: ArcTrigger,
    subscribers: Subscribers,
}

impl Values {
    /// The values of a scenario.
    pub(super) fn of(scenario: &Scenario) -> Self {
        Self {
            now: StoredValue::new(codec::values(scenario)),
            heard: StoredValue::new(Vec::new()),
        }
    }

    /// The value of a key; null when the scenario does not say it.
    pub fn get(self, key: &'static str) -> Value {
        self.heard.update_value(|heard| {
            let known = heard.iter().position(|one| one.key == key);
            let at = known.unwrap_or_else(|| {
                heard.push(Heard {
                    key,
                    changed: ArcTrigger::new(),
                    subscribers: Subscribers::default(),
                });
                heard.len() - 1
            });
            let Heard {
                changed,
                subscribers,
                ..
            } = &mut heard[at];
            subscribers.track(changed.to_any_source());
        });
        self.with_untracked(|values| codec::value_at(values, key).clone())
    }

    /// Does something with all of them.
    pub fn with_untracked<R>(self, f: impl FnOnce(&Value) -> R) -> R {
        self.now.with_value(f)
    }

    /// The values become those of another scenario.
    pub(super) fn tell(self, scenario: &Scenario) {
        let now = codec::values(scenario);
        let told: Vec<ArcTrigger> = self.with_untracked(|before| {
            let differs = |key| codec::value_at(before, key) != codec::value_at(&now, key);
            self.heard.with_value(|heard| {
                let told = heard.iter().filter(|one| differs(one.key));
                told.map(|one| one.changed.clone()).collect()
            })
        });
        self.now.set_value(now);
        for changed in told {
            changed.notify();
        }
    }
}
