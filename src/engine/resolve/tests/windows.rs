//! Lists of layers, windows and bases.

use crate::resolve::refused::tests::refused;
use serde_json::json;

#[test]
fn lists_of_layers_have_an_entry_for_each() {
    let asked = |model: &str, overrides: serde_json::Value| {
        refused(&json!({"model": model, "model_overrides": overrides}))
    };
    let cut = json!({"num_hidden_layers": 2});
    let full = json!(["full_attention", "full_attention"]);
    let fix = Some(("model_overrides.layer_types".to_owned(), full));
    assert_eq!(asked("exaone-4-1.2b", cut.clone()), fix);
    assert_eq!(asked("exaone-4-1.2b", json!({})), None);
    assert_eq!(asked("exaone-4-32b", cut.clone()), None);
    assert_eq!(asked("nemotron-h-8b", cut), None);
}

#[test]
fn windows_and_bases_of_granite_are_there() {
    let asked = |field: &str, value: serde_json::Value| {
        let mut config = json!({"model_type": "granite_swa", "num_hidden_layers": 2});
        config[field] = value;
        refused(&json!({"model": {"hf_config": config}, "attention": "eager"}))
    };
    let repair = |field: &str, value| Some((format!("model.hf_config.{field}"), value));
    assert_eq!(
        asked("sliding_window", json!(null)),
        repair("sliding_window", 128.into())
    );
    assert_eq!(
        asked("layer_rope_theta", json!([0])),
        repair("layer_rope_theta", json!(null))
    );
    assert_eq!(asked("layer_rope_theta", json!([0, 10_000.0])), None);
}

#[test]
fn periods_of_windows_are_whole_numbers() {
    let asked = json!({
        "model": "exaone-4-32b", "model_overrides": {"sliding_window_pattern": "LLLG"},
    });
    let fix = Some(("model_overrides.sliding_window_pattern".into(), 4.into()));
    assert_eq!(refused(&asked), fix);
}
