//! Texts that are pasted.

use crate::ask::ModelRef;
use crate::codec::{Pasted, decode_json, parse_json, read_pasted};
use serde_json::Value;

#[test]
fn what_python_writes_beyond_json_is_read_in_configs_and_scenarios() {
    let config = r#"{"model_type": "mamba2", "time_step_limit": [0.0, Infinity], "note": "a \" NaN",
        "low": -Infinity, "none": NaN}"#;
    let (pasted, findings) = read_pasted(config);
    assert!(findings.is_empty(), "{findings:?}");
    assert!(matches!(
        pasted,
        Some(Pasted::Model(ModelRef::HfConfig { .. }))
    ));
    let value = parse_json(config).expect("JSON");
    assert_eq!(value["note"], "a \" NaN", "texts stay as they are");
    assert_eq!(value["time_step_limit"][1], Value::Null);
    let (_, findings) = decode_json(&format!(r#"{{"model": {{"hf_config": {config}}}}}"#));
    assert!(findings.is_empty(), "{findings:?}");
    assert!(parse_json("{\"a\": Infinite}").is_err());
}
