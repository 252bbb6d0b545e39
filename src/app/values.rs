//! The scenario's values: a control hears of a change of its own value alone.

use crate::ask::Scenario;
use crate::codec;
use leptos::prelude::*;
use serde_json::Value;

/// The values of the scenario on screen.
#[derive(Clone, Copy)]
pub struct Values {
    now: StoredValue<Value>,
    /// Keys that somebody has asked for, and whom a change of their values is told.
    heard: StoredValue<Vec<(&'static str, ArcTrigger)>>,
}

impl Values {
    /// Those of a scenario.
    pub(super) fn of(scenario: &Scenario) -> Self {
        Self {
            now: StoredValue::new(codec::values(scenario)),
            heard: StoredValue::new(Vec::new()),
        }
    }

    /// The value of a key; null when the scenario does not say it.
    pub fn get(self, key: &'static str) -> Value {
        self.heard.update_value(|heard| {
            let known = heard.iter().position(|(of, _)| *of == key);
            let at = known.unwrap_or_else(|| {
                heard.push((key, ArcTrigger::new()));
                heard.len() - 1
            });
            heard[at].1.track();
        });
        self.with_untracked(|values| codec::value_at(values, key).clone())
    }

    /// Does something with all of them.
    pub fn with_untracked<R>(self, f: impl FnOnce(&Value) -> R) -> R {
        self.now.with_value(f)
    }

    /// They are those of another scenario.
    pub(super) fn tell(self, scenario: &Scenario) {
        let now = codec::values(scenario);
        let mut heard = self.heard.get_value();
        self.with_untracked(|before| {
            heard.retain(|(key, _)| codec::value_at(before, key) != codec::value_at(&now, key));
        });
        self.now.set_value(now);
        for (_, changed) in heard {
            changed.notify();
        }
    }
}
