//! Applying a fix.

use super::finding::Fix;
use super::scenario::Scenario;
use serde_json::{Map, Value};

impl Fix {
    /// The scenario with this fix applied, where null removes a value; none when the fix does not fit the scenario's format.
    pub fn apply(&self, scenario: &Scenario) -> Option<Scenario> {
        let mut whole = serde_json::to_value(scenario).ok()?;
        // Sizes of a graph have names with dots: `x.2`.
        let (path, last) = match self.key.split_once('.') {
            Some(("symbols", name)) => ("symbols", name),
            _ => self.key.rsplit_once('.').unwrap_or(("", &self.key)),
        };
        let mut place = whole.as_object_mut()?;
        for key in path.split('.').filter(|key| !key.is_empty()) {
            place = place
                .entry(key)
                .or_insert(Value::Object(Map::new()))
                .as_object_mut()?;
        }
        match &self.value {
            Value::Null => place.remove(last),
            value => place.insert(last.to_owned(), value.clone()),
        };
        let mut changed: Scenario = serde_json::from_value(whole).ok()?;
        changed.model.keep_graph(&scenario.model);
        Some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::OptimizerImpl;

    fn fix(key: &str, value: impl Into<Value>) -> Fix {
        Fix {
            key: key.to_owned(),
            value: value.into(),
        }
    }

    #[test]
    fn a_fix_replaces_one_value_even_a_nested_one() {
        let fixed = fix("optimizer.impl", "fused").apply(&Scenario::default());
        let implementation = fixed.map(|scenario| scenario.optimizer.implementation);
        assert_eq!(implementation, Some(OptimizerImpl::Fused));
    }

    #[test]
    fn a_fix_of_null_removes_a_value() {
        let scenario = fix("model_overrides.head_dim", 64).apply(&Scenario::default());
        let scenario = scenario.expect("overrides hold any value");
        assert!(scenario.model_overrides.contains_key("head_dim"));
        let removed = fix("model_overrides.head_dim", Value::Null).apply(&scenario);
        assert_eq!(removed, Some(Scenario::default()));
    }

    #[test]
    fn a_size_of_a_graph_keeps_its_dots() {
        let fixed = fix("symbols.x.2", 640).apply(&Scenario::default());
        let symbols = fixed.expect("symbols hold any value").symbols;
        assert_eq!(symbols.get("x.2"), Some(&640.into()));
    }

    #[test]
    fn a_fix_that_is_no_scenario_changes_nothing() {
        assert!(
            fix("micro_batch_size", "many")
                .apply(&Scenario::default())
                .is_none()
        );
        assert!(
            fix("micro_batch_size.deep", 1)
                .apply(&Scenario::default())
                .is_none()
        );
    }
}
