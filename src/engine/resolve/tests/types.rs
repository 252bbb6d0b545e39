//! Configs of a type that nobody here has read.

use crate::ask::{Finding, Scenario};
use crate::families::model_types;
use crate::resolve::resolve;
use serde_json::{Value, json};

/// The first finding about a config.
fn first(config: &Value) -> Finding {
    let asked = json!({"model": {"hf_config": config}});
    let asked: Scenario = serde_json::from_value(asked).expect("a scenario");
    let mut findings = resolve(&asked).findings.into_iter();
    findings.next().expect("a finding")
}

#[test]
fn an_unknown_type_is_answered_with_few_of_its_kind() {
    let of = |config: Value| first(&config).fix.map(|fix| fix.value);
    // Another name than any, of models of images and of text.
    assert_eq!(
        of(json!({"model_type": "segformer", "image_size": 224})),
        None
    );
    assert_eq!(of(json!({"model_type": "segformer"})), None);
    assert_eq!(
        of(json!({"model_type": "vitt", "image_size": 224})),
        Some(json!("vit"))
    );
    assert_eq!(of(json!({"model_type": "lama", "image_size": 224})), None);
    for config in [json!({"model_type": "segformer"}), json!({})] {
        let message = format!("{:?}", first(&config).message);
        let known = model_types().filter(|name| {
            let is_part = |c: char| c.is_alphanumeric() || "_-".contains(c);
            message.split(|c| !is_part(c)).any(|word| word == *name)
        });
        assert_eq!(known.count(), 5, "{message}");
    }
}
