//! How layers repeat.

use crate::ask::ModelRef;
use crate::ask::Scenario;
use crate::model::Architecture;
use crate::resolve::resolve;
use crate::units::Repetition;

fn of(model: &str) -> Option<Repetition> {
    let scenario = Scenario {
        model: ModelRef::Catalog(model.to_owned()),
        ..Scenario::default()
    };
    match resolve(&scenario).spec?.architecture {
        Architecture::Decoder(config) => config.repetition(),
        _ => None,
    }
}

#[test]
fn layers_of_several_kinds_take_turns() {
    let found = |head, period| Some(Repetition { head, period });
    assert_eq!(of("llama-3.1-8b"), found(0, 1));
    assert_eq!(of("deepseek-v3"), found(3, 1));
    assert_eq!(of("gemma-2-2b"), found(0, 2));
    assert_eq!(of("gemma-3-1b"), found(0, 6));
    assert_eq!(of("gpt-oss-20b"), found(0, 2));
    // Keys and values of some are read by others.
    assert_eq!(of("gemma-3n-e2b"), None);
}
