//! Applying a fix.

use super::{Fix, Scenario};
use serde_json::Value;

impl Fix {
    /// The scenario with this fix applied; none when the fix does not fit the scenario's format.
    pub fn apply(&self, scenario: &Scenario) -> Option<Scenario> {
        let mut whole = serde_json::to_value(scenario).ok()?;
        let mut place = &mut whole;
        for key in self.key.split('.') {
            place = place
                .as_object_mut()?
                .entry(key)
                .or_insert(Value::Object(serde_json::Map::new()));
        }
        *place = self.value.clone();
        serde_json::from_value(whole).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::OptimizerImpl;

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
